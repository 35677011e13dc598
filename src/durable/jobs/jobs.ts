import type { AnyEventObject } from 'xstate'
import type { AnyActorDefinition } from '../actors/definition.ts'
import type { Host } from '../actors/host.ts'
import { jobDone, jobFailed } from '../actors/xstate.ts'
import type { DurableClock } from '../clock.ts'
import type { CrashHook } from '../crash_points.ts'
import { asError, isUnavailable } from '../errors.ts'
import { readLanes, type WaitingLane } from '../store/lanes.ts'
import { claimJobs, releaseLease, renewLeases, type ScheduledJob, shortenLeases } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { JobError, type JobHandler, type LaneShares, PostponeJob } from './handler.ts'

/** Where a worker reports trouble. A `pino` logger is one. */
export interface WorkerLog {
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface WorkerDeps {
  readonly store: Store
  readonly host: Host
  readonly clock: DurableClock
  readonly log: WorkerLog
  readonly definitions: readonly AnyActorDefinition[]
  readonly handlers: readonly JobHandler[]
  /** How long a claimed job is this node's without a sign of life; at most `maxLeaseMs`. */
  readonly leaseMs: number
  /** The longest that jobs and timers of other nodes, which may have died, go unseen. */
  readonly pollMs: number
  readonly crashHook?: CrashHook
}

/** Sends the result of a row to its actor. A stale, duplicate or late result is rejected by the fence, without harm. */
export type SendResult = (job: ScheduledJob, event: AnyEventObject, writes?: readonly Statement[]) => Promise<void>

/** A job or timer that met a fault, and not its own, is tried again after this long. */
export const postponeMs = 5_000
/** A job whose workers died this often, or could not send its result, is failed untried: it may be what kills them. */
const maxClaims = 5
/** Where there are more lanes than are read at a time, the next ones are read after this long. */
const nextLanesMs = 25

/** A claimed job, and what ends it early. */
interface StartedJob {
  readonly job: ScheduledJob
  readonly abort: AbortController
}

interface RunningJob extends StartedJob {
  readonly done: Promise<void>
  /**
   * Whether the job still takes a slot: one that is handled, and whose result waits for its commit, does not. In a queue
   * without lanes it does: that is served in its order, and what a result leads to may come before all that waits.
   */
  takesSlot: boolean
}

/** The jobs of one node that are under way. */
export interface Jobs {
  /** Claims as many jobs as there is capacity for; `again_at` is when a lane's next row may be claimed. */
  claimAll(mayBeReady: (queue: string) => boolean): Promise<{ claimed: number; again_at: number }>
  /** Queues without lanes that have capacity: only their rows are worth waking up for. */
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

/** The claim counts where the job itself may be at fault: it must not be tried for ever. Should this fail, the lease runs out. */
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

/** Reads the lanes of a queue page by page, round and round, and says when to come for the next. */
const createLaneReader = ({ store, clock }: Pick<WorkerDeps, 'store' | 'clock'>) => {
  const lastRead = new Map<string, string | null>()
  return async ({ queue, lanes: policy }: JobHandler): Promise<{ lanes: readonly WaitingLane[]; more_at: number }> => {
    const after = lastRead.get(queue) ?? null
    const { lanes, next } = await readLanes(store, queue, after, policy?.details)
    lastRead.set(queue, next)
    const areAll = after === null && next === null
    return { lanes, more_at: areAll ? Number.POSITIVE_INFINITY : clock.now() + nextLanesMs }
  }
}

const countByLane = (jobs: readonly ScheduledJob[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { lane } of jobs) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  return counts
}

const listJobs = (running: readonly RunningJob[]): readonly ScheduledJob[] => running.map(({ job }) => job)

const listTakingSlots = (queue: string, running: readonly RunningJob[]): readonly ScheduledJob[] =>
  listJobs(running.filter(({ job, takesSlot }) => takesSlot && job.queue === queue))

/** The next job need not wait for the last one's commit, but no more results wait for theirs than there are slots. */
const countFree = (handler: JobHandler, running: readonly RunningJob[]): number => {
  const slots = handler.slots(queue => listTakingSlots(queue, running).length)
  const held = running.filter(({ job }) => job.queue === handler.queue).length
  return Math.min(slots - listTakingSlots(handler.queue, running).length, 2 * slots - held)
}

const createAbort = (aborted: boolean): AbortController => {
  const abort = new AbortController()
  if (aborted) abort.abort()
  return abort
}

/** `onFree` is called whenever a job has left a slot. */
export const createJobs = (deps: WorkerDeps, send: SendResult, onFree: () => void): Jobs => {
  const { store, clock, log, handlers, leaseMs, crashHook } = deps
  // A set, not a map by id: a node that was suspended beyond a lease may claim a job that it is still doing.
  const running = new Set<RunningJob>()
  const readWaitingLanes = createLaneReader(deps)
  let allAborted = false
  const free = (handler: JobHandler): number => countFree(handler, [...running])

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
    }
  }

  const start = (handler: JobHandler, started: StartedJob): void => {
    const onHandled = (): void => {
      entry.takesSlot = false
      onFree()
    }
    const done = run(handler, started, onHandled).finally(() => {
      running.delete(entry)
      onFree()
    })
    const entry: RunningJob = { ...started, done, takesSlot: true }
    running.add(entry)
  }

  /** What of a queue is to be claimed; only a queue with lanes has to be read for that. */
  const findShares = async (handler: JobHandler): Promise<LaneShares> => {
    const limit = free(handler)
    if (limit <= 0) return { portions: [], again_at: Number.POSITIVE_INFINITY }
    if (handler.lanes === undefined) return { portions: [{ lane: '', limit }], again_at: Number.POSITIVE_INFINITY }
    const under_way = countByLane(listTakingSlots(handler.queue, [...running]))
    const { lanes, more_at } = await readWaitingLanes(handler)
    const { portions, again_at } = handler.lanes.share({ lanes, under_way, free: limit })
    return { portions, again_at: Math.min(again_at, more_at) }
  }

  return {
    async claimAll(mayBeReady) {
      let [claimed, again_at] = [0, Number.POSITIVE_INFINITY]
      for (const handler of handlers.filter(({ queue, lanes }) => lanes !== undefined || mayBeReady(queue))) {
        const shares = await findShares(handler)
        again_at = Math.min(again_at, shares.again_at)
        if (shares.portions.length === 0) continue
        const jobs = await claimJobs(store, handler.queue, shares.portions, { now: clock.now(), leaseMs })
        if (jobs.length > 0) crashHook?.('job.claimed')
        claimed += jobs.length
        // A claim may have been under way when all jobs were aborted.
        for (const job of jobs) start(handler, { job, abort: createAbort(allAborted) })
      }
      return { claimed, again_at }
    },
    openQueues: () =>
      handlers.filter(handler => handler.lanes === undefined && free(handler) > 0).map(({ queue }) => queue),
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
