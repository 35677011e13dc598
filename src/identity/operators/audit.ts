import { hash } from 'node:crypto'
import { run, runAll, type Statement, type Store, selectAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, commitNew, requireValue } from 'durable-xstate-sql/sql'
import type { Clock } from '../../base/clock.ts'
import { insertFact, lockFact, readFact, updateFact } from '../../database/facts.ts'
import { columnsOf, insert, type TableRow } from '../../database/schema.ts'
import type { AuditAction, AuditSubject } from '../../database/words.ts'

/** The author of an entry, and the address: an operator, a client of an integrator, or neither. */
export interface Actor {
  readonly operator_id: string | null
  readonly client_id?: string | null
  readonly address: string
}

export const commandLine: Actor = { operator_id: null, address: 'command_line' }

/** The actor of a node's own acts. */
const service: Actor = { operator_id: null, address: 'service' }

/** Nothing personal: the log outlives an erasure. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

export interface AuditEvent {
  readonly action: AuditAction
  readonly subject?: { readonly type: AuditSubject; readonly id: string } | null
  readonly account_id?: string | null
  readonly details?: AuditDetails
}

export interface AuditDeps {
  readonly store: Store
  readonly clock: Clock
}

type Row = TableRow<'audit'>

const headName = 'audit_head'
const anchorName = 'audit_anchor'

/** An entry that the next one links to: the last one, or the last of those that are no longer kept. */
export interface AuditLink {
  readonly sequence: number
  readonly hash: string
}

const beginning: AuditLink = { sequence: 0, hash: '' }

/** SHA-256, in hex, of the JSON array of the previous hash (empty for the first entry) and the entry. */
export function computeAuditHash(previous: string, row: Omit<Row, 'hash'>): string {
  const { sequence, occurred_at, operator_id, client_id, action, address, subject_type, subject_id } = row
  const covered = [previous, sequence, occurred_at, operator_id, client_id, action, address, subject_type, subject_id]
  return hash('sha256', JSON.stringify([...covered, row.account_id, row.details]))
}

/** Somebody may have added a row by hand: the chain shows it, and the next entry must not fail for it. */
function* findFreeSequence({ sequence }: AuditLink): Unit<number> {
  const sql = 'SELECT MAX(sequence) AS last FROM audit'
  const found = yield* selectFirst({ sql, values: [], columns: { last: 'count?' } as const })
  return Math.max(sequence, found?.last ?? 0) + 1
}

function* readLink(store: Pick<Store, 'dialect'>, name: string): Unit<AuditLink> {
  return JSON.parse(requireValue(yield* lockFact(store, name), name)) as AuditLink
}

function writeLink(name: string, { sequence, hash }: AuditLink): Statement {
  return updateFact(name, JSON.stringify({ sequence, hash }))
}

/**
 * Adds an entry to the log, at the end of the commit that it records. It locks the row of the last entry, so that no
 * two entries follow the same one.
 */
export function* appendAudit(store: Pick<Store, 'dialect'>, now: number, by: Actor, event: AuditEvent): Unit<void> {
  const head = yield* readLink(store, headName)
  const { action, subject = null, account_id = null, details = {} } = event
  const entry = {
    sequence: yield* findFreeSequence(head),
    occurred_at: now,
    operator_id: by.operator_id,
    client_id: by.client_id ?? null,
    action,
    address: by.address,
    subject_type: subject?.type ?? null,
    subject_id: subject?.id ?? null,
    account_id,
    details: JSON.stringify(details),
  }
  const row: Row = { ...entry, hash: computeAuditHash(head.hash, entry) }
  yield* runAll([writeLink(headName, row), insert('audit', row)])
}

/** The entry of a change, for the end of its commit. */
export function createAuditRecord<T = void>(
  { store, clock }: AuditDeps,
  by: Actor,
  event: AuditEvent | ((result: T) => AuditEvent),
): CommitRecord<T> {
  return result => appendAudit(store, clock.now(), by, typeof event === 'function' ? event(result) : event)
}

/** Records accesses or an export, which change nothing, in a commit of their own before they happen. */
export function recordAudit(deps: AuditDeps, by: Actor, ...events: readonly AuditEvent[]): Promise<void> {
  return deps.store.commit(function* (): Unit<void> {
    for (const event of events) yield* createAuditRecord(deps, by, event)()
  })
}

/** Creates the rows that the first entry links to, once. */
export async function openAuditLog(store: Store): Promise<void> {
  for (const name of [headName, anchorName]) {
    if ((await readFact(store, name)) === null)
      await commitNew(store, () => run(insertFact(name, JSON.stringify(beginning))))
  }
}

/** The first and the last of the kept entries, by the log itself. */
export interface AuditEnds {
  readonly anchor: AuditLink
  readonly head: AuditLink
}

/** Both as one commit left them. */
export function readAuditEnds(store: Store): Promise<AuditEnds> {
  return store.commit(function* (): Unit<AuditEnds> {
    return { anchor: yield* readLink(store, anchorName), head: yield* readLink(store, headName) }
  })
}

const maxRemoved = 1000

/**
 * Removes at most a thousand of the oldest entries from before `until`, and records which: the first kept entry follows
 * the last removed one, whose hash both the anchor and a later entry have. Resolves with how many.
 */
export function removeOldAudit({ store, clock }: AuditDeps, until: number): Promise<number> {
  return store.commit(function* (): Unit<number> {
    const anchor = yield* readLink(store, anchorName)
    const sql = `SELECT sequence, hash, occurred_at FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ${maxRemoved}`
    const columns = columnsOf('audit', 'sequence', 'hash', 'occurred_at')
    const rows = yield* selectAll({ sql, values: [anchor.sequence], columns })
    // Stops at the first entry to keep: so a clock that was set back leaves no hole in the chain.
    const kept = rows.findIndex(row => row.occurred_at >= until)
    const last = rows[(kept === -1 ? rows.length : kept) - 1]
    if (last === undefined) return 0
    yield* runAll([
      { sql: 'DELETE FROM audit WHERE sequence <= ?', values: [last.sequence] },
      writeLink(anchorName, last),
    ])
    const details = { last_sequence: last.sequence, last_hash: last.hash }
    yield* appendAudit(store, clock.now(), service, { action: 'audit_removed', details })
    return last.sequence - anchor.sequence
  })
}
