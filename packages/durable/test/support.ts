import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import mysql from 'mysql2/promise'
import { createHost, type Host } from '../actors/host.ts'
import type { DurableClock } from '../clock.ts'
import type { CrashHook } from '../crash_points.ts'
import { createChargeHandler, order, schema } from '../example/orders.ts'
import { startWorker, type Worker } from '../jobs/worker.ts'
import type { DatabaseAddress } from '../store/database_address.ts'
import { migrate, openStore } from '../store/source.ts'
import type { Row } from '../store/statement.ts'
import type { Store } from '../store/store.ts'

/** A migrated database; `drop` removes it. */
export interface TestDatabase {
  readonly address: DatabaseAddress
  readonly drop: () => Promise<void>
}

/** An engine that the tests run on. */
export interface TestEngine {
  readonly name: 'SQLite' | 'MariaDB'
  readonly open: () => Promise<TestDatabase>
}

let template: Promise<string> | null = null

async function migrateTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'orders-test-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'template.sqlite')
  await migrate({ dialect: 'sqlite', file }, schema)
  return file
}

/** Copying is faster than migrating. */
async function openSqliteDatabase(): Promise<TestDatabase> {
  template ??= migrateTemplate()
  const folder = mkdtempSync(join(tmpdir(), 'orders-test-'))
  const file = join(folder, 'orders.sqlite')
  copyFileSync(await template, file)
  return { address: { dialect: 'sqlite', file }, drop: async () => rmSync(folder, { recursive: true, force: true }) }
}

function openServerDatabase(url: string) {
  return async (): Promise<TestDatabase> => {
    const { hostname: host, port, username: user, password } = new URL(url)
    const server = { host, port: Number(port || '3306'), user, password }
    const run = async (sql: string): Promise<void> => {
      const connection = await mysql.createConnection({ ...server, connectTimeout: 240_000 })
      await connection.query(sql)
      await connection.end()
    }
    const database = `orders_test_${randomUUID().replaceAll('-', '')}`
    await run(`CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    const address = { dialect: 'mysql', ...server, database, timeoutMs: 240_000 } as const
    await migrate(address, schema)
    return { address, drop: () => run(`DROP DATABASE ${database}`) }
  }
}

const server = process.env.TEST_MYSQL_URL

/** SQLite always; MariaDB or MySQL where `TEST_MYSQL_URL` names a server, such as `mysql://root:@127.0.0.1:3306`. */
export const engines: readonly TestEngine[] = [
  { name: 'SQLite', open: openSqliteDatabase },
  ...(server === undefined ? [] : [{ name: 'MariaDB', open: openServerDatabase(server) } as const]),
]

/** A clock that stands still until it is advanced. */
export interface TestClock extends DurableClock {
  /** Stops at each timer on the way, and awaits `settle` there. */
  advance(ms: number, settle: () => Promise<unknown>): Promise<void>
}

/** A clock that begins at `start`. */
export function createTestClock(start = Date.UTC(2026, 10, 17)): TestClock {
  let now = start
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>()
  return {
    now: () => now,
    setTimer(delayMs, fire) {
      if (delayMs <= 0) {
        const immediate = setImmediate(fire)
        return () => clearImmediate(immediate)
      }
      const timer = { at: now + delayMs, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms, settle) {
      const end = now + ms
      for (;;) {
        await settle()
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = next.at
        next.fire()
      }
      now = end
    },
  }
}

/** The leases of the tests' workers. */
export const leaseMs = 9_000

/** A node's worker, with the function that charges cards. */
export function startOrderWorker(
  node: { readonly store: Store; readonly host: Host; readonly clock: DurableClock; readonly crashHook?: CrashHook },
  charge: (card: string, amountCents: number, key: string) => Promise<string>,
): Worker {
  const log = { warn: () => {}, error: () => {} }
  const handlers = [createChargeHandler(charge)]
  return startWorker({ ...node, log, definitions: [order], handlers, leaseMs, pollMs: 3_600_000 })
}

/** A store and a host on a database of their own. */
export async function openOrders(t: ExecutionContext, engine: TestEngine) {
  const { address, drop } = await engine.open()
  const store = await openStore(address, 4)
  t.teardown(async () => {
    await store.close()
    await drop()
  })
  const clock = createTestClock()
  return { store, clock, host: createHost(store, clock) }
}

/** A new order, to be paid within an hour. */
export function newOrder(id: string = randomUUID()) {
  return {
    id,
    account_id: 'shop',
    input: { amountCents: 1200, paymentTimeoutMs: 3_600_000 },
    columns: { customer: 'Ada' },
  }
}

/** Rows as the engine returns them. */
export function readRows(store: Store, sql: string, ...values: readonly string[]): Promise<readonly Row[]> {
  return store.read({ sql, values })
}

/** The types of the events that an order accepted. */
export async function readEvents(store: Store, id: string): Promise<readonly string[]> {
  const rows = await readRows(store, 'SELECT event FROM journal WHERE actor_id = ? ORDER BY sequence', id)
  return rows.map(({ event }) => JSON.parse(String(event)).type)
}

/** An order's status. */
export async function readStatus(store: Store, id: string): Promise<unknown> {
  return (await readRows(store, 'SELECT status FROM orders WHERE id = ?', id))[0]?.status
}
