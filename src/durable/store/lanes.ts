import { columnsOf } from './columns.ts'
import { readAll, type Store } from './store.ts'

/** A lane of a queue that has rows, when the first of them is ready, and what its origin's row says of it. */
export interface WaitingLane {
  readonly lane: string
  readonly ready_at: number
  readonly failing_since: number | null
  readonly paused_at: number | null
}

const columns = {
  ...columnsOf('scheduled_jobs', 'lane', 'ready_at'),
  ...columnsOf('origins', 'failing_since', 'paused_at'),
} as const

/** Lanes read at a time: whoever has thousands of them must not make every look long for all others. */
export const lanes_at_once = 1000

/** Some lanes of a queue, and the one after which there are more; null at the end. */
export interface LanePage {
  readonly lanes: readonly WaitingLane[]
  readonly next: string | null
}

/** The lanes of a queue in which rows wait, or are leased, `lanes_at_once` after the lane `after`; null is the first. */
export const waitingLanes = async (store: Store, queue: string, after: string | null): Promise<LanePage> => {
  const { sql, values } = store.dialect.lanes(queue, after, lanes_at_once)
  const withOrigins = `SELECT l.lane, l.ready_at, o.failing_since, o.paused_at FROM (${sql}) l
    LEFT JOIN origins o ON o.id = l.lane ORDER BY l.lane`
  const lanes = await readAll(store, { sql: withOrigins, values, columns })
  return { lanes, next: lanes.length < lanes_at_once ? null : (lanes.at(-1)?.lane ?? null) }
}
