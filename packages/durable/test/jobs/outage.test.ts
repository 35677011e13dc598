import test, { type ExecutionContext } from 'ava'
import { until } from '../../../../test/awaited.ts'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import { openWay } from '../../../../test/way.ts'
import { DurableError } from '../../errors.ts'
import { type JobResult, PostponeJob } from '../../jobs/handler.ts'
import { openStore } from '../../store/source.ts'
import { openCharts, readScheduledJobs } from '../actors/charts.ts'
import type { Rig } from '../actors/rig.ts'
import { completed, createHandlers, gate, opened, openWorkerRig, startNode, statusOf } from './rig.ts'
import { leaseMs, pollMs } from './script.ts'

/** A node whose database can be taken away. */
async function openCuttable(t: ExecutionContext, server: TestEngine) {
  const database = await server.fresh()
  if (database.address.dialect !== 'mysql') throw new Error('not a server')
  const way = await openWay(database.address)
  const store = await openStore({ ...database.address, host: '127.0.0.1', port: way.port }, 4)
  const clock = manualClock()
  const close = async (): Promise<void> => {
    await store.close()
    await way.close()
    await database.drop()
  }
  t.teardown(close)
  const rig: Rig = { ...openCharts(store, clock), store, clock, database, close }
  return { rig, way }
}

/** The database goes while a job is at its first analysis, which `first` settles; later ones approve. */
async function cutWhileAnalysed(t: ExecutionContext, server: TestEngine) {
  const { rig, way } = await openCuttable(t, server)
  const first = gate<JobResult>()
  const results = [first.promise]
  const analysis = async (): Promise<JobResult> => (await results.shift()) ?? { output: { decision: 'APPROVED' } }
  const { handlers, count } = createHandlers({ analysis })
  const { worker } = startNode(t, rig, handlers)
  const id = await completed(rig)
  await until(() => count('analysis') === 1)
  await way.cut()
  return { rig, way, worker, id, first, count }
}

for (const engine of eachDialect)
  test(`On ${engine.name} a job claimed after the stop's deadline is released undone`, async t => {
    const rig = await openWorkerRig(t, engine)
    const id = await completed(rig)
    const { handlers, count } = createHandlers()
    await startNode(t, rig, handlers).worker.stop(Promise.resolve())
    t.is(count('admission'), 0)
    t.like(await readScheduledJobs(rig.store, id), [
      { queue: 'admission', lease: null, claims: 0, ready_at: rig.clock.now() },
    ])
  })

// SQLite is in the process: nobody can cut the way to it.
for (const server of eachDialect.filter(({ name }) => name === 'MariaDB')) {
  test('While the database is away calls answer 503; when it is back, what came due meanwhile happens', async t => {
    const { rig, way } = await openCuttable(t, server)
    const { worker } = startNode(t, rig, createHandlers().handlers)
    const expiring = await opened(rig)
    const cancelled = await opened(rig)
    await worker.idle()
    await way.cut()
    for (const work of [
      rig.host.send(rig.transaction, cancelled, { type: 'CANCEL' }),
      rig.store.read({ sql: 'SELECT 1', values: [] }),
    ]) {
      const error = await t.throwsAsync<DurableError>(work, { instanceOf: DurableError })
      t.is(error?.code, 'unavailable')
    }
    await rig.clock.advance(limits.ttl_ms + 3 * pollMs, worker.idle)
    await way.repair()
    t.is(await statusOf(rig, expiring), 'CREATED', 'nothing could happen')
    await rig.clock.advance(pollMs, worker.idle)
    t.deepEqual([await statusOf(rig, expiring), await statusOf(rig, cancelled)], ['EXPIRED', 'EXPIRED'])
  })

  test('A result that the database was away for is not lost: its job is done again after the lease', async t => {
    const { rig, way, worker, id, first, count } = await cutWhileAnalysed(t, server)
    first.resolve({ output: { decision: 'REJECTED' } })
    await worker.idle()
    await way.repair()
    t.is(await statusOf(rig, id), 'PROCESSING')
    await rig.clock.advance(Math.max(leaseMs, pollMs), worker.idle)
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(count('analysis'), 2)
  })

  test('A job whose time is yet to come, when the database is away, ends no node: it is looked at again', async t => {
    const { rig, way, worker, id, first } = await cutWhileAnalysed(t, server)
    first.reject(new PostponeJob(rig.clock.now() + leaseMs))
    await worker.idle()
    await way.repair()
    await rig.clock.advance(Math.max(leaseMs, pollMs), worker.idle)
    t.is(await statusOf(rig, id), 'FINISHED')
  })
}
