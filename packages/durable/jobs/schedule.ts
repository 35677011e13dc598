import type { WaitingLane } from '../store/lanes.ts'
import type { Portion, ScheduledJob } from '../store/scheduled_jobs.ts'
import { type JobHandler, leavesSlotWhenHandled } from './handler.ts'

/** Names of lanes. A queue without lanes has one, whose name is empty. */
type Lanes = ReadonlySet<string> | 'all'

interface Queue {
  /** Says how many slots there are now, and how lanes share them. */
  readonly handler: Pick<JobHandler, 'queue' | 'slots' | 'lanes'>
  /** Jobs that take a slot, by lane, from before the commit of their row. */
  readonly under_way: ReadonlyMap<string, number>
  /** Jobs that have left their slot, and whose results wait for their commits. */
  readonly handled: number
  /** Lanes in which the last look may have left ready rows; 'all' if no look succeeded. */
  readonly left: Lanes
  /** Lanes of rows that were committed here since, which the look may have missed. */
  readonly came: ReadonlySet<string>
}

/** A question to the database. Its answer is the next event, except for events that come by themselves. */
export type Ask =
  /** Wait for the end of this turn: one look serves all rows that it makes ready, a group of commits. */
  | { readonly type: 'gather' }
  /** Fire the due timers, and find when the first row of each queue is ready, and which queues with lanes have rows. */
  | { readonly type: 'find'; readonly queues: readonly string[]; readonly laned: readonly string[] }
  /** Read the lanes in which rows wait. */
  | { readonly type: 'read'; readonly queue: string }
  /** `left` are lanes with ready rows of which none is claimed. */
  | { readonly type: 'claim'; readonly queue: string; readonly portions: readonly Portion[]; readonly left: Lanes }

type Asked<T extends Ask['type']> = Extract<Ask, { type: T }>

/** The next thing to do: to ask, to keep a slot for the job that was offered, or to wake up at an instant. */
export type Action = Ask | { readonly type: 'keep' } | { readonly type: 'sleep'; readonly until: number }

type JobEvent<T extends string> = { readonly type: T } & Pick<ScheduledJob, 'queue' | 'lane'>

export type ScheduleEvent =
  /** Rows may be ready: the node starts, an instant has come, or a job was released. */
  | { readonly type: 'wake' | 'gathered' | 'stopped' }
  /** A job is being inserted, in the commit that ends one of the queue `ending`. */
  | (JobEvent<'offered'> & { readonly ending: string | null })
  /** A ready row that no worker has claimed was committed here. */
  | JobEvent<'waits'>
  /** A job leaves its slot before it ends. */
  | JobEvent<'handled'>
  /** It is sent even if the row of a kept slot is not committed. */
  | (JobEvent<'ended'> & { readonly isHandled: boolean })
  | ({ readonly type: 'found'; readonly asked: Asked<'find'> } & {
      readonly fired: number
      readonly ready_at: ReadonlyMap<string, number>
      readonly filled: ReadonlySet<string>
      readonly now: number
      /** The next look begins at this instant at the latest. */
      readonly until: number
    })
  | ({ readonly type: 'read'; readonly asked: Asked<'read'> } & {
      readonly lanes: readonly WaitingLane[]
      readonly areAll: boolean
      readonly now: number
      /** The next lanes are read at this instant. */
      readonly until: number
    })
  | { readonly type: 'claimed'; readonly asked: Asked<'claim'>; readonly jobs: readonly ScheduledJob[] }
  | { readonly type: 'failed'; readonly until: number }

export interface Schedule {
  readonly queues: ReadonlyMap<string, Queue>
  readonly asked: Ask['type'] | null
  /** Whether to look once more after this look. */
  readonly again: boolean
  /** The queues that this look has yet to claim from. */
  readonly due: readonly string[]
  /** The next look begins at this instant, if nothing happens before. */
  readonly until: number
  readonly stopped: boolean
}

type Step = readonly [Schedule, Action | null]

const none: ReadonlySet<string> = new Set()

/**
 * A row that is ready and was not claimed is locked by another transaction, perhaps of a node that died: it is sought again
 * after this long. At once would be a loop for as long as the lock is held.
 */
const lockedMs = 25

export function createSchedule(handlers: readonly Queue['handler'][]): Schedule {
  const fresh = { under_way: new Map<string, number>(), handled: 0, left: 'all', came: none } as const
  const queues = new Map(handlers.map(handler => [handler.queue, { handler, ...fresh }]))
  return { queues, asked: null, again: false, due: [], until: 0, stopped: false }
}

