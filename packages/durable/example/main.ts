import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireValidCharts } from 'durable-xstate-sql/charts'
import { machineClock as clock } from 'durable-xstate-sql/clock'
import { migrate, openStore } from 'durable-xstate-sql/database'
import { createHost } from 'durable-xstate-sql/host'
import { startWorker } from 'durable-xstate-sql/worker'
import { type Charge, createChargeHandler, order, schema } from './orders.ts'

// For a server: { dialect: 'mysql', host, port, user, password, database }.
const address = { dialect: 'sqlite', file: join(mkdtempSync(join(tmpdir(), 'orders-')), 'orders.sqlite') } as const
await migrate(address, schema)
const store = openStore(address, 1)

const definitions = [order]
requireValidCharts(definitions)
const host = createHost(store, clock)
host.subscribe(({ id, status }) => console.log(`${id.slice(0, 4)} ${status}`))

/** Stands for a payment provider: the first call fails. */
let calls = 0
const charge: Charge = async () => {
  if (calls++ === 0) throw new Error('the provider did not answer')
  return 'receipt-1'
}
const handlers = [createChargeHandler(charge)]
const worker = startWorker({ store, host, clock, log: console, definitions, handlers, leaseMs: 15_000, pollMs: 1000 })

function place(customer: string, paymentTimeoutMs: number) {
  return host.create(order, {
    id: randomUUID(),
    account_id: 'shop',
    input: { amountCents: 1200, paymentTimeoutMs },
    columns: { customer },
  })
}

const paid = await place('Ada', 60_000)
await host.send(order, paid.id, { type: 'PAY', card: 'card-1' })
await place('Grace', 500)

// Timers keep no process alive; a server would.
await new Promise(resolve => setTimeout(resolve, 2000))
await worker.stop(Promise.resolve())
await store.close()
