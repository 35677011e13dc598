import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from 'durable-xstate-sql'
import type { Row } from 'durable-xstate-sql/testing'
import { tables } from '../../../src/database/tables.ts'
import type { Carried } from './client.ts'
import type { Receiver } from './receiver.ts'

/** Statuses that may follow each status. After an end a journal only gets entries that no chart decides. */
const followers: Readonly<Record<string, readonly string[]>> = {
  CREATED: ['INITIATED', 'FAILED', 'EXPIRED'],
  INITIATED: ['COMPLETED', 'FAILED', 'EXPIRED'],
  COMPLETED: ['PROCESSING', 'FAILED'],
  PROCESSING: ['FINISHED', 'FAILED'],
  FINISHED: [],
  FAILED: [],
  EXPIRED: [],
}

function read(store: Store, sql: string, ...values: string[]): Promise<readonly Row[]> {
  return store.read({ sql, values })
}

async function countOf(store: Store, sql: string): Promise<number> {
  return Number((await read(store, sql))[0]?.many)
}

/** Waits until all running work has ended and was sent; resolves with the rest if it does not. */
export async function drain(store: Store, limitMs: number): Promise<string> {
  const until = performance.now() + limitMs
  for (;;) {
    const open = await countOf(
      store,
      "SELECT COUNT(*) AS many FROM transactions WHERE status IN ('COMPLETED', 'PROCESSING')",
    )
    const waiting = await countOf(store, "SELECT COUNT(*) AS many FROM deliveries WHERE status <> 'DELIVERED'")
    const short = `SELECT COUNT(*) AS many FROM transactions WHERE status IN ('CREATED', 'INITIATED')
      AND (config LIKE '%"transaction_ttl_minutes":1,%' OR config LIKE '%"transaction_ttl_minutes":1}%')`
    const timers = await countOf(store, short)
    if (open + waiting + timers === 0) return ''
    if (performance.now() > until) return `${open} analyses, ${waiting} deliveries, ${timers} timers are stuck`
    await pause(500)
  }
}

function checkJournal({ id, events }: Carried, journal: readonly Row[]): string[] {
  const faults: string[] = []
  const types = journal.map(row => (JSON.parse(String(row.event)) as { type: string }).type)
  for (const event of new Set(events))
    if (!types.includes(event)) faults.push(`${id}: ${event} was acknowledged and is missing`)
  for (const type of ['START', 'COMPLETE', 'CANCEL'])
    if (types.filter(one => one === type).length > 1) faults.push(`${id}: ${type} happened twice`)
  let status = 'CREATED'
  for (const [index, row] of journal.entries()) {
    if (row.sequence !== index + 1) faults.push(`${id}: entry ${index + 1} has the sequence ${row.sequence}`)
    const next = String(row.status)
    if (next !== status && !followers[status]?.includes(next)) faults.push(`${id}: ${status} became ${next}`)
    status = next
  }
  return faults
}

/** Statuses that a journal shows and the receiver never had. */
function findUnsent(id: string, journal: readonly Row[], { firsts }: Receiver): string[] {
  return [...new Set(journal.map(({ status }) => String(status)))]
    .filter(status => status !== 'CREATED' && !firsts.has(`${id} ${status}`))
    .map(status => `${id}: ${status} was never sent`)
}

/**
 * Checks the end: the client brought it about and had it acknowledged, or a timer had to. A transaction that was cut
 * off may be open.
 */
function checkEnd({ id, ends, events, isCutOff }: Carried, status: unknown): string[] {
  const isBound = !isCutOff || ends === 'EXPIRED' || events.includes('COMPLETE') || events.includes('CANCEL')
  return isBound && status !== ends ? [`${id}: should be ${ends}, and is ${status}`] : []
}

export interface Comparison {
  readonly faults: readonly string[]
  /** Delays of timers, in milliseconds. */
  readonly timers: readonly number[]
  readonly events: number
}

/** Compares the client's record with the database and with the receiver's webhooks. */
export async function compare(store: Store, carried: readonly Carried[], receiver: Receiver): Promise<Comparison> {
  const faults: string[] = []
  const timers: number[] = []
  for (const one of carried) {
    const [row] = await read(store, 'SELECT status, created_at FROM transactions WHERE id = ?', one.id)
    const journal = await read(
      store,
      'SELECT sequence, event, status FROM journal WHERE actor_id = ? ORDER BY sequence',
      one.id,
    )
    if (row === undefined) faults.push(`${one.id}: was acknowledged and is missing`)
    faults.push(...checkJournal(one, journal), ...findUnsent(one.id, journal, receiver), ...checkEnd(one, row?.status))
    if (one.ends !== 'EXPIRED') continue
    // The delay is not measured from the acknowledgement, which may come long after the creation.
    const at = receiver.firsts.get(`${one.id} EXPIRED`)
    if (at !== undefined) timers.push(at - Number(row?.created_at) - 60_000)
  }
  return { faults, timers, events: carried.reduce((sum, { events }) => sum + events.length, 0) }
}

const tableNames = Object.keys(tables)

/** Tables in which members differ, of all tables. A member applies what another committed shortly afterwards. */
export async function findDifferences(stores: readonly Store[], limitMs = 10_000): Promise<readonly string[]> {
  const until = performance.now() + limitMs
  for (;;) {
    const sums = await Promise.all(stores.map(store => read(store, `CHECKSUM TABLE ${tableNames.join(', ')}`)))
    const different = tableNames.filter((_, index) => new Set(sums.map(rows => String(rows[index]?.Checksum))).size > 1)
    if (different.length === 0 || performance.now() > until) return different
    await pause(500)
  }
}

/** Finds jobs without an actor, jobs of ended actors, and jobs whose lease ran out long ago without another claim. */
export async function findStuck(store: Store): Promise<readonly string[]> {
  const sql = `SELECT s.queue, s.lease, t.status FROM scheduled_jobs s LEFT JOIN transactions t ON t.id = s.actor_id
    LEFT JOIN deliveries d ON d.id = s.actor_id
    WHERE (t.id IS NULL AND d.id IS NULL) OR t.status IN ('FINISHED', 'FAILED', 'EXPIRED') OR s.lease IS NOT NULL
    UNION ALL SELECT 'held', held_job, status FROM transactions WHERE held_job IS NOT NULL
    UNION ALL SELECT 'held', held_job, NULL FROM deliveries WHERE held_job IS NOT NULL`
  return (await read(store, sql)).map(row => `${row.queue} of ${row.status ?? 'a delivery'}, lease ${row.lease}`)
}