/** Changes one queue. Timers, and queues that only other nodes serve, are not in the schedule. */
function changeQueue(schedule: Schedule, name: string, change: (queue: Queue) => Partial<Queue>): Schedule {
  const queue = schedule.queues.get(name)
  if (queue === undefined) return schedule
  return { ...schedule, queues: new Map(schedule.queues).set(name, { ...queue, ...change(queue) }) }
}

function changeQueues(schedule: Schedule, change: (queue: Queue) => Partial<Queue>): Schedule {
  return [...schedule.queues.keys()].reduce((changed, name) => changeQueue(changed, name, change), schedule)
}

function addJobs({ under_way }: Queue, lanes: readonly string[], by: 1 | -1): Pick<Queue, 'under_way'> {
  const counts = new Map(under_way)
  for (const lane of lanes) counts.set(lane, (counts.get(lane) ?? 0) + by)
  return { under_way: new Map([...counts].filter(([, jobs]) => jobs > 0)) }
}

function countJobs(queue: Queue | undefined): number {
  return [...(queue?.under_way.values() ?? [])].reduce((sum, jobs) => sum + jobs, 0)
}

/**
 * Counts free slots. Uncommitted results are capped at the number of slots: beyond that, the next job waits for a
 * commit.
 */
function countFree({ queues }: Schedule, queue: Queue, ending: string | null = null): number {
  const count = (name: string): number => {
    const one = queues.get(name)
    const passesOn = name === ending && one !== undefined && !leavesSlotWhenHandled(one.handler)
    return countJobs(one) - (passesOn ? 1 : 0)
  }
  const slots = queue.handler.slots(count)
  return slots - count(queue.handler.queue) - Math.max(0, queue.handled - slots)
}

/** Whether a job that is being inserted may begin at once: no row waits before it, and no free slot is promised. */
function admits(schedule: Schedule, { queue: name, lane, ending }: ScheduleEvent & { type: 'offered' }): boolean {
  const queue = schedule.queues.get(name)
  if (queue === undefined || schedule.stopped || schedule.asked === 'read' || schedule.asked === 'claim') return false
  const { handler, under_way, left, came } = queue
  const free = countFree(schedule, queue, ending)
  if (left === 'all' || left.has(lane) || came.has(lane) || free <= 0) return false
  return handler.lanes === undefined || (handler.lanes.admits?.(lane, { under_way, free }) ?? false)
}

function ask(schedule: Schedule, next: Ask): Step {
  return [{ ...schedule, asked: next.type }, next]
}

function look(schedule: Schedule): Step {
  if (schedule.stopped) return [schedule, null]
  return schedule.asked === null ? ask(schedule, { type: 'gather' }) : [{ ...schedule, again: true }, null]
}

/** A slot is free again: that matters where a row may wait for one. */
function lookForLeft(schedule: Schedule): Step {
  const isLeft = [...schedule.queues.values()].some(({ left }) => left === 'all' || left.size > 0)
  return isLeft ? look(schedule) : [schedule, null]
}

/** Only rows of queues with capacity are looked for: the others' when a slot is free. */
function find(schedule: Schedule): Step {
  const open = [...schedule.queues.values()].filter(queue => countFree(schedule, queue) > 0)
  const finding = changeQueues(schedule, ({ handler, left, came }) => {
    const isOpen = open.some(queue => queue.handler === handler)
    return { left: left !== 'all' && isOpen ? new Set([...left, ...came]) : 'all', came: none }
  })
  const namesOf = (hasLanes: boolean): readonly string[] =>
    open.flatMap(({ handler: { queue, lanes } }) => ((lanes !== undefined) === hasLanes ? [queue] : []))
  return ask({ ...finding, again: false }, { type: 'find', queues: namesOf(false), laned: namesOf(true) })
}

function claimFound(
  schedule: Schedule,
  { asked, fired, ready_at, filled, now, until }: ScheduleEvent & { type: 'found' },
): Step {
  const isReady = (queue: string): boolean =>
    filled.has(queue) || (ready_at.get(queue) ?? Number.POSITIVE_INFINITY) <= now
  const isEmpty = (queue: string): boolean => [...asked.queues, ...asked.laned].includes(queue) && !isReady(queue)
  const found = changeQueues(schedule, ({ handler }) => (isEmpty(handler.queue) ? { left: none } : {}))
  return claimNext({
    ...found,
    // More timers may be due behind those that were fired.
    again: found.again || fired > 0,
    due: [...found.queues.keys()].filter(isReady),
    until: Math.min(until, ...[...ready_at.values()].map(at => (at > now ? at : now + lockedMs))),
  })
}

