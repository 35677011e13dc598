import { readAll, type Store } from './store.ts'
import { durableTables } from './tables.ts'

/** What waits in a queue. */
export interface QueueDepth {
  readonly waiting: number
  /** Since when the oldest of them is ready, in epoch milliseconds. */
  readonly oldest_at: number
}

const { queue, ready_at } = durableTables.scheduled_jobs.columns
const columns = { queue, waiting: 'count', oldest_at: ready_at } as const

/** What is ready and nobody has claimed, by queue; a queue with nothing ready is not there. Reads an index alone. */
export const readQueueDepths = async (
  store: Store,
  queues: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, QueueDepth>> => {
  const rows = await readAll(store, {
    sql: `SELECT queue, COUNT(*) AS waiting, MIN(ready_at) AS oldest_at FROM scheduled_jobs
      WHERE queue IN (${queues.map(() => '?').join(', ')}) AND ready_at <= ? GROUP BY queue`,
    values: [...queues, now],
    columns,
  })
  return new Map(rows.map(({ queue, ...depth }) => [queue, depth]))
}
