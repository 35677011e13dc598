import { type Columns, type Joined, listColumns, type RowOf, toNullableColumns } from './columns.ts'
import { readAll, type Store } from './store.ts'
import { durableTables } from './tables.ts'

const { lane, ready_at } = durableTables.scheduled_jobs.columns
const laneColumns = { lane, ready_at } as const

/** The application's table about lanes, whose `id` is a lane's name, and the columns to read with each lane. */
export interface LaneDetails<C extends Columns = Columns> {
  readonly table: string
  readonly columns: C
}

/** A lane of a queue that has rows, when the first of them is ready, and its details: null where they have no row. */
export type WaitingLane<C extends Columns = Record<never, never>> = RowOf<typeof laneColumns & Joined<C>>

/** Lanes read at a time: one account with thousands of them must not slow down the others. */
export const maxLanesPerRead = 1000

/** Some lanes of a queue, and the lane after which there are more; null at the end. */
export interface LanePage {
  readonly lanes: readonly WaitingLane[]
  readonly next: string | null
}

const knownColumns = new WeakMap<LaneDetails, typeof laneColumns>()

/** One object for all reads, as `readRow` asks for. */
function columnsWith(details: LaneDetails): typeof laneColumns {
  const columns = knownColumns.get(details) ?? { ...laneColumns, ...toNullableColumns(details.columns) }
  knownColumns.set(details, columns)
  return columns
}

/**
 * The lanes of a queue in which rows wait, or are leased, `maxLanesPerRead` from the one after `after`; null is the
 * first. Details are joined, so that they cost no round trip of their own.
 */
export async function readLanes(
  store: Store,
  queue: string,
  after: string | null,
  details?: LaneDetails,
): Promise<LanePage> {
  const { sql, values } = store.dialect.lanes(queue, after, maxLanesPerRead)
  const query =
    details === undefined
      ? { sql: `SELECT lane, ready_at FROM (${sql}) l ORDER BY lane`, columns: laneColumns }
      : {
          sql: `SELECT l.lane, l.ready_at, ${listColumns(details.columns, 'd')} FROM (${sql}) l
            LEFT JOIN ${details.table} d ON d.id = l.lane ORDER BY l.lane`,
          columns: columnsWith(details),
        }
  const lanes = await readAll(store, { ...query, values })
  return { lanes, next: lanes.length < maxLanesPerRead ? null : (lanes.at(-1)?.lane ?? null) }
}
