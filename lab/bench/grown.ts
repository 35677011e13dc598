/**
 * `node lab/bench/grown.ts [TRANSACTIONS [ROUNDS]]` measures what an event costs among many open transactions. It fills
 * a database with a million copies of one that was opened and started, each with its journal and its timer, and sends
 * the events of a capture to some of them: picked at random, and the latest. An almost empty database is measured in
 * turns with it. MariaDB is used if `TEST_MYSQL_URL` names a server: the CPU is without the server's own, which shows
 * in the time by the clock. `DATABASE_CACHE_MB` is SQLite's cache, as the service's.
 */

import { createHost, openStore, type Store } from 'durable-xstate-sql'
import { untyped } from '../../packages/durable/test/actors/charts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createTransactionDefinition } from '../../src/verification/transactions/definition.ts'
import { createDeliveries } from '../../src/webhooks/delivery.ts'
import { eachDialect, type TestEngine } from '../../test/database.ts'
import { cpuMilliseconds, machine, median, spread, table } from './measure.ts'
import { eventOf, fillWithOpen, idOf } from './open_transactions.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 5)
const cacheMb = Number(process.env.DATABASE_CACHE_MB ?? 64)
const few = 1_000
const atOnce = 16

const sent = ['SIGNALS', 'FRONT_CAPTURED', 'SELFIE_CAPTURED'].map(eventOf)

async function openDatabase(engine: TestEngine, many: number) {
  const database = await engine.fresh()
  const store = await openStore(database.address, 10, { cacheMb })
  await fillWithOpen(engine, store, many)
  const close = async (): Promise<void> => {
    await store.close()
    await database.drop()
  }
  return { store, close }
}

/** Sends each its events, one event to all of them before the next. */
async function sendAll(store: Store, ids: readonly string[]): Promise<number> {
  const host = createHost(store, systemClock)
  const definition = untyped(createTransactionDefinition(host.dialect, createDeliveries(host, [0])))
  for (const event of sent) {
    const left = ids.values()
    const one = async (): Promise<void> => {
      for (const id of left) await host.send(definition, id, event)
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }
  return sent.length * ids.length
}

async function readAll(store: Store, ids: readonly string[]): Promise<number> {
  const sql = 'SELECT status, config, result, created_at FROM transactions WHERE id = ?'
  for (const id of ids)
    if ((await store.read({ sql, values: [id] })).length !== 1) throw new Error(`${id} is not there`)
  return ids.length
}

/** Microseconds of one event or read. */
interface Figure {
  readonly cpu: number
  readonly clock: number
}

async function timeEach(work: () => Promise<number>): Promise<Figure> {
  const cpu = cpuMilliseconds()
  const clock = performance.now()
  const done = await work()
  const each = (ms: number): number => (ms / done) * 1000
  return { cpu: each(cpuMilliseconds() - cpu), clock: each(performance.now() - clock) }
}

function describe(figures: ReadonlyMap<string, readonly Figure[]>): string {
  const rows = [...figures].map(([name, values]) => {
    const base = figures.get(`${name.split(',')[0]}, almost empty`) ?? []
    const columns = (['cpu', 'clock'] as const).flatMap(what => {
      const ratios = values.map((value, index) => value[what] / (base[index]?.[what] ?? Number.NaN))
      return [median(values.map(value => value[what])).toFixed(0), spread(ratios, 2)]
    })
    return [name, ...columns]
  })
  return table([['', 'CPU µs', '÷ almost empty', 'µs by the clock', '÷ almost empty'], ...rows])
}

async function measure(engine: TestEngine): Promise<void> {
  const began = performance.now()
  const { store: grown, ...one } = await openDatabase(engine, count)
  console.log(`${engine.name}: ${count} open transactions in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  const { store: empty, ...other } = await openDatabase(engine, few * (rounds + 1))
  const numbers = Array.from({ length: count - few * (rounds + 1) }, (_, n) => n + 1)
  /** Nobody is picked twice, as an event is refused the second time. */
  const pick = (): readonly string[] =>
    Array.from({ length: few }, () => {
      const at = Math.floor(Math.random() * numbers.length)
      const picked = numbers[at] ?? 0
      numbers[at] = numbers.pop() ?? 0
      return idOf(picked)
    })
  const from = (first: number): readonly string[] => Array.from({ length: few }, (_, n) => idOf(first + n))
  const figures = new Map<string, Figure[]>()
  for (let round = 0; round <= rounds; round++) {
    const alone = from(few * round + 1)
    const latest = from(count - few * (round + 1) + 1)
    const all: Readonly<Record<string, () => Promise<number>>> = {
      'event, almost empty': () => sendAll(empty, alone),
      'event, the latest': () => sendAll(grown, latest),
      'event, at random': () => sendAll(grown, pick()),
      'read, almost empty': () => readAll(empty, alone),
      'read, at random': () => readAll(grown, pick()),
    }
    for (const [name, work] of Object.entries(all)) {
      const figure = await timeEach(work)
      // The first round warms up.
      if (round > 0) figures.set(name, [...(figures.get(name) ?? []), figure])
    }
  }
  console.log(describe(figures))
  await one.close()
  await other.close()
}

console.log(machine())
for (const engine of eachDialect) await measure(engine)
