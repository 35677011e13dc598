import { number, text } from './statement.ts'
import type { Store } from './store.ts'

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
  const rows = await store.read({
    sql: `SELECT queue, COUNT(*) AS waiting, MIN(ready_at) AS oldest_at FROM due
      WHERE queue IN (${queues.map(() => '?').join(', ')}) AND ready_at <= ? GROUP BY queue`,
    values: [...queues, now],
  })
  return new Map(
    rows.map(row => [text(row, 'queue'), { waiting: number(row, 'waiting'), oldest_at: number(row, 'oldest_at') }]),
  )
}
