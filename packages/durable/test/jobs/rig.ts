import type { ExecutionContext } from 'ava'
import { silentLog } from '../../../../src/base/log.ts'
import { happened } from '../../../../test/awaited.ts'
import type { ManualClock } from '../../../../test/clock.ts'
import type { TestEngine } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import type { JobHandler, JobResult } from '../../jobs/handler.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import type { ScheduledJob } from '../../store/scheduled_jobs.ts'
import { type Row, runAll, type Statement } from '../../store/statement.ts'
import { newTransaction, type OpenCharts, openCharts, rowOf } from '../actors/charts.ts'
import { openTestRig, type Rig } from '../actors/rig.ts'
import { everyLane, leaseMs, outputs, pollMs, untilComplete } from './script.ts'

/** A test's handler of a job. */
export type Act = (job: ScheduledJob, signal: AbortSignal) => Promise<JobResult>

const never = new Promise<never>(() => {})

/** An argument of `stop`: it waits without a limit for running work. */
export const noDeadline: Promise<void> = never

/** A handler for every queue; those that a test doesn't name succeed at once. `done` lists the jobs in their order. */
export function createHandlers(acts: Readonly<Record<string, Act>> = {}) {
  const done: ScheduledJob[] = []
  const handlers: readonly JobHandler[] = Object.keys(outputs).map(queue => ({
    queue,
    slots: () => 4,
    lanes: everyLane,
    async handle(job, signal) {
      done.push(job)
      happened()
      return acts[queue]?.(job, signal) ?? { output: outputs[queue] }
    },
  }))
  return { handlers, done, count: (queue: string) => done.filter(job => job.queue === queue).length }
}

/** A database with a host; workers are started on it, and stopped when the test ends. */
export async function openWorkerRig(t: ExecutionContext, engine: TestEngine): Promise<Rig> {
  return openTestRig(t, engine, happened)
}

/** Another node on the same database, with its own clock: one that is never advanced is a node that died. */
export function startNode(
  t: ExecutionContext,
  rig: Rig,
  handlers: readonly JobHandler[],
  clock: ManualClock = rig.clock,
): OpenCharts & { worker: Worker } {
  const charts = clock === rig.clock ? rig : openCharts(rig.store, clock)
  const worker = startWorker({
    store: rig.store,
    host: charts.host,
    clock,
    log: silentLog,
    definitions: [charts.transaction, charts.delivery],
    handlers: handlers,
    leaseMs,
    pollMs,
    crashHook: happened,
  })
  t.teardown(() => worker.stop(Promise.resolve()))
  return { ...charts, worker }
}

export async function opened({ host, transaction }: OpenCharts, isNotified = false, of?: string): Promise<string> {
  const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits }, isNotified, of)
  await host.create(transaction, actor)
  return actor.id
}

export async function completed(charts: OpenCharts, isNotified = false, of?: string): Promise<string> {
  const id = await opened(charts, isNotified, of)
  for (const event of untilComplete) await charts.host.send(charts.transaction, id, event)
  return id
}

export function transactionOf({ store }: Rig, id: string): Promise<Row> {
  return rowOf(store, 'transactions', id)
}

export async function statusOf(rig: Rig, id: string): Promise<unknown> {
  return (await transactionOf(rig, id)).status
}

export function write({ store }: Rig, statement: Statement): Promise<unknown> {
  return store.commit(() => runAll([statement]))
}

/** A promise that the test settles. */
export function gate<T = void>() {
  return Promise.withResolvers<T>()
}

/** Turns the clock a little, then lets the database answer, so that the clock does not outrun the leases' renewal. */
export async function turnGently(rig: Rig): Promise<void> {
  await rig.clock.advance(leaseMs / 10)
  for (let answered = 0; answered < 3; answered++)
    await write(rig, { sql: 'UPDATE scheduled_jobs SET claims = claims WHERE queue = ?', values: ['none'] })
}
