import type { AnyEventObject } from 'xstate'
import { ApiError, asError } from '../../base/api_error.ts'
import { jobDone, jobFailed } from '../actors/xstate.ts'
import { type WaitingLane, waitingLanes } from '../store/lanes.ts'
import { claim, releaseLease, renew, type ScheduledJob, shortenLeases } from '../store/scheduled_jobs.ts'
import type { Statement } from '../store/statement.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import { JobError, type JobHandler, PostponeJob, type Shared } from './handler.ts'

/** A row that could not be told or done for our own trouble is tried again after this long. */
export const postpone_ms = 5_000
/** A job whose workers died, or could not tell what came of it, this often is failed without being tried again: it may be what kills them. */
const most_claims = 5

/** Where there are more lanes than are read at a time, the next ones are looked at after this long. */
const next_lanes_ms = 25

/** A claimed job, and what ends it early. */
interface Started {
  readonly job: ScheduledJob
  readonly abort: AbortController
}

interface Running extends Started {
  readonly done: Promise<void>
  /**
   * False once it was done and only its result is still to be told: its handlers are free again. Not for a queue without
   * lanes: that is served in its order, and what a result leads to may come before all that waits.
   */
  is_acting: boolean
}

/** The jobs of one node that are under way. */
export interface Jobs {
  /**
   * Of the queues that may have ready rows, claims as many jobs as there are free handlers; resolves with how many, and
   * with when a lane's next row may be claimed.
   */
  claimAll(may_be_ready: (queue: string) => boolean): Promise<{ claimed: number; again_at: number }>
  /** Queues without lanes that have free handlers: only their rows are worth waking for. */
  openQueues(): readonly string[]
  count(): number
  /** Renews the leases; a job whose row is gone is no longer wanted, and aborted. No lease of others lasts too long. */
  keepLeases(): Promise<void>
  /** Aborts what is under way for an actor that has ended: its result would be refused. */
  callOff(actor_id: string): void
  settled(): Promise<unknown>
  abortAll(): void
}

const isOurTrouble = (error: unknown): boolean => error instanceof ApiError && error.code === 'unavailable'

/** The job's result as the event that its chart takes; our own trouble and an aborted job are thrown. */
const actOn = async (
  hand: JobHandler,
  job: ScheduledJob,
  signal: AbortSignal,
): Promise<{ event: AnyEventObject; writes: readonly Statement[] }> => {
  try {
    signal.throwIfAborted()
    if (job.claims > most_claims) throw new JobError('JOB_LOST', `its worker died ${most_claims} times`)
    const { output, writes = [] } = await hand.handle(job, signal)
    return { event: jobDone(job.name, output), writes }
  } catch (thrown) {
    const error = asError(thrown)
    if (isOurTrouble(error) || error instanceof PostponeJob || signal.aborted) throw error
    const { code, detail } = error instanceof JobError ? error : { code: 'INTERNAL', detail: {} }
    return { event: jobFailed(job.name, { ...detail, code, message: error.message }), writes: [] }
  }
}

const toldOf = ({ actor_id, name, claims }: ScheduledJob) => ({ actor_id, job: name, claims })

/** A result that can never be told must not be made for ever. Should giving it back fail, the lease runs out. */
const putBack = async ({ store, clock, log }: WorkerDeps, { job, abort }: Started, thrown: unknown): Promise<void> => {
  if (thrown instanceof PostponeJob) return releaseLease(store, job, thrown.ready_at)
  const is_off = abort.signal.aborted
  log.warn({ ...toldOf(job), error: asError(thrown).message }, 'a job was given back')
  await releaseLease(store, job, clock.now() + (is_off ? 0 : postpone_ms), !is_off && !isOurTrouble(thrown))
}

/** Reads the lanes of a queue a page at a time, round and round, and says when to come for the next. */
const createLaneReader = ({ store, clock }: Pick<WorkerDeps, 'store' | 'clock'>) => {
  const reached = new Map<string, string | null>()
  return async (queue: string): Promise<{ lanes: readonly WaitingLane[]; more_at: number }> => {
    const after = reached.get(queue) ?? null
    const { lanes, next } = await waitingLanes(store, queue, after)
    reached.set(queue, next)
    const is_all = after === null && next === null
    return { lanes, more_at: is_all ? Number.POSITIVE_INFINITY : clock.now() + next_lanes_ms }
  }
}

const countByLane = (jobs: readonly ScheduledJob[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { lane } of jobs) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  return counts
}

