/**
 * One life of the durable core on SQLite, for `core.ts`: it loads its modules, says `loaded`, waits for a `Life`, says
 * `begun` and advances orders until it is killed. Its last life begins no order, and ends when all is done.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CrashHook,
  createHost,
  type DurableClock,
  machineClock,
  type Store,
  startWorker,
} from 'durable-xstate-sql'
import { noCrash } from 'durable-xstate-sql/sql'
import { type CrashPoint, createChargeHandler, openSqlite, order } from 'durable-xstate-sql/testing'

export const leaseMs = 9_000
/** Lifetime of orders that nobody pays. */
export const expiryMs = 20

export interface Life {
  readonly file: string
  /** Gets a line for every event that was acknowledged. */
  readonly record: string
  /** Time by which its clock is ahead: the leases of the life before must have run out. */
  readonly aheadMs: number
  /** The crash point at which it dies, the nth time; null where it is killed from outside. */
  readonly dies: { readonly point: CrashPoint; readonly nth: number } | null
  readonly isLast: boolean
}

function createCrashHook({ dies }: Life): CrashHook {
  let left = dies?.nth ?? 0
  if (dies === null) return noCrash
  return point => {
    if (point !== dies.point) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

async function readIds(store: Store, sql: string): Promise<readonly string[]> {
  return (await store.read({ sql, values: [] })).map(({ id }) => String(id))
}

async function live(life: Life): Promise<void> {
  const crashHook = createCrashHook(life)
  const store = openSqlite(life.file, { crashHook })
  const clock: DurableClock = { ...machineClock, now: () => Date.now() + life.aheadMs }
  const host = createHost(store, clock)
  let calls = 0
  const charge = createChargeHandler(async (_card, _amount, key) => {
    calls += 1
    if (calls % 7 === 1) throw new Error('no answer')
    return key
  })
  startWorker({
    store,
    host,
    clock,
    crashHook,
    definitions: [order],
    handlers: [charge],
    leaseMs,
    pollMs: 50,
    log: { warn: () => {}, error: () => {} },
  })
  const acknowledge = (id: string, type: string): void => appendFileSync(life.record, `${id} ${type}\n`)
  const pay = async (id: string): Promise<void> => {
    await host.send(order, id, { type: 'PAY', card: 'card-1' })
    acknowledge(id, 'PAY')
  }
  const place = async (id: string, pays: boolean): Promise<void> => {
    const input = { amountCents: 1200, paymentTimeoutMs: pays ? 3_600_000_000 : expiryMs }
    await host.create(order, { id, account_id: 'shop', input, columns: { customer: pays ? 'pays' : 'leaves' } })
    acknowledge(id, 'CREATE')
  }
  const carry = async (): Promise<void> => {
    for (let count = 0; !life.isLast; count++) {
      const id = randomUUID()
      await place(id, count % 3 > 0)
      if (count % 3 > 0) await pay(id)
      await pause(0)
    }
  }
  // The life works like a client: it looks which events were accepted, and goes on from there.
  const unpaid = await readIds(store, "SELECT id FROM orders WHERE status = 'PLACED' AND customer = 'pays'")
  process.send?.('begun')
  await Promise.all([...unpaid.map(pay), carry(), carry(), carry()])
  const left = 'SELECT id FROM scheduled_jobs UNION ALL SELECT id FROM orders WHERE held_job IS NOT NULL LIMIT 1'
  while ((await readIds(store, left)).length > 0) await pause(20)
  process.exit(0)
}

if (import.meta.main) {
  process.once('message', life => void live(life as Life))
  process.once('disconnect', () => process.exit(1))
  process.send?.('loaded')
}
