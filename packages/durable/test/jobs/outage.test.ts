import test, { type ExecutionContext } from 'ava'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import { openWay } from '../../../../test/way.ts'
import { DurableError } from '../../errors.ts'
import { openStore } from '../../store/source.ts'
import { openCharts, readScheduledJobs } from '../actors/charts.ts'
import type { Rig } from '../actors/rig.ts'
import { completed, createHandlers, opened, openWorkerRig, startNode, statusOf } from './rig.ts'
import { pollMs } from './script.ts'

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
  test('Calls answer 503 while the database is away; when it is back, the timers that became due meanwhile fire', async t => {
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
}
