import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { isUnavailable } from '../durable/errors.ts'
import { readQueueDepths } from '../durable/store/queue_depth.ts'
import type { DatabaseAddress } from '../durable/store/source.ts'
import { readAll, type Store } from '../durable/store/store.ts'
import type { Instruments } from './instruments.ts'

export interface DatabaseSources {
  readonly store: Store
  readonly address: DatabaseAddress
  /** Setting `DATABASE_CONNECTIONS`. */
  readonly connections: number
}

const queues = ['admission', 'analysis', 'attempt', 'timer'] as const

const selectPaused = 'SELECT COUNT(*) AS paused FROM origins WHERE paused_at IS NOT NULL'
const selectKeys = `SELECT purpose, MAX(active_at) AS active_at FROM signing_keys WHERE active_at <= ? GROUP BY purpose`

const readDatabase = async (store: Store, now: number) => ({
  depths: await readQueueDepths(store, queues, now),
  paused: await readAll(store, { sql: selectPaused, values: [], columns: { paused: 'count' } }),
  keys: await readAll(store, {
    ...{ sql: selectKeys, values: [now] },
    columns: { purpose: 'word', active_at: 'instant' },
  }),
})

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size
  } catch (error) {
    // A write-ahead log is there only while somebody writes.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** A server's files and disk are on another machine. */
const setDiskGauges = async ({ databaseSize, diskFree }: Instruments, address: DatabaseAddress): Promise<void> => {
  if (address.dialect !== 'sqlite') return
  const { bavail, bsize } = await statfs(dirname(address.file))
  diskFree.set(bavail * bsize)
  databaseSize.set((await sizeOf(address.file)) + (await sizeOf(`${address.file}-wal`)))
}

/** Without the database the other metrics are still worth reading, and `attestor_database_up` most of all. */
export const setDatabaseGauges = async (
  instruments: Instruments,
  clock: Clock,
  { store, address, connections }: DatabaseSources,
): Promise<void> => {
  const { databaseUp, databaseHost, depth, age, origins, keyAge } = instruments
  const now = clock.now()
  const found = await readDatabase(store, now).catch(error => {
    if (isUnavailable(error)) return null
    throw error
  })
  databaseUp.set(found === null ? 0 : 1)
  instruments.connections.set(address.dialect === 'sqlite' ? 1 : connections)
  await setDiskGauges(instruments, address)
  for (const gauge of [databaseHost, depth, age, origins, keyAge]) gauge.reset()
  const host = store.hostName()
  if (host !== null) databaseHost.set({ host }, 1)
  if (found === null) return
  for (const queue of queues) {
    const waiting = found.depths.get(queue)
    depth.set({ queue }, waiting?.waiting ?? 0)
    age.set({ queue }, waiting === undefined ? 0 : (now - waiting.oldest_at) / 1000)
  }
  origins.set(found.paused[0]?.paused ?? 0)
  for (const { purpose, active_at } of found.keys) keyAge.set({ purpose }, (now - active_at) / 1000)
}
