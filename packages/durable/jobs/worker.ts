import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActorState, SendOptions } from '../actors/definition.ts'
import { requireJobHandlers } from '../actors/known_charts.ts'
import type { JobTaker } from '../actors/new_jobs.ts'
import { timerQueue } from '../actors/rows.ts'
import type { DurableClock } from '../clock.ts'
import { asError, DurableError } from '../errors.ts'
import { newId } from '../random.ts'
import { maxLeaseMs, type ScheduledJob } from '../store/scheduled_jobs.ts'
import { createAnswer } from './answer.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import { createRunningJobs } from './running_jobs.ts'
import { type Action, type Ask, createSchedule, isIdle, reduce, type ScheduleEvent } from './schedule.ts'

/** Calls `ring` at the earliest of the instants that it was set to, and is then unset. */
interface Alarm {
  setAt(at: number): void
  unset(): void
}

/** An alarm that is not set yet. */
function createAlarm(clock: DurableClock, ring: () => void): Alarm {
  let ringsAt = Number.POSITIVE_INFINITY
  let cancel = (): void => {}
  const unset = (): void => {
    cancel()
    ringsAt = Number.POSITIVE_INFINITY
  }
  return {
    unset,
    setAt(at) {
      if (at >= ringsAt) return
      unset()
      ringsAt = at
      cancel = clock.setTimer(Math.max(0, at - clock.now()), () => {
        ringsAt = Number.POSITIVE_INFINITY
        ring()
      })
    },
  }
}

/** A running worker. */
export interface Worker {
  /** Resolves when nothing is ready and nothing is under way: for tests, and for a stop that drains. */
  idle(): Promise<void>
  /** Claims nothing more, waits for running jobs until `deadline` resolves, then aborts the rest. */
  stop(deadline: Promise<void>): Promise<void>
}

function createSendResult({ host, definitions }: WorkerDeps): SendResult {
  return async (job, event, { writes, columns } = {}) => {
    const { held } = job
    const definition = definitions.find(({ name }) => name === job.actor_type)
    if (definition === undefined) throw new Error(`no actor definition ${job.actor_type}`)
    try {
      await host.sendResult(definition, job.actor_id, event, {
        fence: { job_id: job.id, lease: job.lease, held: held?.text ?? null, queue: job.queue },
        // This node's last write of the row, which seldom has changed since.
        ...(held && { known: held.row as SendOptions['known'] & object }),
        ...(writes && { writes }),
        ...(columns && { columns }),
      })
    } catch (error) {
      if (!(error instanceof DurableError) || error.code === 'unavailable') throw error
    }
  }
}

function requireUsable({ definitions, handlers, servedElsewhere = [], leaseMs }: WorkerDeps): void {
  const elsewhere = servedElsewhere.filter(queue => queue !== timerQueue)
  const withoutLanes = handlers.filter(({ lanes }) => lanes === undefined).map(({ queue }) => queue)
  requireJobHandlers(definitions, [...handlers.map(({ queue }) => queue), ...elsewhere], withoutLanes)
  if (leaseMs > maxLeaseMs) throw new RangeError(`leaseMs: ${leaseMs} is more than ${maxLeaseMs}`)
}

/**
 * Fires timers, does jobs, and sends their results to their actors. One worker a process. It looks for ready rows after
 * every commit of this node that made some, at the next known instant, and at the latest after `pollMs`.
 * @throws {InvalidChartError} where a chart's job has no handler, or a handler has no job; `RangeError` for `leaseMs`
 */
export function startWorker(deps: WorkerDeps): Worker {
  const { host, clock, log, handlers, leaseMs, pollMs, servedElsewhere = [], crashHook } = deps
  requireUsable(deps)
  let schedule = createSchedule(handlers)
  let stopped = false
  const idling: (() => void)[] = []

  const send = createSendResult(deps)
  const answer = createAnswer(deps, send)
  const alarm = createAlarm(clock, () => dispatch({ type: 'wake' }))
  const heartbeat = createAlarm(clock, () => void beat())
  const running = createRunningJobs(deps, send, event => dispatch(event))

  const begin = (job: ScheduledJob): void => {
    const handler = handlers.find(({ queue }) => queue === job.queue)
    if (handler !== undefined) running.start(handler, job)
  }
  const dispatch = (event: ScheduleEvent): Action | null => {
    const [next, action] = reduce(schedule, event)
    schedule = next
    if (event.type === 'claimed') for (const job of event.jobs) begin(job)
    if (action?.type === 'sleep') alarm.setAt(action.until)
    else if (action !== null && action.type !== 'keep') void ask(action)
    if (isIdle(schedule)) for (const resolve of idling.splice(0)) resolve()
    return action
  }
  // Outside of the async context that woke it: its log lines must not name that request.
  const ask = AsyncLocalStorage.bind(async (asked: Ask): Promise<void> => {
    try {
      dispatch(await answer(asked))
    } catch (error) {
      log.error({ error: asError(error).message }, 'scheduled jobs could not be read')
      dispatch({ type: 'failed', until: clock.now() + pollMs })
    }
  })
  const idle = (): Promise<void> => new Promise(resolve => (isIdle(schedule) ? resolve() : idling.push(resolve)))
  const beat = async (): Promise<void> => {
    await running
      .keepLeases()
      .catch(error => log.error({ error: asError(error).message }, 'leases could not be renewed'))
    // Leases are renewed while the worker drains, too: no other node may take a job that can still end here.
    if (!stopped) heartbeat.setAt(clock.now() + leaseMs / 3)
  }
  const onCommit = ({ id, step }: ActorState): void => {
    // Jobs on other nodes are aborted when they renew their lease.
    if (step.done) running.abortJobsFor(id)
  }
  const taker: JobTaker = {
    keepSlot(queue, lane, ending) {
      if (dispatch({ type: 'offered', queue, lane, ending })?.type !== 'keep') return null
      return {
        lease: newId(),
        leased_until: clock.now() + leaseMs,
        begin(job) {
          crashHook?.('job.claimed')
          begin(job)
        },
        release: () => void dispatch({ type: 'ended', queue, lane, isHandled: false }),
      }
    },
    onWaiting(queue, lane, ready_at) {
      if (servedElsewhere.includes(queue)) return
      if (ready_at <= clock.now()) dispatch({ type: 'waits', queue, lane })
      else alarm.setAt(ready_at)
    },
  }

  const unsubscribe = host.subscribe(onCommit)
  const detach = host.attach(taker)
  void beat()
  dispatch({ type: 'wake' })
  return {
    idle,
    async stop(deadline) {
      dispatch({ type: 'stopped' })
      unsubscribe()
      detach()
      alarm.unset()
      await Promise.race([idle(), deadline])
      running.abortAll()
      await idle()
      stopped = true
      heartbeat.unset()
    },
  }
}
