import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type DatabaseAddress, readAll, readFirst, type Store } from 'durable-xstate-sql'
import { isUnavailable, readQueueDepths } from 'durable-xstate-sql/sql'
import type { Clock } from '../../base/clock.ts'
import type { Instruments } from './instruments.ts'

export interface DatabaseSources {
  readonly store: Store
  readonly address: DatabaseAddress
  /** Setting `DATABASE_CONNECTIONS`. */
  readonly connections: number
  /** Versions of the chart of a delivery. */
  readonly deliveryVersions: readonly number[]
}

const queues = ['admission', 'analysis', 'attempt', 'timer'] as const

const selectPaused = 'SELECT COUNT(*) AS paused FROM origins WHERE paused_at IS NOT NULL'
const selectKeys = `SELECT purpose, MAX(active_at) AS active_at FROM signing_keys WHERE active_at <= ? GROUP BY purpose`

const pendingStatuses = ['PENDING', 'ATTEMPTING', 'BACKING_OFF', 'DELAYED']

/** One index lookup for each status of each version, even if many wait. */
async function readOldestUndelivered(store: Store, versions: readonly number[]): Promise<number | null> {
  const looks = versions.flatMap(version => pendingStatuses.map(status => [version, status] as const))
  const select = 'SELECT MIN(occurred_at) AS occurred_at FROM deliveries WHERE chart_version = ? AND status = ?'
  const sql = looks.map(() => select).join(' UNION ALL ')
  const rows = await readAll(store, { sql, values: looks.flat(), columns: { occurred_at: 'instant?' } })
  const found = rows.flatMap(({ occurred_at }) => occurred_at ?? [])
  return found.length === 0 ? null : Math.min(...found)
}

const selectSize = `SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS SIGNED) AS bytes
  FROM information_schema.tables WHERE table_schema = DATABASE()`

async function readServerSize(store: Store): Promise<number> {
  return (await readFirst(store, { sql: selectSize, values: [], columns: { bytes: 'count' } }))?.bytes ?? 0
}

async function readDatabase({ store, address, deliveryVersions }: DatabaseSources, now: number) {
  return {
    oldest: await readOldestUndelivered(store, deliveryVersions),
    serverSize: address.dialect === 'sqlite' ? null : await readServerSize(store),
    depths: await readQueueDepths(store, queues, now),
    paused: await readAll(store, { sql: selectPaused, values: [], columns: { paused: 'count' } }),
    keys: await readAll(store, {
      sql: selectKeys,
      values: [now],
      columns: { purpose: 'word', active_at: 'instant' },
    }),
  }
}

async function measureFile(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    // A write-ahead log exists only while a process writes.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** A server's files and disk are on another machine. */
async function setDiskGauges({ databaseSize, diskFree }: Instruments, address: DatabaseAddress): Promise<void> {
  if (address.dialect !== 'sqlite') return
  const { bavail, bsize } = await statfs(dirname(address.file))
  diskFree.set(bavail * bsize)
  databaseSize.set((await measureFile(address.file)) + (await measureFile(`${address.file}-wal`)))
}

/** Without the database the other metrics are still worth reading, and `attestor_database_up` most of all. */
export async function setDatabaseGauges(
  instruments: Instruments,
  clock: Clock,
  sources: DatabaseSources,
): Promise<void> {
  const { store, address, connections } = sources
  const { databaseUp, databaseHost, databaseSize, depth, age, undelivered, origins, keyAge } = instruments
  const now = clock.now()
  const found = await readDatabase(sources, now).catch(error => {
    if (isUnavailable(error)) return null
    throw error
  })
  databaseUp.set(found === null ? 0 : 1)
  instruments.connections.set(address.dialect === 'sqlite' ? 1 : connections)
  await setDiskGauges(instruments, address)
  for (const gauge of [databaseHost, depth, age, undelivered, origins, keyAge]) gauge.reset()
  const host = store.hostName()
  if (host !== null) databaseHost.set({ host }, 1)
  if (found === null) return
  for (const queue of queues) {
    const waiting = found.depths.get(queue)
    depth.set({ queue }, waiting?.waiting ?? 0)
    age.set({ queue }, waiting === undefined ? 0 : (now - waiting.oldest_at) / 1000)
  }
  if (found.serverSize !== null) databaseSize.set(found.serverSize)
  // A test account's clock may be ahead.
  undelivered.set(found.oldest === null ? 0 : Math.max(0, now - found.oldest) / 1000)
  origins.set(found.paused[0]?.paused ?? 0)
  for (const { purpose, active_at } of found.keys) keyAge.set({ purpose }, (now - active_at) / 1000)
}
