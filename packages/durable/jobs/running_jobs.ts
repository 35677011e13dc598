import { AsyncLocalStorage } from 'node:async_hooks'
import { asError } from '../errors.ts'
import { renewLeases, type ScheduledJob, shortenLeases } from '../store/scheduled_jobs.ts'
import { listTables, type SendResult, type WorkerDeps } from './deps.ts'
import { type JobHandler, leavesSlotWhenHandled } from './handler.ts'
import { describeJob, handleJob, releaseJob, type StartedJob } from './run_job.ts'
import type { ScheduleEvent } from './schedule.ts'

/** The jobs of one node that are under way. */
export interface RunningJobs {
  start(handler: JobHandler, job: ScheduledJob): void
  /** Renews the leases. A job whose row is gone is no longer wanted, and is aborted. */
  keepLeases(): Promise<void>
  /** Aborts the jobs of an actor that has ended: their results would be rejected. */
  abortJobsFor(actor_id: string): void
  /** Those that are started later too: a claim may be under way. */
  abortAll(): void
}

export function createRunningJobs(
  deps: WorkerDeps,
  send: SendResult,
  dispatch: (event: ScheduleEvent) => void,
): RunningJobs {
  const { store, clock, log, leaseMs, crashHook } = deps
  // A set, not a map by id: a node that was suspended beyond a lease may claim a job that it is still doing.
  const running = new Set<StartedJob>()
  let allAborted = false

  const run = async (handler: JobHandler, { job, abort }: StartedJob, onHandled: () => void): Promise<void> => {
    const about = describeJob(job)
    try {
      const { event, added } = await handleJob(handler, job, abort.signal)
      onHandled()
      crashHook?.('job.handled')
      if ('error' in event) log.warn({ ...about, error: event.error }, 'a job failed')
      await send(job, event, added)
      crashHook?.('job.sent')
    } catch (thrown) {
      await releaseJob(deps, { job, abort }, thrown).catch(error =>
        log.error({ ...about, error: asError(error).message }, 'a job could not be released'),
      )
      dispatch({ type: 'wake' })
    }
  }

  const start = (handler: JobHandler, job: ScheduledJob): void => {
    const { queue, lane } = job
    const started = { job, abort: new AbortController() }
    if (allAborted) started.abort.abort()
    running.add(started)
    let isHandled = false
    const onHandled = (): void => {
      if (!leavesSlotWhenHandled(handler)) return
      isHandled = true
      dispatch({ type: 'handled', queue, lane })
    }
    const work = (): Promise<void> => run(handler, started, onHandled)
    void (deps.around?.(job, work) ?? work()).finally(() => {
      running.delete(started)
      dispatch({ type: 'ended', queue, lane, isHandled })
    })
  }

  return {
    // The job runs outside of the context that made its row, such as a request: no line of the log may name that.
    start: AsyncLocalStorage.bind(start),
    async keepLeases() {
      const held = [...running]
      const kept = await renewLeases(
        store,
        held.map(({ job }) => job),
        clock.now() + leaseMs,
      )
      for (const { job, abort } of held) if (!kept.has(job)) abort.abort()
      await shortenLeases(store, listTables(deps), clock.now(), leaseMs)
    },
    abortJobsFor(actor_id) {
      for (const { job, abort } of running) if (job.actor_id === actor_id) abort.abort()
    },
    abortAll() {
      allAborted = true
      for (const { abort } of running) abort.abort()
    },
  }
}
