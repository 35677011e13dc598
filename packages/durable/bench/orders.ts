/**
 * `npm run bench --workspace durable-xstate-sql -- [ORDERS [ROUNDS]]`: orders that are placed, charged and paid, sixteen
 * at once, by this package and by XState with its snapshots written by hand, each on a SQLite file that is synced. By hand
 * there is no journal, no invoice, no job and no timer that outlives the process: it is the floor. Rounds take turns.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createActor, fromPromise, waitFor } from 'xstate'
import { orderMachine } from '../example/order_machine.ts'
import { createChargeHandler, order, schema } from '../example/orders.ts'
import { machineClock as clock, createHost, migrate, openStore, startWorker } from '../index.ts'

const [orders = 2000, rounds = 5] = process.argv.slice(2).map(Number)
const atOnce = 16
const input = { amountCents: 1200, paymentTimeoutMs: 60_000 }
const folder = mkdtempSync(join(tmpdir(), 'orders-'))

async function openPackage() {
  const address = { dialect: 'sqlite', file: join(folder, 'package.sqlite') } as const
  await migrate(address, schema)
  const store = await openStore(address, 1)
  const host = createHost(store, clock)
  const ended = new Map<string, () => void>()
  host.subscribe(({ id, status }) => {
    if (status === 'PAID') ended.get(id)?.()
  })
  const handlers = [{ ...createChargeHandler(async () => 'receipt-1'), slots: () => atOnce }]
  const deps = { store, host, clock, log: console, definitions: [order], handlers }
  const worker = startWorker({ ...deps, leaseMs: 3000, pollMs: 1000 })
  return {
    async pay(): Promise<void> {
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<void>()
      ended.set(id, resolve)
      await host.create(order, { id, account_id: 'shop', input, columns: { customer: 'Ada' } })
      await host.send(order, id, { type: 'PAY', card: 'card-1' })
      await promise
      ended.delete(id)
    },
    async close(): Promise<void> {
      await worker.stop(Promise.resolve())
      await store.close()
    },
  }
}

function openByHand() {
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

interface Way {
  pay(): Promise<void>
  close(): Promise<void>
}

/** Orders a second, and CPU microseconds of one. */
async function measure({ pay }: Way): Promise<readonly [rate: number, cpu: number]> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  let left = orders
  const payOneByOne = async (): Promise<void> => {
    while (left-- > 0) await pay()
  }
  await Promise.all(Array.from({ length: atOnce }, payOneByOne))
  const { user, system } = process.cpuUsage(cpu)
  return [(orders * 1000) / (performance.now() - begun), (user + system) / orders]
}

function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((one, other) => one - other)
  const [least = 0, middle = 0, most = 0] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(at => sorted[at])
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

const ways = { 'this package': await openPackage(), 'XState by hand': openByHand() }
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
const load = loadavg()[0]?.toFixed(1)
console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load ${load}; ${rounds} rounds of ${orders}\n`,
)
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
