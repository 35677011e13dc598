import { randomUUID } from 'node:crypto'
import { machineClock as clock, createHost, migrate, openStore, requireValidCharts, startWorker } from '../index.ts'
import { address } from './address.ts'
import { type Charge, createChargeHandler, order, schema } from './orders.ts'

const isFirstStart = (await migrate(address, schema)).length > 0
const store = await openStore(address, 1)

const definitions = [order]
requireValidCharts(definitions)
const host = createHost(store, clock)
host.subscribe(({ id, status }) => console.log(`${id.slice(0, 4)} ${status}`))

/** Stands for a payment provider: the first call fails. */
let calls = 0
const charge: Charge = async (card, _amountCents, idempotencyKey) => {
  console.log(`charging ${card} by the key ${idempotencyKey}`)
  await new Promise(resolve => setTimeout(resolve, 300))
  if (calls++ === 0) throw new Error('the provider did not answer')
  return 'receipt-1'
}
const handlers = [createChargeHandler(charge)]
const worker = startWorker({ store, host, clock, log: console, definitions, handlers, leaseMs: 3000, pollMs: 1000 })

function place(customer: string, paymentTimeoutMs: number) {
  return host.create(order, {
    id: randomUUID(),
    account_id: 'shop',
    input: { amountCents: 1200, paymentTimeoutMs },
    columns: { customer },
  })
}

if (isFirstStart) {
  await place('Grace', 3000)
  const { id } = await place('Ada', 60_000)
  await host.send(order, id, { type: 'PAY', card: 'card-1' })
}

// Timers keep no process alive; a server would.
await new Promise(resolve => setTimeout(resolve, 6000))
await worker.stop(Promise.resolve())
await store.close()
