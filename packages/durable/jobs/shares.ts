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

/** A job under way, or one that is about to be. */
export interface SlotHolder {
  readonly job: Pick<ScheduledJob, 'queue' | 'lane'>
  readonly done: Promise<void>
  /**
   * Whether the job still takes a slot. In a queue with lanes, a handled job whose result waits for its commit does
   * not. In a queue without lanes it does: the queue is served in order, and the result may lead to a job that comes
   * before all waiting ones.
   */
  takesSlot: boolean
}

/** A job under way. */
export type RunningJob = StartedJob & SlotHolder

/** Some lanes of a queue in which rows wait, and when to come for the next. */
export interface LanesRead {
  readonly lanes: readonly WaitingLane[]
  readonly areAll: boolean
  readonly more_at: number
}

/** Reads the lanes of a queue page by page, round and round. */
export function createLaneReader({ store, clock }: Pick<WorkerDeps, 'store' | 'clock'>) {
  const lastRead = new Map<string, string | null>()
  return async ({ queue, lanes: policy }: JobHandler): Promise<LanesRead> => {
    const after = lastRead.get(queue) ?? null
    const { lanes, next } = await readLanes(store, queue, after, policy?.details)
    lastRead.set(queue, next)
    const areAll = after === null && next === null
    return { lanes, areAll, more_at: areAll ? Number.POSITIVE_INFINITY : clock.now() + nextLanesMs }
  }
}

function countByLane(jobs: readonly SlotHolder['job'][]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { lane } of jobs) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  return counts
}

/** The jobs themselves. */
export function listJobs(running: readonly RunningJob[]): readonly ScheduledJob[] {
  return running.map(({ job }) => job)
}

function listTakingSlots(queue: string, holders: readonly SlotHolder[]): readonly SlotHolder['job'][] {
  return holders.filter(({ job, takesSlot }) => takesSlot && job.queue === queue).map(({ job }) => job)
}

/**
 * A next job need not wait for the commit of the previous result, but at most as many results wait for commits as there
 * are slots.
 */
export function countFree(handler: JobHandler, holders: readonly SlotHolder[]): number {
  const slots = handler.slots(queue => listTakingSlots(queue, holders).length)
  const held = holders.filter(({ job }) => job.queue === handler.queue).length
  return Math.min(slots - listTakingSlots(handler.queue, holders).length, 2 * slots - held)
}

/** Whether there is a slot for a job that is being inserted. */
export function admitsNew(handler: JobHandler, lane: string, holders: readonly SlotHolder[]): boolean {
  const free = countFree(handler, holders)
  if (free <= 0 || handler.lanes === undefined) return free > 0
  const under_way = countByLane(listTakingSlots(handler.queue, holders))
  return handler.lanes.admits?.(lane, { under_way, free }) ?? false
}

/** Names of lanes. A queue without lanes has one, whose name is empty. */
export type Lanes = ReadonlySet<string> | 'all'

/** What is to be claimed of a queue. */
export interface QueueShares extends LaneShares {
  /** Lanes in which rows may be ready of which none is to be claimed: there is no capacity for them. */
  readonly left: Lanes
}

/** As many rows of a lane were claimed as its limit allowed: more may be ready. */
function isFilled({ lane, limit }: Portion, claimed: readonly ScheduledJob[]): boolean {
  return claimed.filter(job => job.lane === lane).length >= limit
}

/** Lanes in which rows may be ready that were not claimed, for want of capacity. */
export function findLeft({ left, portions }: QueueShares, claimed: readonly ScheduledJob[]): Lanes {
  if (left === 'all') return left
  return new Set([...left, ...portions.filter(portion => isFilled(portion, claimed)).map(({ lane }) => lane)])
}

/** Finds what of a queue is to be claimed; `read` is null for one without lanes, and where no slot is free. */
export function findShares(
  handler: JobHandler,
  read: LanesRead | null,
  holders: readonly SlotHolder[],
  now: number,
): QueueShares {
  const limit = countFree(handler, holders)
  const again_at = read?.more_at ?? Number.POSITIVE_INFINITY
  if (limit <= 0) return { portions: [], again_at, left: 'all' }
  if (read === null || handler.lanes === undefined)
    return { portions: [{ lane: '', limit }], again_at, left: new Set() }
  const { lanes } = read
  const under_way = countByLane(listTakingSlots(handler.queue, holders))
  const shares = handler.lanes.share({ lanes, under_way, free: limit })
  const { portions } = shares
  const isLeft = ({ lane, ready_at }: WaitingLane): boolean =>
    ready_at <= now && !portions.some(portion => portion.lane === lane)
  const left = read.areAll ? new Set(lanes.filter(isLeft).map(({ lane }) => lane)) : 'all'
  return { portions, again_at: Math.min(shares.again_at, again_at), left }
}
