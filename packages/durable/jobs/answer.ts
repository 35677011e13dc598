import type { AnyEventObject } from 'xstate'
import { timerQueue } from '../actors/rows.ts'
import { asError } from '../errors.ts'
import { readLanes } from '../store/lanes.ts'
import {
  claimJobs,
  findFirstReady,
  postponeJob,
  readReadyJobs,
  recoverHeldJobs,
  type ScheduledJob,
} from '../store/scheduled_jobs.ts'
import { listTables, type SendResult, type WorkerDeps } from './deps.ts'
import { postponeMs } from './run_job.ts'
import type { Ask, ScheduleEvent } from './schedule.ts'

/** The number of timers that are fired after one look; the rest follow after the next. */
const timerBatch = 100

/** Fires the timers whose time has come; resolves with their number. */
async function fireTimers({ store, clock, log, crashHook, around }: WorkerDeps, send: SendResult): Promise<number> {
  const timers = await readReadyJobs(store, timerQueue, clock.now(), timerBatch)
  if (timers.length > 0) crashHook?.('timer.found')
  const fire = async (timer: ScheduledJob): Promise<void> => {
    try {
      await send(timer, timer.payload as AnyEventObject)
    } catch (thrown) {
      const { actor_id, name } = timer
      log.error({ actor_id, timer: name, error: asError(thrown).message }, 'a timer was postponed')
      await postponeJob(store, timer.id, clock.now() + postponeMs)
    }
  }
  await Promise.all(timers.map(timer => around?.(timer, () => fire(timer)) ?? fire(timer)))
  return timers.length
}

/** Lanes are read page by page, round and round. If there is more than one page, the next is read after this long. */
const nextLanesMs = 25

/** Answers the schedule's questions from the database. */
export function createAnswer(deps: WorkerDeps, send: SendResult): (asked: Ask) => Promise<ScheduleEvent> {
  const { store, clock, handlers, leaseMs, pollMs, servedElsewhere = [], crashHook, defer = setImmediate } = deps
  const lastRead = new Map<string, string | null>()
  const tables = listTables(deps)
  return async asked => {
    const now = clock.now()
    switch (asked.type) {
      case 'gather':
        await new Promise<void>(resolve => defer(resolve))
        return { type: 'gathered' }
      case 'find': {
        // One statement finds the ready rows of all queues, and expired leases. Most looks find nothing, and cost only this.
        const queues = servedElsewhere.includes(timerQueue) ? asked.queues : [timerQueue, ...asked.queues]
        const { laned } = asked
        const { ready_at, filled, held_until } = await findFirstReady(store, { queues, laned, tables })
        const isTimerReady = (ready_at.get(timerQueue) ?? Number.POSITIVE_INFINITY) <= now
        const fired = isTimerReady ? await fireTimers(deps, send) : 0
        const recovered = held_until <= now ? await recoverHeldJobs(store, tables, now) : 0
        const until = Math.min(now + pollMs, held_until)
        return { type: 'found', asked, ready_at, filled, fired: fired + recovered, now, until }
      }
      case 'read': {
        const after = lastRead.get(asked.queue) ?? null
        const policy = handlers.find(({ queue }) => queue === asked.queue)?.lanes
        const { lanes, next } = await readLanes(store, asked.queue, after, policy?.details)
        lastRead.set(asked.queue, next)
        const areAll = after === null && next === null
        return { type: 'read', asked, lanes, areAll, now, until: areAll ? Number.POSITIVE_INFINITY : now + nextLanesMs }
      }
      case 'claim': {
        const jobs = await claimJobs(store, asked.queue, asked.portions, { now, leaseMs })
        if (jobs.length > 0) crashHook?.('job.claimed')
        return { type: 'claimed', asked, jobs }
      }
    }
  }
}
