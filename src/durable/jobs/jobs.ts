import type { AnyEventObject } from 'xstate'
import { jobDone, jobFailed } from '../actors/xstate.ts'
import { asError, isUnavailable } from '../errors.ts'
import { claimJobs, releaseLease, renewLeases, type ScheduledJob, shortenLeases } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import { JobError, type JobHandler, PostponeJob } from './handler.ts'
import { countFree, createShareFinder, leavesRows, listJobs, type RunningJob, type StartedJob } from './shares.ts'

/** A job or timer that failed through no fault of its own is tried again after this long. */
export const postponeMs = 5_000
/** A job whose workers died this often, or could not send its result, is failed without another try: it may be the cause. */
const maxClaims = 5
/** The jobs of one node that are under way. */
export interface Jobs {
  /** Claims as many jobs as there is capacity for; `again_at` is when a lane's next row may be claimed. */
  claimAll(mayBeReady: (queue: string) => boolean): Promise<{ claimed: number; again_at: number }>
  /** Queues without lanes that have capacity: only for their rows is it worth waking up. */
  openQueues(): readonly string[]
  count(): number
  /** Renews the leases. A job whose row is gone is no longer wanted, and is aborted. */
  keepLeases(): Promise<void>
  /** Aborts the jobs of an actor that has ended: their results would be rejected. */
  abortJobsFor(actor_id: string): void
  settled(): Promise<unknown>
  abortAll(): void
}

/** The job's result as the event that its chart accepts. Errors that are not the job's own are thrown. */
const handleJob = async (
  handler: JobHandler,
  job: ScheduledJob,
  signal: AbortSignal,
): Promise<{ event: AnyEventObject; writes: readonly Statement[] }> => {
  try {
    signal.throwIfAborted()
    if (job.claims > maxClaims) throw new JobError('JOB_LOST', `its worker died ${maxClaims} times`)
    const { output, writes = [] } = await handler.handle(job, signal)
    return { event: jobDone(job.name, output), writes }
  } catch (thrown) {
    const error = asError(thrown)
    if (isUnavailable(error) || error instanceof PostponeJob || signal.aborted) throw error
    const { code, detail } = error instanceof JobError ? error : { code: 'INTERNAL', detail: {} }
    return { event: jobFailed(job.name, { ...detail, code, message: error.message }), writes: [] }
  }
}

const describeJob = ({ actor_id, name, claims }: ScheduledJob) => ({ actor_id, job: name, claims })

/**
 * The claim is counted if the job itself may be at fault, so that it is not tried for ever. If this fails, the lease
 * expires.
 */
const releaseJob = async (
  { store, clock, log }: WorkerDeps,
  { job, abort }: StartedJob,
  thrown: unknown,
): Promise<void> => {
  if (thrown instanceof PostponeJob) return releaseLease(store, job, thrown.ready_at)
  const { aborted } = abort.signal
  log.warn({ ...describeJob(job), error: asError(thrown).message }, 'a job was released')
  await releaseLease(store, job, clock.now() + (aborted ? 0 : postponeMs), !aborted && !isUnavailable(thrown))
}

const createAbort = (aborted: boolean): AbortController => {
  const abort = new AbortController()
  if (aborted) abort.abort()
  return abort
}

/** `look` is called when an unclaimed row may be ready: a job has freed a slot, or was released. */
export const createJobs = (deps: WorkerDeps, send: SendResult, look: () => void): Jobs => {
  const { store, clock, log, handlers, leaseMs, crashHook } = deps
  // A set, not a map by id: a node that was suspended beyond a lease may claim a job that it is still doing.
  const running = new Set<RunningJob>()
  const findShares = createShareFinder(deps)
  let allAborted = false
  /** Whether the last claim left rows for lack of capacity. True during a claim, which may miss a freed slot. */
  let leftSome = true
  const onFree = (): void => (leftSome ? look() : undefined)
  const hasSlot = (handler: JobHandler): boolean => countFree(handler, [...running]) > 0

  const run = async (handler: JobHandler, { job, abort }: StartedJob, onHandled: () => void): Promise<void> => {
    const about = describeJob(job)
    try {
      const { event, writes } = await handleJob(handler, job, abort.signal)
      if (handler.lanes !== undefined) onHandled()
      crashHook?.('job.handled')
      if ('error' in event) log.warn({ ...about, error: event.error }, 'a job failed')
      await send(job, event, writes)
      crashHook?.('job.sent')
    } catch (thrown) {
      await releaseJob(deps, { job, abort }, thrown).catch(error =>
        log.error({ ...about, error: asError(error).message }, 'a job could not be released'),
      )
      look()
    }
  }

  const start = (handler: JobHandler, started: StartedJob): void => {
    const onHandled = (): void => {
      entry.takesSlot = false
      onFree()
    }
    const work = (): Promise<void> => run(handler, started, onHandled)
    const done = (deps.around?.(started.job, work) ?? work()).finally(() => {
      running.delete(entry)
      onFree()
    })
    const entry: RunningJob = { ...started, done, takesSlot: true }
    running.add(entry)
  }

  return {
    async claimAll(mayBeReady) {
      let [claimed, again_at] = [0, Number.POSITIVE_INFINITY]
      leftSome = true
      let leaves = !handlers.every(hasSlot)
      for (const handler of handlers.filter(({ queue, lanes }) => lanes !== undefined || mayBeReady(queue))) {
        const shares = await findShares(handler, [...running])
        again_at = Math.min(again_at, shares.again_at)
        const lease = { now: clock.now(), leaseMs }
        const jobs = shares.portions.length === 0 ? [] : await claimJobs(store, handler.queue, shares.portions, lease)
        if (jobs.length > 0) crashHook?.('job.claimed')
        claimed += jobs.length
        leaves ||= leavesRows(shares, jobs)
        // A claim may have been under way when all jobs were aborted.
        for (const job of jobs) start(handler, { job, abort: createAbort(allAborted) })
      }
      leftSome = leaves
      return { claimed, again_at }
    },
    openQueues: () =>
      handlers.filter(handler => handler.lanes === undefined && hasSlot(handler)).map(({ queue }) => queue),
    count: () => running.size,
    async keepLeases() {
      const held = [...running]
      const kept = await renewLeases(store, listJobs(held), clock.now() + leaseMs)
      for (const { job, abort } of held) if (!kept.has(job)) abort.abort()
      await shortenLeases(store, clock.now(), leaseMs)
    },
    abortJobsFor(actor_id) {
      for (const { job, abort } of running) if (job.actor_id === actor_id) abort.abort()
    },
    settled: () => Promise.all([...running].map(({ done }) => done)),
    abortAll() {
      allAborted = true
      for (const { abort } of running) abort.abort()
    },
  }
}
