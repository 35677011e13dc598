import { newId } from '../random.ts'
import { listColumns, type RowOf, readRow } from './columns.ts'
import {
  type Query,
  run,
  runAll,
  runLater,
  type Statement,
  selectAll,
  selectFirst,
  toPlaceholders,
  type Unit,
} from './statement.ts'
import { readAll, readFirst, type Store } from './store.ts'
import { durableTables, insertJob } from './tables.ts'

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
  /** The number of claims, including this one. If more than one, a worker died with it. */
  readonly claims: number
  /** The trace that it continues (W3C Trace Context), if any. */
  readonly traceparent: string | null
  /** The row of its actor, where that holds it; null for a row of its own. */
  readonly held: HeldIn | null
}

/** The table of the job's actor, the row's `held_job`, and the row as it was written with it. */
interface HeldIn {
  readonly table: string
  readonly text: string
  readonly row: object
}

const { ready_at: _, ...columns } = durableTables.scheduled_jobs.columns

function toJob(row: RowOf<typeof columns>): ScheduledJob {
  return { ...row, payload: JSON.parse(row.payload), held: null }
}

type JobRow = RowOf<typeof durableTables.scheduled_jobs.columns>

/** A job that the row of an actor holds. */
export function readHeldJob(held: HeldIn): ScheduledJob {
  const { ready_at: _, ...row } = JSON.parse(held.text) as JobRow
  return { ...toJob(row), held }
}

/** The actor's row no longer holds its job; changes no row if it holds another, or none. */
export function removeHeldJob(table: string, actor_id: string, text: string): Statement {
  const sql = `UPDATE ${table} SET held_job = NULL, held_until = NULL WHERE id = ? AND held_job = ?`
  return { sql, values: [actor_id, text] }
}

/** A job that its actor's row holds gets a row of its own, in which it waits. */
function* releaseHeldJob(table: string, text: string, changes: Pick<JobRow, 'ready_at' | 'claims'>): Unit<void> {
  const row = JSON.parse(text) as JobRow
  const { changed } = yield* run(removeHeldJob(table, row.actor_id, text))
  if (changed === 1) yield* runLater([insertJob({ ...row, lease: null, ...changes })])
}

const heldColumns = { held_job: 'document' } as const
/** Jobs that are recovered at once. */
const recoveredAtOnce = 100

/**
 * Gives jobs whose lease has expired in their actor's row, because their node died, a row of their own, which is ready.
 * Resolves with their number.
 */
export async function recoverHeldJobs(store: Store, tables: readonly string[], now: number): Promise<number> {
  let recovered = 0
  for (const table of tables) {
    const sql = `SELECT held_job FROM ${table} WHERE held_until <= ? ORDER BY held_until LIMIT ${recoveredAtOnce}`
    const expired = await readAll(store, { sql, values: [now], columns: heldColumns })
    recovered += expired.length
    for (const { held_job } of expired)
      await store.commit(() => releaseHeldJob(table, held_job, { ready_at: now, claims: 1 }))
  }
  return recovered
}

/** The number of rows that are wanted of a lane of a queue. A queue without lanes has one, whose name is empty. */
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

function renewLease({ id, lease, actor_id, held }: ScheduledJob, until: number): Statement {
  if (held === null)
    return { sql: 'UPDATE scheduled_jobs SET ready_at = ? WHERE id = ? AND lease = ?', values: [until, id, lease] }
  const sql = `UPDATE ${held.table} SET held_until = ? WHERE id = ? AND held_job = ?`
  return { sql, values: [until, actor_id, held.text] }
}