/** Goes on to the next queue, or ends the look. */
function claimNext({ due: [name = '', ...due], ...schedule }: Schedule): Step {
  const queue = schedule.queues.get(name)
  if (queue === undefined || schedule.stopped) {
    const ended = { ...schedule, due: [], asked: null }
    return schedule.stopped || schedule.again ? look(ended) : [ended, { type: 'sleep', until: schedule.until }]
  }
  const next = changeQueue({ ...schedule, due }, name, () => ({ left: 'all', came: none }))
  const limit = countFree(next, queue)
  if (limit <= 0) return claimNext(next)
  if (queue.handler.lanes !== undefined) return ask(next, { type: 'read', queue: name })
  return ask(next, { type: 'claim', queue: name, portions: [{ lane: '', limit }], left: none })
}

function claimShares(schedule: Schedule, { asked, lanes, areAll, now, until }: ScheduleEvent & { type: 'read' }): Step {
  const queue = schedule.queues.get(asked.queue)
  const free = queue === undefined || schedule.stopped ? 0 : countFree(schedule, queue)
  if (queue?.handler.lanes === undefined || free <= 0) return claimNext(schedule)
  const { portions, again_at } = queue.handler.lanes.share({ lanes, under_way: queue.under_way, free })
  const isLeft = (lane: string): boolean => !portions.some(portion => portion.lane === lane)
  const ready = lanes.filter(({ ready_at }) => ready_at <= now).map(({ lane }) => lane)
  const left = areAll ? new Set(ready.filter(isLeft)) : 'all'
  const next = { ...schedule, until: Math.min(schedule.until, again_at, until) }
  const claim = { type: 'claim', queue: asked.queue, portions, left } as const
  return portions.length > 0 ? ask(next, claim) : endClaim(next, claim, [])
}

/** A lane that gave as many rows as its limit allowed may have more that are ready. */
function endClaim(schedule: Schedule, { queue, portions, left }: Asked<'claim'>, jobs: readonly ScheduledJob[]): Step {
  const lanes = jobs.map(({ lane }) => lane)
  const filled = portions.filter(({ lane, limit }) => lanes.filter(one => one === lane).length >= limit)
  const rest = left === 'all' ? left : new Set([...left, ...filled.map(({ lane }) => lane)])
  const begun = changeQueue(schedule, queue, one => ({ ...addJobs(one, lanes, 1), left: rest }))
  return claimNext({ ...begun, again: schedule.again || jobs.length > 0 })
}

/**
 * Decides when a node looks for rows, and which jobs begin. The invariant: jobs never take more slots than there are, and
 * while nothing is asked, a ready row that was there when the last look began, or was committed here since, waits only for
 * a slot or its lane's share, and the next slot that is freed asks again.
 */
export function reduce(schedule: Schedule, event: ScheduleEvent): Step {
  switch (event.type) {
    case 'wake':
      return look(schedule)
    case 'waits':
      return look(changeQueue(schedule, event.queue, ({ came }) => ({ came: new Set([...came, event.lane]) })))
    case 'offered':
      if (!admits(schedule, event)) return [schedule, null]
      return [changeQueue(schedule, event.queue, queue => addJobs(queue, [event.lane], 1)), { type: 'keep' }]
    case 'handled':
      return lookForLeft(
        changeQueue(schedule, event.queue, one => ({ ...addJobs(one, [event.lane], -1), handled: one.handled + 1 })),
      )
    case 'ended':
      return lookForLeft(
        changeQueue(schedule, event.queue, one =>
          event.isHandled ? { handled: one.handled - 1 } : addJobs(one, [event.lane], -1),
        ),
      )
    case 'gathered':
      return schedule.stopped ? claimNext(schedule) : find(schedule)
    case 'found':
      return claimFound(schedule, event)
    case 'read':
      return claimShares(schedule, event)
    case 'claimed':
      return endClaim(schedule, event.asked, event.jobs)
    case 'failed':
      return claimNext({ ...changeQueues(schedule, () => ({ left: 'all' })), due: [], until: event.until })
    case 'stopped':
      return [{ ...schedule, stopped: true }, null]
  }
}

/** Whether nothing is asked, and no job is under way. */
export function isIdle({ asked, queues }: Schedule): boolean {
  return asked === null && [...queues.values()].every(queue => countJobs(queue) + queue.handled === 0)
}
