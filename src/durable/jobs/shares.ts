import { readLanes, type WaitingLane } from '../store/lanes.ts'
import type { Portion, ScheduledJob } from '../store/scheduled_jobs.ts'
import type { WorkerDeps } from './deps.ts'
import type { JobHandler, LaneShares } from './handler.ts'

/** If there are more lanes than are read at a time, the next ones are read after this long. */
const nextLanesMs = 25

/** A claimed job, with the means to abort it. */
export interface StartedJob {
  readonly job: ScheduledJob
  readonly abort: AbortController
}

/** A job under way. */
export interface RunningJob extends StartedJob {
  readonly done: Promise<void>
  /**
   * Whether the job still takes a slot. In a queue with lanes, a handled job whose result waits for its commit does
   * not. In a queue without lanes it does: the queue is served in order, and the result may lead to a job that comes
   * before all waiting ones.
   */
  takesSlot: boolean
}

/** Reads the lanes of a queue page by page, round-robin, and says when to read the next page. */
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

/** The jobs themselves. */
export const listJobs = (running: readonly RunningJob[]): readonly ScheduledJob[] => running.map(({ job }) => job)

const listTakingSlots = (queue: string, running: readonly RunningJob[]): readonly ScheduledJob[] =>
  listJobs(running.filter(({ job, takesSlot }) => takesSlot && job.queue === queue))

/**
 * A next job need not wait for the commit of the previous result, but at most as many results wait for commits as there
 * are slots.
 */
export const countFree = (handler: JobHandler, running: readonly RunningJob[]): number => {
  const slots = handler.slots(queue => listTakingSlots(queue, running).length)
  const held = running.filter(({ job }) => job.queue === handler.queue).length
  return Math.min(slots - listTakingSlots(handler.queue, running).length, 2 * slots - held)
}

/** What is to be claimed of a queue. */
export interface QueueShares extends LaneShares {
  /** Whether rows may be ready for which there is no capacity. */
  readonly leavesSome: boolean
}

/** As many rows of a lane were claimed as its limit allowed: more may be ready. */
const isFilled = ({ lane, limit }: Portion, claimed: readonly ScheduledJob[]): boolean =>
  claimed.filter(job => job.lane === lane).length >= limit

/** Whether ready rows may be left because capacity was missing. */
export const leavesRows = ({ leavesSome, portions }: QueueShares, claimed: readonly ScheduledJob[]): boolean =>
  leavesSome || portions.some(portion => isFilled(portion, claimed))

/** Finds what to claim of a queue. Only a queue with lanes must be read for that. */
export const createShareFinder = (deps: Pick<WorkerDeps, 'store' | 'clock'>) => {
  const readWaitingLanes = createLaneReader(deps)
  return async (handler: JobHandler, running: readonly RunningJob[]): Promise<QueueShares> => {
    const limit = countFree(handler, running)
    const again_at = Number.POSITIVE_INFINITY
    if (limit <= 0) return { portions: [], again_at, leavesSome: true }
    if (handler.lanes === undefined) return { portions: [{ lane: '', limit }], again_at, leavesSome: false }
    const under_way = countByLane(listTakingSlots(handler.queue, running))
    const { lanes, more_at } = await readWaitingLanes(handler)
    const shares = handler.lanes.share({ lanes, under_way, free: limit })
    const { portions } = shares
    const isLeft = ({ lane, ready_at }: WaitingLane): boolean =>
      ready_at <= deps.clock.now() && !portions.some(portion => portion.lane === lane)
    return { portions, again_at: Math.min(shares.again_at, more_at), leavesSome: lanes.some(isLeft) }
  }
}
