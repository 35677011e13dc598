import type { AnyEventObject } from 'xstate'
import { ApiError, asError } from '../../base/api_error.ts'
import type { ActorState } from '../actors/definition.ts'
import { requireJobHandlers } from '../actors/known_charts.ts'
import { timerQueue } from '../actors/rows.ts'
import { firstReady, postpone, type ScheduledJob, selectReadyJobs } from '../store/scheduled_jobs.ts'
import { createAlarm } from './alarm.ts'
import type { SendResult, WorkerDeps } from './deps.ts'
import { createJobs, postpone_ms } from './jobs.ts'

/** A running worker. */
export interface Worker {
  /** Resolves when nothing is ready and nothing is under way: for tests, and for a stop that drains. */
  idle(): Promise<void>
  /** Claims nothing more, waits for what is under way until `deadline` resolves, then aborts the rest. */
  stop(deadline: Promise<void>): Promise<void>
}

/** Timers fired in one look; more are fired in the next. */
const timer_batch = 100

const createTell =
  ({ host, kinds }: WorkerDeps): SendResult =>
  async (row, event, writes = []) => {
    const kind = kinds.find(({ name }) => name === row.actor_type)
    if (kind === undefined) throw new Error(`no actor definition ${row.actor_type}`)
    try {
      await host.sendResult(kind, row.actor_id, event, { fence: { due_id: row.id, lease: row.lease }, writes })
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 'not_allowed_in_state' || error.code === 'not_found')))
        throw error
    }
  }

/** Fires what is due; resolves with how many. */
const fireTimers = async ({ store, clock, log, crashHook: reach }: WorkerDeps, tell: SendResult): Promise<number> => {
  const due = await selectReadyJobs(store, timerQueue, clock.now(), timer_batch)
  if (due.length > 0) reach('timer.found')
  const fire = async (row: ScheduledJob): Promise<void> => {
    try {
      await tell(row, row.payload as AnyEventObject)
    } catch (thrown) {
      log.error({ actor_id: row.actor_id, timer: row.name, error: asError(thrown).message }, 'a timer was put off')
      await postpone(store, row.id, clock.now() + postpone_ms)
    }
  }
  await Promise.all(due.map(fire))
  return due.length
}

/**
 * Looks for due rows, acts, and tells their actors. One claimer a process. A look follows every commit of this node
 * that made something due, the next known instant, and at the latest `poll_ms`.
 * @throws {InvalidChartError} where a chart's job has no handlers, or handlers have no job
 */
export const startWorker = (deps: WorkerDeps): Worker => {
  const { store, host, clock, log, kinds, lease_ms, poll_ms } = deps
  requireJobHandlers(kinds, deps.handlers)
  let stopping = false
  let stopped = false
  let looking: Promise<void> | null = null
  let look_again = false

  const tell = createTell(deps)
  const alarm = createAlarm(clock, () => look())
  const heartbeat = createAlarm(clock, () => void beat())
  const jobs = createJobs(deps, tell, () => look())

  /** One statement tells what is ready anywhere: most looks find nothing, and cost no more. */
  const lookOnce = async (): Promise<void> => {
    const now = clock.now()
    const ready_at = await firstReady(store, [timerQueue, ...jobs.openQueues()])
    const mayBeReady = (queue: string): boolean => (ready_at.get(queue) ?? Number.POSITIVE_INFINITY) <= now
    const fired = mayBeReady(timerQueue) ? await fireTimers(deps, tell) : 0
    const { claimed, again_at } = await jobs.claimAll(mayBeReady)
    // What was taken stood before what comes next.
    if (fired + claimed > 0) look_again = true
    else alarm.setAt(Math.min(...ready_at.values(), again_at, now + poll_ms))
  }
  const lookUntilCalm = async (): Promise<void> => {
    while (look_again && !stopping) {
      look_again = false
      await lookOnce().catch(error => {
        log.error({ error: asError(error).message }, 'due work could not be read')
        alarm.setAt(clock.now() + poll_ms)
      })
    }
    looking = null
  }
  const look = (): void => {
    look_again = true
    if (!stopping) looking ??= lookUntilCalm()
  }
  const beat = async (): Promise<void> => {
    await jobs.keepLeases().catch(error => log.error({ error: asError(error).message }, 'leases could not be renewed'))
    // While it drains too: a job that is let end must not be another's meanwhile.
    if (!stopped) heartbeat.setAt(clock.now() + lease_ms / 3)
  }
  const writes = (kind: string, action: string): boolean =>
    kinds.some(({ name, actions }) => name === kind && Object.hasOwn(actions, action))
  const onCommit = ({ kind, id, step }: ActorState): void => {
    // Another node's jobs hear of it when they renew their lease.
    if (step.done) jobs.callOff(id)
    for (const effect of step.effects) {
      if (effect.type === 'timer') alarm.setAt(clock.now() + effect.delay_ms)
      // An action that writes may have made deliveries, which are due at once.
      else if (effect.type === 'job' || writes(kind, effect.name)) look()
    }
  }
  const idle = async (): Promise<void> => {
    while (looking !== null || jobs.count() > 0) {
      await looking
      await jobs.settled()
    }
  }

  const unsubscribe = host.subscribe(onCommit)
  void beat()
  look()
  return {
    idle,
    async stop(deadline) {
      stopping = true
      unsubscribe()
      alarm.off()
      await Promise.race([idle(), deadline])
      jobs.abortAll()
      await idle()
      stopped = true
      heartbeat.off()
    },
  }
}
