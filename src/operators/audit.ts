import { hash } from 'node:crypto'
import { columnsOf, insert, type TableRow } from '../database/schema.ts'
import { requireValue } from '../durable/store/columns.ts'
import { run, runAll, selectFirst, type Unit } from '../durable/store/statement.ts'
import { rowExists, type Store } from '../durable/store/store.ts'

/** What is recorded: each log-in, each look at a picture or at personal data, each export, and each change. */
export const auditActions = [
  ...['login', 'login_refused', 'logout', 'session_revoked'],
  ...['capture_read', 'personal_data_read', 'evidence_exported'],
  ...['transaction_cancelled', 'transaction_reviewed', 'transaction_erased', 'customer_erased'],
  ...['delivery_redelivered', 'origin_paused', 'origin_resumed'],
  ...['account_created', 'account_changed', 'client_created', 'client_revoked', 'key_rotated'],
  ...['operator_created', 'operator_reset', 'operator_disabled'],
] as const

export type AuditAction = (typeof auditActions)[number]

export interface AuditSubject {
  readonly type: 'transaction' | 'customer' | 'account' | 'client' | 'operator' | 'session' | 'origin' | 'key'
  readonly id: string
}

/** Who does something, and from where. */
export interface Actor {
  /** Null for the command line, and for a log-in by an unknown name. */
  readonly operator_id: string | null
  readonly address: string
}

export const commandLine: Actor = { operator_id: null, address: 'command_line' }

/** Nothing personal: the log outlives an erasure. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

export interface AuditEvent {
  readonly action: AuditAction
  readonly subject?: AuditSubject | null
  readonly account_id?: string | null
  readonly details?: AuditDetails
}

type Row = TableRow<'audit'>

const headName = 'audit_head'

interface Head {
  readonly sequence: number
  readonly hash: string
}

/** SHA-256, in hex, of the JSON array of the previous hash (empty for the first entry) and the entry. */
export const computeAuditHash = (previous: string, row: Omit<Row, 'hash'>): string => {
  const { sequence, occurred_at, operator_id, action, address, subject_type, subject_id, account_id, details } = row
  const covered = [previous, sequence, occurred_at, operator_id, action, address, subject_type, subject_id]
  return hash('sha256', JSON.stringify([...covered, account_id, details]))
}

/**
 * Adds an entry to the log, within the commit of what it records. Entries are written one after another: the row of the
 * last one is locked, so that no two follow the same.
 */
export function* appendAudit(store: Pick<Store, 'dialect'>, now: number, by: Actor, event: AuditEvent): Unit<void> {
  const sql = `SELECT value FROM facts WHERE name = ?${store.dialect.forUpdate}`
  const found = yield* selectFirst({ sql, values: [headName], columns: columnsOf('facts', 'value') })
  const head: Head = JSON.parse(requireValue(found, headName).value)
  const { action, subject = null, account_id = null, details = {} } = event
  const entry = {
    sequence: head.sequence + 1,
    occurred_at: now,
    operator_id: by.operator_id,
    action,
    address: by.address,
    subject_type: subject?.type ?? null,
    subject_id: subject?.id ?? null,
    account_id,
    details: JSON.stringify(details),
  }
  const row: Row = { ...entry, hash: computeAuditHash(head.hash, entry) }
  const value = JSON.stringify({ sequence: row.sequence, hash: row.hash } satisfies Head)
  const moved = { sql: 'UPDATE facts SET value = ? WHERE name = ?', values: [value, headName] }
  yield* runAll([moved, insert('audit', row)])
}

/** Makes the row that the first entry follows, once. */
export const openAuditLog = async (store: Store): Promise<void> => {
  if (await rowExists(store, { sql: 'SELECT name FROM facts WHERE name = ?', values: [headName] })) return
  const value = JSON.stringify({ sequence: 0, hash: '' } satisfies Head)
  await store
    .commit(() => run(insert('facts', { name: headName, value })))
    .catch(error => {
      if (!store.dialect.isDuplicate(error)) throw error
    })
}
