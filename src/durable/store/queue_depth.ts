import { tables } from '../../database/tables.ts'
import { readAll, type Store } from './store.ts'

/** What waits in a queue. */
export interface QueueDepth {
  readonly waiting: number
  /** Since when the oldest of them is ready, in epoch milliseconds. */
  readonly oldest_at: number
}

/** What is ready and nobody has claimed, by queue; a queue with nothing ready is not there. Reads an index alone. */
export const queueDepths = async (
  store: Store,
  queues: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, QueueDepth>> => {
  const rows = await readAll(store, {
    sql: `SELECT queue, COUNT(*) AS waiting, MIN(ready_at) AS oldest_at FROM scheduled_jobs
      WHERE queue IN (${queues.map(() => '?').join(', ')}) AND ready_at <= ? GROUP BY queue`,
    values: [...queues, now],
    columns: {
      queue: tables.scheduled_jobs.columns.queue,
      waiting: 'count',
      oldest_at: tables.scheduled_jobs.columns.ready_at,
    },
  })
  return new Map(rows.map(({ queue, ...depth }) => [queue, depth]))
}