/** Keeps begun jobs until `ready_at`; resolves with those that are still this node's. */
export async function renewLeases(
  store: Store,
  held: readonly ScheduledJob[],
  ready_at: number,
): Promise<ReadonlySet<ScheduledJob>> {
  if (held.length === 0) return new Set()
  return store.commit(function* (): Unit<ReadonlySet<ScheduledJob>> {
    const outcomes = yield* runAll(held.map(job => renewLease(job, ready_at)))
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
 * time. One statement looks for all of them.
 */
export async function shortenLeases(
  store: Store,
  tables: readonly string[],
  now: number,
  leaseMs: number,
): Promise<void> {
  const from = now + maxLeaseMs + maxClockDifferenceMs
  const leases = [
    // True for every lease; written as a comparison, both engines use the index.
    { table: 'scheduled_jobs', column: 'ready_at', mistaken: `lease > '' AND ready_at > ?` },
    ...tables.map(table => ({ table, column: 'held_until', mistaken: 'held_until > ?' })),
  ]
  const looks = leases.map(({ table, mistaken }, n) => `EXISTS (SELECT 1 FROM ${table} WHERE ${mistaken}) AS q${n}`)
  const [found] = await store.read({ sql: `SELECT ${looks.join(', ')}`, values: leases.map(() => from) })
  for (const [n, { table, column, mistaken }] of leases.entries()) {
    if (found?.[`q${n}`] !== 1) continue
    const sql = `UPDATE ${table} SET ${column} = ? WHERE ${mistaken}`
    await store.commit(() => runLater([{ sql, values: [now + leaseMs, from] }]))
  }
}

/** Releases a begun job, to be ready at `ready_at`. The claim still `counts` where the job may be at fault. */
export function releaseLease(
  store: Store,
  { id, lease, claims, held }: ScheduledJob,
  ready_at: number,
  counts = false,
): Promise<void> {
  return store.commit(function* (): Unit<void> {
    if (held !== null)
      return yield* releaseHeldJob(held.table, held.text, { ready_at, claims: counts ? claims : claims - 1 })
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

/** `q0`, `q1` and so on, made once for each number of parts. */
function readyColumns(count: number): Readonly<Record<string, 'instant?'>> {
  knownReadyColumns[count] ??= Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, 'instant?']))
  return knownReadyColumns[count]
}

/** The instants at which something is ready, in epoch milliseconds. */
export interface FirstReady {
  /** The first row of each queue; queues without rows are left out. */
  readonly ready_at: ReadonlyMap<string, number>
  /** The queues with lanes that have rows, ready or not. */
  readonly filled: ReadonlySet<string>
  /** The first lease that ends in an actor's row; infinite if there is none. */
  readonly held_until: number
}

/** The places that are searched for ready rows. */
export interface ReadyPlaces {
  /** Queues without lanes. */
  readonly queues: readonly string[]
  /** Queues with lanes. */
  readonly laned: readonly string[]
  /** Tables of actors. */
  readonly tables: readonly string[]
}

const knownReadyTexts = new Map<string, string>()

/** Made once for the same numbers of queues and the same tables. */
function readyText({ queues, laned, tables }: ReadyPlaces): string {
  const key = [queues.length, laned.length, ...tables].join()
  const known = knownReadyTexts.get(key)
  if (known !== undefined) return known
  const parts = [
    ...queues.map(() => `SELECT MIN(ready_at) FROM scheduled_jobs WHERE queue = ? AND lane = ''`),
    ...laned.map(() => 'SELECT ready_at FROM scheduled_jobs WHERE queue = ? LIMIT 1'),
    ...tables.map(table => `SELECT MIN(held_until) FROM ${table}`),
  ]
  const text = `SELECT ${parts.map((part, index) => `(${part}) AS q${index}`).join(', ')}`
  knownReadyTexts.set(key, text)
  return text
}

/** Finds the first ready rows in one statement, which reads one end of an index for each place. */
export async function findFirstReady(store: Store, places: ReadyPlaces): Promise<FirstReady> {
  const { queues, laned, tables } = places
  const count = queues.length + laned.length + tables.length
  if (count === 0) return { ready_at: new Map(), filled: new Set(), held_until: Number.POSITIVE_INFINITY }
  const columns = readyColumns(count)
  const row = await readFirst(store, { sql: readyText(places), values: [...queues, ...laned], columns })
  const found = Object.keys(columns).map(name => row?.[name] ?? Number.POSITIVE_INFINITY)
  const ofQueues = [...queues, ...laned].map(
    (queue, index) => [queue, found[index] ?? Number.POSITIVE_INFINITY] as const,
  )
  const withRows = ofQueues.filter(([, at]) => at !== Number.POSITIVE_INFINITY)
  return {
    ready_at: new Map(withRows.filter(([queue]) => queues.includes(queue))),
    filled: new Set(withRows.map(([queue]) => queue).filter(queue => laned.includes(queue))),
    held_until: Math.min(...found.slice(queues.length + laned.length), Number.POSITIVE_INFINITY),
  }
}
