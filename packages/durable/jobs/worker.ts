import { AsyncLocalStorage } from 'node:async_hooks'
import type { AnyEventObject } from 'xstate'
import type { ActorState } from '../actors/definition.ts'
import { requireJobHandlers } from '../actors/known_charts.ts'
import { timerQueue } from '../actors/rows.ts'
import { asError, DurableError } from '../errors.ts'
import { findFirstReady, maxLeaseMs, postponeJob, readReadyJobs, type ScheduledJob } from '../store/scheduled_jobs.ts'
import { createAlarm } from './alarm.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import { createJobs } from './jobs.ts'
import { postponeMs } from './run_job.ts'

/** A running worker. */
export interface Worker {
  /** Resolves when nothing is ready and nothing is under way: for tests, and for a stop that drains. */
  idle(): Promise<void>
  /** Claims nothing more, waits for running jobs until `deadline` resolves, then aborts the rest. */
  stop(deadline: Promise<void>): Promise<void>
}

/** How many timers are fired after one look; the rest after the next. */
const timerBatch = 100

function createSendResult({ host, definitions }: WorkerDeps): SendResult {
  return async (job, event, writes = []) => {
    const definition = definitions.find(({ name }) => name === job.actor_type)
    if (definition === undefined) throw new Error(`no actor definition ${job.actor_type}`)
    try {
      await host.sendResult(definition, job.actor_id, event, { fence: { job_id: job.id, lease: job.lease }, writes })
    } catch (error) {
      if (!(error instanceof DurableError) || error.code === 'unavailable') throw error
    }
  }
}

/** Fires the timers whose time has come; resolves with how many. */
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

/** A look runs outside of the async context that triggered it: its log lines must not name that request. */
function detached<T>(work: () => T): () => T {
  return AsyncLocalStorage.bind(work)
}

/** One look serves all rows that one turn of the event loop made ready: a group of commits. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function requireUsable({ definitions, handlers, servedElsewhere = [], leaseMs }: WorkerDeps): void {
  const elsewhere = servedElsewhere.filter(queue => queue !== timerQueue)
  requireJobHandlers(definitions, [...handlers.map(({ queue }) => queue), ...elsewhere])
  if (leaseMs > maxLeaseMs) throw new RangeError(`leaseMs: ${leaseMs} is more than ${maxLeaseMs}`)
}

/**
 * Fires timers, does jobs, and sends their results to their actors. One worker a process. It looks for ready rows after
 * every commit of this node that made some, at the next known instant, and at the latest after `pollMs`.
 * @throws {InvalidChartError} where a chart's job has no handler, or a handler has no job; `RangeError` for `leaseMs`
 */
export function startWorker(deps: WorkerDeps): Worker {
  const { store, host, clock, log, leaseMs, pollMs, servedElsewhere = [] } = deps
  requireUsable(deps)
  let stopping = false
  let stopped = false
  let looking: Promise<void> | null = null
  let lookAgain = false

  const serves = (queue: string): boolean => !servedElsewhere.includes(queue)
  const send = createSendResult(deps)
  const alarm = createAlarm(clock, () => look())
  const heartbeat = createAlarm(clock, () => void beat())
  const jobs = createJobs(deps, send, () => look())

  /** One statement finds the ready rows of all queues. Most looks find nothing, and cost only this. */
  const lookOnce = async (): Promise<void> => {
    const now = clock.now()
    const queues = jobs.openQueues()
    const readyAt = await findFirstReady(store, [timerQueue, ...queues].filter(serves))
    const isReady = (queue: string): boolean => (readyAt.get(queue) ?? Number.POSITIVE_INFINITY) <= now
    const fired = isReady(timerQueue) ? await fireTimers(deps, send) : 0
    const { claimed, again_at } = await jobs.claimAll({ queues, isReady })
    // More rows may be ready behind those that were taken.
    if (fired + claimed > 0) lookAgain = true
    else alarm.setAt(Math.min(...readyAt.values(), again_at, now + pollMs))
  }
  const lookUntilIdle = detached(async (): Promise<void> => {
    while (lookAgain) {
      await nextTurn()
      if (stopping) break
      lookAgain = false
      await lookOnce().catch(error => {
        log.error({ error: asError(error).message }, 'scheduled jobs could not be read')
        alarm.setAt(clock.now() + pollMs)
      })
    }
    looking = null
  })
  const look = (): void => {
    lookAgain = true
    if (!stopping) looking ??= lookUntilIdle()
  }
  const beat = async (): Promise<void> => {
    await jobs.keepLeases().catch(error => log.error({ error: asError(error).message }, 'leases could not be renewed'))
    // Also while the worker drains: no other node may take a job that can still end here.
    if (!stopped) heartbeat.setAt(clock.now() + leaseMs / 3)
  }
  const onCommit = ({ id, step }: ActorState): void => {
    // Jobs on other nodes are aborted when they renew their lease.
    if (step.done) jobs.abortJobsFor(id)
  }
  const wakeAt = (ready_at: number): void => (ready_at <= clock.now() ? look() : alarm.setAt(ready_at))
  const onWaiting = (queue: string, ready_at: number): void => (serves(queue) ? wakeAt(ready_at) : undefined)
  const idle = async (): Promise<void> => {
    while (looking !== null || jobs.count() > 0) {
      await looking
      await jobs.settled()
    }
  }

  const unsubscribe = host.subscribe(onCommit)
  const detach = host.attach({ keepSlot: jobs.keepSlot, onWaiting })
  void beat()
  look()
  return {
    idle,
    async stop(deadline) {
      stopping = true
      unsubscribe()
      detach()
      alarm.unset()
      await Promise.race([idle(), deadline])
      jobs.abortAll()
      await idle()
      stopped = true
      heartbeat.unset()
    },
  }
}
