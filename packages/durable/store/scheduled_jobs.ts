import { newId } from '../random.ts'
import { listColumns, type RowOf, readRow } from './columns.ts'
import { type Query, run, runAll, runLater, selectAll, selectFirst, toPlaceholders, type Unit } from './statement.ts'
import { readAll, readFirst, rowExists, type Store } from './store.ts'
import { durableTables } from './tables.ts'

/** A timer or a job, by its row. */
export interface ScheduledJob {
  readonly id: string
  readonly account_id: string
  readonly queue: string
  readonly lane: string
  readonly actor_type: string
  readonly actor_id: string
  readonly name: string
  readonly payload: unknown
  readonly lease: string | null
  /** How often it was claimed, including this claim. If more than once, a worker died with it. */
  readonly claims: number
  /** The trace that it continues (W3C Trace Context), if any. */
  readonly traceparent: string | null
}

const { ready_at: _, ...columns } = durableTables.scheduled_jobs.columns

function toJob(row: RowOf<typeof columns>): ScheduledJob {
  return { ...row, payload: JSON.parse(row.payload) }
}

/** How many rows of a lane of a queue are wanted. A queue without lanes has one, whose name is empty. */
export interface Portion {
  readonly lane: string
  readonly limit: number
}

/** Rows that are ready, the longest-waiting first. */
function selectReady(queue: string, { lane, limit }: Portion, now: number): Query<typeof columns> {
  return {
    sql: `SELECT ${listColumns(columns)} FROM scheduled_jobs WHERE queue = ? AND lane = ? AND ready_at <= ? ORDER BY ready_at, id LIMIT ${limit}`,
    values: [queue, lane, now],
    columns,
  }
}

/** Reads ready rows without a lease: for timers, whose event is sent in the commit that removes the row. */
export async function readReadyJobs(
  store: Store,
  queue: string,
  now: number,
  limit: number,
): Promise<readonly ScheduledJob[]> {
  return (await readAll(store, selectReady(queue, { lane: '', limit }, now))).map(toJob)
}

/**
 * Leases ready rows of a queue, as many of each lane as its portion says, until `now + leaseMs`. A row whose lease has
 * expired is ready again: recovery after a crash is the same query as normal work.
 */
export function claimJobs(
  store: Store,
  queue: string,
  portions: readonly Portion[],
  lease: { now: number; leaseMs: number },
): Promise<readonly ScheduledJob[]> {
  const unit = function* (): Unit<readonly ScheduledJob[]> {
    const selects = portions.map(portion => selectReady(queue, portion, lease.now))
    const found = yield* runAll(selects.map(({ sql, values }) => ({ sql: sql + store.dialect.skipLocked, values })))
    const rows = found.flatMap(outcome => outcome.rows.map(row => readRow(columns, row)))
    const token = newId()
    const claimed: RowOf<typeof columns>[] = []
    if (rows.length === 0) return []
    const ids = rows.map(row => row.id)
    // `ready_at <= now` again: engines that parse SKIP LOCKED and ignore it must not lease a row twice.
    const { changed } = yield* run({
      sql: `UPDATE scheduled_jobs SET lease = ?, ready_at = ?, claims = claims + 1 WHERE id IN (${toPlaceholders(ids)}) AND ready_at <= ?`,
      values: [token, lease.now + lease.leaseMs, ...ids, lease.now],
    })
    if (changed === rows.length) claimed.push(...rows)
    else if (changed > 0)
      claimed.push(
        ...(yield* selectAll({
          sql: `SELECT ${listColumns(columns)} FROM scheduled_jobs WHERE lease = ?`,
          values: [token],
          columns,
        })),
      )
    return claimed.map(row => ({
      ...toJob(row),
      lease: token,
      claims: row.claims + (changed === rows.length ? 1 : 0),
    }))
  }
  // A power cut loses the lease together with its holder: the row is then ready again at once.
  return store.commit(unit, { isDurable: false })
}

/**
 * Leases one row of a lane that a worker has postponed for longer than the lease, the longest-postponed first; null
 * where there is none. For a reader beside the workers: it gets only rows that a worker has seen and postponed.
 */
