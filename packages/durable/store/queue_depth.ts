import { toPlaceholders } from './statement.ts'
import { readAll, type Store } from './store.ts'
import { durableTables } from './tables.ts'

/** The rows that wait in a queue. */
interface QueueDepth {
  readonly waiting: number
  /** The instant at which the oldest of them became ready, in epoch milliseconds. */
  readonly oldest_at: number
}

const { queue, ready_at } = durableTables.scheduled_jobs.columns
const columns = { queue, waiting: 'count', oldest_at: ready_at } as const

/** The ready, unclaimed rows by queue; queues without any are left out. Reads only an index. */
export async function readQueueDepths(
  store: Store,
  queues: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, QueueDepth>> {
  const rows = await readAll(store, {
    sql: `SELECT queue, COUNT(*) AS waiting, MIN(ready_at) AS oldest_at FROM scheduled_jobs
      WHERE queue IN (${toPlaceholders(queues)}) AND ready_at <= ? GROUP BY queue`,
    values: [...queues, now],
    columns,
  })
  return new Map(rows.map(({ queue, ...depth }) => [queue, depth]))
}
