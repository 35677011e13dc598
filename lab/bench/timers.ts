/**
 * `node lab/bench/timers.ts [PENDING [SECONDS [A SECOND]]]` measures how late timers fire. Of a million transactions
 * that were opened and started, 1,000 expire each second for 20 seconds, evenly, picked all over the table; one worker
 * fires their timers. The lag is from a timer's instant to the end of its commit. MariaDB is measured too if
 * `TEST_MYSQL_URL` names a server; its own CPU is not counted.
 */
import {
  createHost,
  type DurableClock,
  type JobHandler,
  machineClock,
  openStore,
  run,
  type Store,
  startWorker,
} from 'durable-xstate-sql'
import { untyped } from '../../packages/durable/test/actors/charts.ts'
import { createTransactionDefinition } from '../../src/verification/transactions/definition.ts'
import { createDeliveries } from '../../src/webhooks/delivery.ts'
import { eachDialect, type TestEngine } from '../../test/database.ts'
import { cpuMilliseconds, machine, percentile, table } from './measure.ts'
import { fillWithOpen } from './open_transactions.ts'

const pending = Number(process.argv[2] ?? 1_000_000)
const seconds = Number(process.argv[3] ?? 20)
const aSecond = Number(process.argv[4] ?? 1_000)
const due = seconds * aSecond
if (due > pending) throw new Error('fewer are pending than expire')
/** Time from the worker's start to the first timer. */
const leadMs = 2_000
const day = 24 * 3_600_000

function nobodyAnalyses(queue: string): JobHandler {
  return {
    queue,
    slots: () => 1,
    lanes: { share: () => ({ portions: [], again_at: Number.POSITIVE_INFINITY }) },
    handle: () => Promise.reject(new Error('no transaction comes this far')),
  }
}

/** Makes every so many-th timer due, from `dueFrom` on; resolves with the instant of each, by its actor's id. */
async function makeDue(store: Store, ringsFrom: number, dueFrom: number): Promise<ReadonlyMap<string, number>> {
  const stride = Math.floor(pending / due)
  const sql = `UPDATE scheduled_jobs SET ready_at = ROUND(? + (ready_at - ?) * ?)
    WHERE (ready_at - ?) % ? = 0 AND ready_at > ? AND ready_at <= ?`
  const values = [dueFrom, ringsFrom, 1000 / aSecond / stride, ringsFrom, stride, ringsFrom, ringsFrom + due * stride]
  await store.commit(() => run({ sql, values }))
  const select = 'SELECT actor_id, ready_at FROM scheduled_jobs WHERE ready_at <= ?'
  const rows = await store.read({ sql: select, values: [dueFrom + seconds * 1000] })
  if (rows.length !== due) throw new Error(`${rows.length} timers are due, not ${due}`)
  return new Map(rows.map(({ actor_id, ready_at }) => [String(actor_id), Number(ready_at)]))
}

/** Resolves with the lags: milliseconds between the instant of each timer and the end of its commit. */
async function fireAll(
  store: Store,
  clock: DurableClock,
  instants: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const host = createHost(store, clock)
  const definition = untyped(createTransactionDefinition(host.dialect, createDeliveries(host, [0])))
  const lags: number[] = []
  const { promise: allFired, resolve } = Promise.withResolvers<void>()
  host.subscribe(({ id }) => {
    lags.push(clock.now() - (instants.get(id) ?? Number.NaN))
    if (lags.length === due) resolve()
  })
  const handlers = ['admission', 'analysis'].map(nobodyAnalyses)
  const deps = { store, host, clock, log: console, definitions: [definition], handlers }
  const worker = startWorker({ ...deps, leaseMs: 15_000, pollMs: 1_000 })
  // The worker's own clock keeps no process alive.
  const alive = setInterval(() => {}, 1000)
  await allFired
  clearInterval(alive)
  await worker.stop(Promise.resolve())
  return lags
}

async function measure(engine: TestEngine): Promise<readonly string[]> {
  const database = await engine.fresh()
  const store = await openStore(database.address, 10)
  try {
    const dueFrom = Date.now()
    const ringsFrom = dueFrom + day
    await fillWithOpen(engine, store, pending, ringsFrom)
    const instants = await makeDue(store, ringsFrom, dueFrom)
    // The clock goes back to before the first of them is due.
    const behind = Date.now() - (dueFrom - leadMs)
    const cpu = cpuMilliseconds()
    const lags = await fireAll(store, { ...machineClock, now: () => Date.now() - behind }, instants)
    const each = ((cpuMilliseconds() - cpu) / due).toFixed(2)
    const shown = [0, 0.5, 0.99, 1].map(share => percentile(lags, share).toFixed(0))
    return [engine.name, ...shown, each]
  } finally {
    await store.close()
    await database.drop()
  }
}

console.log(`${machine()}; ${aSecond} a second for ${seconds} s, beside ${pending - due} that are not due`)
const rows = [['', 'least, ms', 'median', 'p99', 'longest', 'CPU ms each']]
for (const engine of eachDialect) rows.push([...(await measure(engine))])
console.log(`${table(rows)}\n${machine()}`)