export function claimPostponed(
  store: Store,
  queue: string,
  lane: string,
  lease: { now: number; leaseMs: number },
): Promise<ScheduledJob | null> {
  return store.commit(function* (): Unit<ScheduledJob | null> {
    const until = lease.now + lease.leaseMs
    const row = yield* selectFirst({
      sql: `SELECT ${listColumns(columns)} FROM scheduled_jobs WHERE queue = ? AND lane = ? AND ready_at > ? AND lease IS NULL
        ORDER BY ready_at, id LIMIT 1${store.dialect.skipLocked}`,
      values: [queue, lane, until],
      columns,
    })
    if (row === null) return null
    const token = newId()
    const { changed } = yield* run({
      sql: 'UPDATE scheduled_jobs SET lease = ?, ready_at = ? WHERE id = ? AND lease IS NULL',
      values: [token, until, row.id],
    })
    return changed === 1 ? { ...toJob(row), lease: token } : null
  })
}

/** Keeps claimed rows for another `leaseMs`; resolves with those that are still held. */
export async function renewLeases(
  store: Store,
  held: readonly ScheduledJob[],
  ready_at: number,
): Promise<ReadonlySet<ScheduledJob>> {
  if (held.length === 0) return new Set()
  return store.commit(function* (): Unit<ReadonlySet<ScheduledJob>> {
    const sql = 'UPDATE scheduled_jobs SET ready_at = ? WHERE id = ? AND lease = ?'
    const outcomes = yield* runAll(held.map(({ id, lease }) => ({ sql, values: [ready_at, id, lease] })))
    return new Set(held.filter((_, index) => outcomes[index]?.changed === 1))
  })
}

/** No worker's lease may be longer. */
export const maxLeaseMs = 600_000
/** The clocks of two nodes may differ by this much. */
const maxClockDifferenceMs = 60_000

/**
 * A lease that ends later than the longest possible one was given by a wrong clock that has been set back since. It
 * would block a dead node's job until then. It is shortened as if it were given now; a holder that lives renews it in
 * time.
 */
export async function shortenLeases(store: Store, now: number, leaseMs: number): Promise<void> {
  // True for every lease; written as a comparison, both engines use the index.
  const mistaken = `lease > '' AND ready_at > ?`
  const from = now + maxLeaseMs + maxClockDifferenceMs
  if (!(await rowExists(store, { sql: `SELECT id FROM scheduled_jobs WHERE ${mistaken} LIMIT 1`, values: [from] })))
    return
  const sql = `UPDATE scheduled_jobs SET ready_at = ? WHERE ${mistaken}`
  await store.commit(() => runLater([{ sql, values: [now + leaseMs, from] }]))
}

/** Releases a claimed row, to be ready at `ready_at`. The claim still `counts` where the job may be at fault. */
export function releaseLease(
  store: Store,
  { id, lease }: ScheduledJob,
  ready_at: number,
  counts = false,
): Promise<void> {
  return store.commit(function* (): Unit<void> {
    const free = 'UPDATE scheduled_jobs SET lease = NULL, ready_at = ?, claims = claims - ? WHERE id = ? AND lease = ?'
    yield* runLater([{ sql: free, values: [ready_at, counts ? 0 : 1, id, lease] }])
  })
}

/** Postpones a row whose event could not be sent, so that it is not retried in a loop. */
export function postponeJob(store: Store, id: string, ready_at: number): Promise<void> {
  return store.commit(function* (): Unit<void> {
    yield* runLater([{ sql: 'UPDATE scheduled_jobs SET ready_at = ? WHERE id = ?', values: [ready_at, id] }])
  })
}

const knownReadyColumns: Readonly<Record<string, 'instant?'>>[] = []

/** `q0`, `q1` and so on, made once for each number of queues. */
function readyColumns(count: number): Readonly<Record<string, 'instant?'>> {
  knownReadyColumns[count] ??= Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, 'instant?']))
  return knownReadyColumns[count]
}

/**
 * When the first row of each of these queues is ready, in epoch milliseconds; queues without rows are left out. For
 * queues without lanes. One statement, which reads one end of an index for each queue.
 */
export async function findFirstReady(store: Store, queues: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (queues.length === 0) return new Map()
  const parts = queues.map(
    (_, index) => `(SELECT MIN(ready_at) FROM scheduled_jobs WHERE queue = ? AND lane = '') AS q${index}`,
  )
  const columns = readyColumns(queues.length)
  const row = await readFirst(store, { sql: `SELECT ${parts.join(', ')}`, values: queues, columns })
  const found = queues.map((queue, index) => [queue, row?.[`q${index}`] ?? null] as const)
  return new Map(found.filter((pair): pair is readonly [string, number] => pair[1] !== null))
}