const jobsOf = (running: readonly Running[]): readonly ScheduledJob[] => running.map(({ job }) => job)

const actingIn = (queue: string, running: readonly Running[]): readonly ScheduledJob[] =>
  jobsOf(running.filter(({ job, is_acting }) => is_acting && job.queue === queue))

/** The next job need not wait for the last one's commit; but no more results wait for theirs than there are handlers. */
const freeOf = (hand: JobHandler, running: readonly Running[]): number => {
  const slots = hand.slots(queue => actingIn(queue, running).length)
  const held = running.filter(({ job }) => job.queue === hand.queue).length
  return Math.min(slots - actingIn(hand.queue, running).length, 2 * slots - held)
}

/** For a job whose claim was under way when all was called off. */
const calledOff = (): AbortController => {
  const abort = new AbortController()
  abort.abort()
  return abort
}

/** `onFree` is called whenever a job has left free handlers. */
export const createJobs = (deps: WorkerDeps, tell: SendResult, onFree: () => void): Jobs => {
  const { store, clock, log, handlers, lease_ms, crashHook: reach } = deps
  // A set, not a map by id: a node that was suspended beyond a lease may claim a job that it is still at.
  const running = new Set<Running>()
  const readLanes = createLaneReader(deps)
  let all_off = false
  const free = (hand: JobHandler): number => freeOf(hand, [...running])

  const run = async (hand: JobHandler, { job, abort }: Started, acted: () => void): Promise<void> => {
    const told = toldOf(job)
    try {
      const { event, writes } = await actOn(hand, job, abort.signal)
      if (hand.share !== undefined) acted()
      reach('job.acted')
      if ('error' in event) log.warn({ ...told, error: event.error }, 'a job failed')
      await tell(job, event, writes)
      reach('job.told')
    } catch (thrown) {
      await putBack(deps, { job, abort }, thrown).catch(error =>
        log.error({ ...told, error: asError(error).message }, 'a job could not be given back'),
      )
    }
  }

  const start = (hand: JobHandler, started: Started): void => {
    const acted = (): void => {
      entry.is_acting = false
      onFree()
    }
    const done = run(hand, started, acted).finally(() => {
      running.delete(entry)
      onFree()
    })
    const entry: Running = { ...started, done, is_acting: true }
    running.add(entry)
  }

  /** What of a queue is to be claimed; only a queue with lanes has to be looked at for that. */
  const wanted = async (hand: JobHandler): Promise<Shared> => {
    const limit = free(hand)
    if (limit <= 0) return { portions: [], again_at: Number.POSITIVE_INFINITY }
    if (hand.share === undefined) return { portions: [{ lane: '', limit }], again_at: Number.POSITIVE_INFINITY }
    const under_way = countByLane(actingIn(hand.queue, [...running]))
    const { lanes, more_at } = await readLanes(hand.queue)
    const { portions, again_at } = hand.share({ lanes, under_way, free: limit })
    return { portions, again_at: Math.min(again_at, more_at) }
  }

  return {
    async claimAll(may_be_ready) {
      let [claimed, again_at] = [0, Number.POSITIVE_INFINITY]
      for (const hand of handlers.filter(({ queue, share }) => share !== undefined || may_be_ready(queue))) {
        const shared = await wanted(hand)
        again_at = Math.min(again_at, shared.again_at)
        if (shared.portions.length === 0) continue
        const jobs = await claim(store, hand.queue, shared.portions, { now: clock.now(), lease_ms })
        if (jobs.length > 0) reach('job.claimed')
        claimed += jobs.length
        for (const job of jobs) start(hand, { job, abort: all_off ? calledOff() : new AbortController() })
      }
      return { claimed, again_at }
    },
    openQueues: () => handlers.filter(hand => hand.share === undefined && free(hand) > 0).map(hand => hand.queue),
    count: () => running.size,
    async keepLeases() {
      const held = [...running]
      const kept = await renew(store, jobsOf(held), clock.now() + lease_ms)
      for (const { job, abort } of held) if (!kept.has(job)) abort.abort()
      await shortenLeases(store, clock.now(), lease_ms)
    },
    callOff(actor_id) {
      for (const { job, abort } of running) if (job.actor_id === actor_id) abort.abort()
    },
    settled: () => Promise.all([...running].map(({ done }) => done)),
    abortAll() {
      all_off = true
      for (const { abort } of running) abort.abort()
    },
  }
}
