import type { KeptSlot } from '../actors/new_jobs.ts'
import { claimJobs } from '../store/scheduled_jobs.ts'
import { createCrowd } from './crowd.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import type { JobHandler } from './handler.ts'
import { createKeptSlots } from './kept_slots.ts'
import { createRunningJobs, type RunningJobs } from './running_jobs.ts'
import { admitsNew, countFree, createLaneReader, findLeft, findShares, type SlotHolder } from './shares.ts'

/** What a look at queues without lanes has found. */
export interface ReadyQueues {
  /** Those that were looked at. */
  readonly queues: readonly string[]
  readonly isReady: (queue: string) => boolean
}

/** The jobs of one node that are under way, and those that are about to be. */
export interface Jobs extends Pick<RunningJobs, 'keepLeases' | 'abortJobsFor' | 'abortAll'> {
  /** Claims as many jobs as there is capacity for; `again_at` is when a lane's next row may be claimed. */
  claimAll(found: ReadyQueues): Promise<{ claimed: number; again_at: number }>
  /** A slot for a job whose row is about to be committed; null where others may wait before it, or none is free. */
  keepSlot(queue: string, lane: string): KeptSlot | null
  /** Queues without lanes that have capacity: only for their rows is it worth waking up. */
  openQueues(): readonly string[]
  count(): number
  settled(): Promise<unknown>
}

/** `look` is called when an unclaimed row may be ready: a job has freed a slot, or was released. */
export function createJobs(deps: WorkerDeps, send: SendResult, look: () => void): Jobs {
  const { store, clock, handlers, leaseMs, crashHook } = deps
  /** Whether the last claim left rows for lack of capacity. True during a claim, which may miss a freed slot. */
  let leftSome = true
  /** While rows are being claimed, free slots are promised to them. */
  let claiming = false
  const crowds = new Map(handlers.map(({ queue }) => [queue, createCrowd()]))
  const onFree = (): void => (leftSome ? look() : undefined)
  const running = createRunningJobs(deps, { send, onReleased: look, onFree })
  const keptSlots = createKeptSlots()
  const readLanes = createLaneReader(deps)
  const listHolders = (): readonly SlotHolder[] => [...running.list(), ...keptSlots.list()]
  const hasSlot = (handler: JobHandler): boolean => countFree(handler, listHolders()) > 0

  const claimOf = async (handler: JobHandler) => {
    const { queue, lanes } = handler
    const settle = crowds.get(queue)?.look()
    const read = lanes !== undefined && hasSlot(handler) ? await readLanes(handler) : null
    const lease = { now: clock.now(), leaseMs }
    const shares = findShares(handler, read, listHolders(), lease.now)
    const jobs = shares.portions.length === 0 ? [] : await claimJobs(store, queue, shares.portions, lease)
    if (jobs.length > 0) crashHook?.('job.claimed')
    for (const job of jobs) running.start(handler, job)
    const left = findLeft(shares, jobs)
    settle?.(left)
    return { claimed: jobs.length, again_at: shares.again_at, leaves: left === 'all' || left.size > 0 }
  }

  return {
    ...running,
    keepSlot(queue, lane) {
      const handler = handlers.find(one => one.queue === queue)
      const crowd = crowds.get(queue)
      if (handler === undefined || crowd === undefined) return null
      if (claiming || crowd.isIn(lane) || !admitsNew(handler, lane, listHolders())) {
        crowd.join(lane)
        return null
      }
      return keptSlots.keep(
        { queue, lane },
        {
          leased_until: clock.now() + leaseMs,
          begin(job) {
            crashHook?.('job.claimed')
            running.start(handler, job)
          },
          onFree,
        },
      )
    },
    async claimAll({ queues, isReady }) {
      let claimed = 0
      let again_at = Number.POSITIVE_INFINITY
      leftSome = true
      let leaves = !handlers.every(hasSlot)
      claiming = true
      try {
        for (const handler of handlers) {
          const { queue, lanes } = handler
          if (lanes !== undefined || isReady(queue)) {
            const done = await claimOf(handler)
            claimed += done.claimed
            again_at = Math.min(again_at, done.again_at)
            leaves ||= done.leaves
          } else if (queues.includes(queue)) crowds.get(queue)?.disperse()
        }
      } finally {
        claiming = false
      }
      leftSome = leaves
      return { claimed, again_at }
    },
    openQueues: () =>
      handlers.filter(handler => handler.lanes === undefined && hasSlot(handler)).map(({ queue }) => queue),
    count: () => listHolders().length,
    settled: () => Promise.all(listHolders().map(({ done }) => done)),
  }
}
