import test from 'ava'
import { until } from '../../../../test/awaited.ts'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect, sqlite } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import { DurableError } from '../../errors.ts'
import { JobError, type JobResult } from '../../jobs/handler.ts'
import { newId } from '../../random.ts'
import { journalOf, openCharts, readScheduledJobs } from '../actors/charts.ts'
import {
  completed,
  createHandlers,
  gate,
  noDeadline,
  opened,
  openWorkerRig,
  startNode,
  statusOf,
  transactionOf,
  turnGently,
  write,
} from './rig.ts'
import { leaseMs, pollMs } from './script.ts'

function contextOf(snapshot: unknown): { analysis_attempt: number; failure: string | null } {
  return JSON.parse(String(snapshot)).context
}

const cancel = { type: 'CANCEL', by: 'integrator', client_id: newId() } as const

for (const engine of eachDialect) {
  test(`On ${engine.name} a timer set by another node fires on time here`, async t => {
    const rig = await openWorkerRig(t, engine)
    const { worker } = startNode(t, rig, createHandlers().handlers)
    await worker.idle()
    const id = await opened(openCharts(rig.store, rig.clock))
    await rig.clock.advance(limits.ttl_ms - 1, worker.idle)
    t.is(await statusOf(rig, id), 'CREATED')
    await rig.clock.advance(1, worker.idle)
    t.is(await statusOf(rig, id), 'EXPIRED')
  })

  test(`On ${engine.name} more timers than one look finds all fire in the same instant`, async t => {
    const rig = await openWorkerRig(t, engine)
    const ids = await Promise.all(Array.from({ length: 230 }, () => opened(rig)))
    const { worker } = startNode(t, rig, createHandlers().handlers)
    await rig.clock.advance(limits.ttl_ms, worker.idle)
    const rows = await rig.store.read({ sql: 'SELECT status FROM transactions', values: [] })
    t.deepEqual(
      rows.map(({ status }) => status),
      ids.map(() => 'EXPIRED'),
    )
  })

  test(`On ${engine.name} a job's own writes come with its result`, async t => {
    const rig = await openWorkerRig(t, engine)
    const sql = 'INSERT INTO facts (name, value) VALUES (?, ?)'
    const analysis = async (): Promise<JobResult> => ({
      output: { decision: 'REJECTED' },
      writes: [{ sql, values: ['found', 'this'] }],
    })
    const { worker } = startNode(t, rig, createHandlers({ analysis }).handlers)
    const id = await completed(rig)
    await worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is((await rig.store.read({ sql: 'SELECT * FROM facts', values: [] })).length, 1)
    const last = (await journalOf(rig.store, id)).at(-1)
    t.deepEqual(JSON.parse(String(last?.event)), {
      type: 'xstate.done.actor.analysis',
      output: { decision: 'REJECTED' },
      actorId: 'analysis',
    })
  })

  test(`On ${engine.name} a job that fails reaches onError with its code; any other throw is INTERNAL and tried again`, async t => {
    const rig = await openWorkerRig(t, engine)
    const thrown: Error[] = [
      new JobError('CAPTURE_UNREADABLE', 'for the test'),
      new TypeError('one'),
      new TypeError('two'),
    ]
    const analysis = async (): Promise<JobResult> => {
      throw thrown.shift() ?? new Error('none left')
    }
    const { handlers, count } = createHandlers({ analysis })
    const { worker } = startNode(t, rig, handlers)
    const unreadable = await completed(rig)
    await worker.idle()
    t.is(await statusOf(rig, unreadable), 'FAILED')
    t.is(contextOf((await transactionOf(rig, unreadable)).snapshot).failure, 'CAPTURE_UNREADABLE')
    const failing = await completed(rig)
    await worker.idle()
    t.is(await statusOf(rig, failing), 'PROCESSING')
    await rig.clock.advance(limits.analysis_backoff_ms - 1, worker.idle)
    t.is(count('analysis'), 2, 'it backs off')
    await rig.clock.advance(1, worker.idle)
    t.is(count('analysis'), 3)
    t.is(await statusOf(rig, failing), 'FAILED')
    t.is(contextOf((await transactionOf(rig, failing)).snapshot).failure, 'ANALYSIS_ERROR')
    const codes = (await journalOf(rig.store, failing)).map(({ event }) => JSON.parse(String(event)).error?.code)
    t.deepEqual(
      codes.filter(code => code !== undefined),
      ['INTERNAL', 'INTERNAL'],
    )
  })

  test(`On ${engine.name} a job whose actor was ended, by its own node or by another, is aborted`, async t => {
    const rig = await openWorkerRig(t, engine)
    let aborted = 0
    const analysis = (_: unknown, signal: AbortSignal): Promise<JobResult> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error(`${++aborted}`))))
    const { handlers, count } = createHandlers({ analysis })
    const { worker } = startNode(t, rig, handlers)
    const [own, others] = [await completed(rig), await completed(rig)]
    await until(() => count('analysis') === 2)
    await rig.host.send(rig.transaction, own, cancel)
    await until(() => aborted === 1)
    await openCharts(rig.store, rig.clock).host.send(rig.transaction, others, cancel)
    await until(async () => {
      await turnGently(rig)
      return aborted === 2
    })
    await worker.idle()
    t.deepEqual([await statusOf(rig, own), await statusOf(rig, others)], ['FAILED', 'FAILED'])
  })

  test(`On ${engine.name} a dead node's job waits for a lease after the clock was put back by an hour, and a living node keeps its own`, async t => {
    const rig = await openWorkerRig(t, engine)
    const hour = 3_600_000
    const began = rig.clock.now()
    const lives = gate<JobResult>()
    const approved: JobResult = { output: { decision: 'APPROVED' } }
    const holding = createHandlers({
      analysis: async () => (holding.count('analysis') === 1 ? lives.promise : approved),
    })
    const late = gate<JobResult>()
    const dead = createHandlers({ analysis: () => late.promise })
    const left = await completed(startNode(t, rig, dead.handlers, manualClock(rig.clock.now() + hour)))
    await until(() => dead.count('analysis') === 1)
    const clock = { ...rig.clock, now: () => rig.clock.now() + aheadMs }
    let aheadMs = hour
    const holder = startNode(t, rig, holding.handlers, clock)
    const held = await completed(holder)
    await until(() => holding.count('analysis') === 1)
    aheadMs = 0
    const alive = createHandlers()
    const { worker } = startNode(t, rig, alive.handlers)
    await until(async () => {
      await turnGently(rig)
      return (await statusOf(rig, left)) === 'FINISHED'
    })
    t.true(rig.clock.now() - began < hour / 10)
    lives.resolve(approved)
    let areIdle = false
    void Promise.all([holder.worker.idle(), worker.idle()]).then(() => {
      areIdle = true
    })
    // A job that a conflict postponed waits for the clock.
    await until(async () => {
      await turnGently(rig)
      return areIdle
    })
    t.is(await statusOf(rig, held), 'FINISHED')
    t.is(holding.count('analysis') + alive.count('analysis'), 2, 'nothing is done twice')
    late.resolve(approved)
  })

  test(`On ${engine.name} a job whose workers died five times is failed without another try`, async t => {
    const rig = await openWorkerRig(t, engine)
    const admission = await completed(rig)
    const other = await completed(rig)
    const claims = 'UPDATE scheduled_jobs SET claims = ? WHERE actor_id = ?'
    await write(rig, { sql: claims, values: [5, admission] })
    await write(rig, { sql: claims, values: [4, other] })
    const { handlers, done } = createHandlers()
    const { worker } = startNode(t, rig, handlers)
    await worker.idle()
    t.is(await statusOf(rig, admission), 'FAILED')
    t.is(await statusOf(rig, other), 'FINISHED')
    t.false(done.some(({ actor_id }) => actor_id === admission))
    const last = (await journalOf(rig.store, admission)).at(-1)
    t.is(JSON.parse(String(last?.event)).error.code, 'JOB_LOST')
  })

  test(`On ${engine.name} a stop waits for running jobs, keeps their leases, and claims nothing more`, async t => {
    const rig = await openWorkerRig(t, engine)
    const result = gate<JobResult>()
    const { handlers, count } = createHandlers({ analysis: () => result.promise })
    const { worker } = startNode(t, rig, handlers)
    const id = await completed(rig)
    await until(() => count('analysis') === 1)
    let hasStopped = false
    const stop = worker.stop(noDeadline).then(() => {
      hasStopped = true
    })
    const waiting = await completed(rig)
    const began = rig.clock.now()
    await until(async () => {
      await turnGently(rig)
      const row = (await readScheduledJobs(rig.store, id)).find(({ queue }) => queue === 'analysis')
      return Number(row?.ready_at) > began + 3 * leaseMs
    })
    t.false(hasStopped)
    result.resolve({ output: { decision: 'APPROVED' } })
    await stop
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(await statusOf(rig, waiting), 'COMPLETED')
    await rig.clock.advance(limits.ttl_ms * 2)
    t.deepEqual([count('admission'), count('analysis')], [1, 1], 'a stopped worker does nothing')
  })

  test(`On ${engine.name} a stop whose deadline passes aborts running jobs and releases them at once`, async t => {
    const rig = await openWorkerRig(t, engine)
    const analysis = (_: unknown, signal: AbortSignal): Promise<JobResult> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const { handlers, count } = createHandlers({ analysis })
    const { worker } = startNode(t, rig, handlers)
    const id = await completed(rig)
    await until(() => count('analysis') === 1)
    await worker.stop(Promise.resolve())
    t.is(await statusOf(rig, id), 'PROCESSING')
    const row = (await readScheduledJobs(rig.store, id)).find(({ queue }) => queue === 'analysis')
    t.like(row, { lease: null, claims: 0, ready_at: rig.clock.now() })
    const next = startNode(t, rig, createHandlers().handlers)
    await next.worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
  })

  test(`On ${engine.name} an actor that this build can't step is postponed, and delays no other`, async t => {
    const rig = await openWorkerRig(t, engine)
    const foreign = await opened(rig)
    const ours = await opened(rig)
    await write(rig, { sql: 'UPDATE transactions SET chart_version = 9 WHERE id = ?', values: [foreign] })
    const { worker } = startNode(t, rig, createHandlers().handlers)
    await rig.clock.advance(limits.ttl_ms, worker.idle)
    t.deepEqual([await statusOf(rig, foreign), await statusOf(rig, ours)], ['CREATED', 'EXPIRED'])
    const [row] = await readScheduledJobs(rig.store, foreign)
    t.true(Number(row?.ready_at) > rig.clock.now(), 'it does not spin')
    await write(rig, { sql: 'UPDATE transactions SET chart_version = 1 WHERE id = ?', values: [foreign] })
    await rig.clock.advance(pollMs, worker.idle)
    t.is(await statusOf(rig, foreign), 'EXPIRED')
  })
}

test('An error other than unavailable is the job’s own failure', async t => {
  const rig = await openWorkerRig(t, sqlite)
  const admission = async (): Promise<JobResult> => {
    throw new DurableError('not_allowed_in_state', 'for the test')
  }
  const { worker } = startNode(t, rig, createHandlers({ admission }).handlers)
  const id = await completed(rig)
  await worker.idle()
  t.is(await statusOf(rig, id), 'FAILED')
})
