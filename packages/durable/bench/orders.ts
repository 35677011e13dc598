/**
 * `npm run bench --workspace durable-xstate-sql -- [ORDERS [ROUNDS]]`: orders that are placed, charged and paid, sixteen
 * at once, by this package and by XState with its snapshots written by hand, each on a SQLite file that is synced. By hand
 * there is no journal, no invoice, no job and no timer that outlives the process: it is the floor. Rounds take turns.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createActor, fromPromise, waitFor } from 'xstate'
import { orderMachine } from '../example/order_machine.ts'
import { describeMachine, input, openShop, payAll, spread, type Way } from './shop.ts'

const [orders = 2000, rounds = 5] = process.argv.slice(2).map(Number)
const atOnce = 16
const folder = mkdtempSync(join(tmpdir(), 'orders-'))

function openByHand(): Way {
  const database = new Database(join(folder, 'by_hand.sqlite'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, snapshot TEXT NOT NULL)')
  const save = database.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?)')
  const machine = orderMachine.provide({ actors: { charge: fromPromise(async () => ({ receipt: 'receipt-1' })) } })
  return {
    async pay(): Promise<void> {
      const id = randomUUID()
      const actor = createActor(machine, { input })
      actor.subscribe(() => save.run(id, JSON.stringify(actor.getPersistedSnapshot())))
      actor.start().send({ type: 'PAY', card: 'card-1' })
      await waitFor(actor, ({ status }) => status === 'done')
    },
    async close(): Promise<void> {
      database.close()
    },
  }
}

/** Orders a second, and CPU microseconds of one. */
async function measure(way: Way): Promise<readonly [rate: number, cpu: number]> {
  const { ms, cpuUs } = await payAll(way, orders, atOnce)
  return [(orders * 1000) / ms, cpuUs / orders]
}

const ways = { 'this package': await openShop(join(folder, 'package.sqlite'), atOnce), 'XState by hand': openByHand() }
const measured = Object.entries(ways).map(([name, way]) => ({
  name,
  way,
  figures: [] as (readonly [number, number])[],
}))
try {
  for (let round = 0; round < rounds; round++) for (const { way, figures } of measured) figures.push(await measure(way))
} finally {
  for (const { way } of measured) await way.close()
  rmSync(folder, { recursive: true })
}
console.log(`${describeMachine()}; ${rounds} rounds of ${orders}\n`)
console.log('| | orders a second | CPU µs each |\n| - | - | - |')
for (const { name, figures } of measured)
  console.log(
    `| ${name} | ${spread(
      figures.map(([rate]) => rate),
      0,
    )} | ${spread(
      figures.map(([, cpu]) => cpu),
      0,
    )} |`,
  )
