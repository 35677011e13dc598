import Database from 'better-sqlite3'
import { createActor, fromPromise, type Snapshot } from 'xstate'
import { orderMachine } from './order_machine.ts'

const database = new Database(process.env.ORDERS_SQLITE ?? 'by_hand.sqlite')
database.exec('CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, snapshot TEXT NOT NULL)')
const save = database.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?)')

const machine = orderMachine.provide({
  actors: {
    charge: fromPromise<{ receipt: string }, { amountCents: number; card: string }>(async ({ input }) => {
      console.log(`charging ${input.card}`)
      await new Promise(resolve => setTimeout(resolve, 300))
      return { receipt: 'receipt-1' }
    }),
  },
})

function run(customer: string, paymentTimeoutMs: number, snapshot?: Snapshot<unknown>) {
  const input = { amountCents: 1200, paymentTimeoutMs }
  const actor = createActor(machine, { input, ...(snapshot && { snapshot }) })
  actor.subscribe(({ tags }) => {
    save.run(customer, JSON.stringify(actor.getPersistedSnapshot()))
    console.log(`${customer} ${[...tags]}`)
  })
  return actor.start()
}

const rows = database.prepare<[], { id: string; snapshot: string }>('SELECT id, snapshot FROM orders').all()
for (const { id, snapshot } of rows) run(id, 0, JSON.parse(snapshot))
if (rows.length === 0) {
  run('Grace', 3000)
  run('Ada', 60_000).send({ type: 'PAY', card: 'card-1' })
}
setTimeout(() => process.exit(), 6000)
