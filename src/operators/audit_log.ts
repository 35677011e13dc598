import { isoTimestamp } from '../base/clock.ts'
import { columnsOf, type TableRow } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { listColumns, type RowOf, toNullableColumns } from '../durable/store/columns.ts'
import { run } from '../durable/store/statement.ts'
import { readAll, type Store } from '../durable/store/store.ts'
import { type AuditDetails, computeAuditHash } from './audit.ts'

/** An entry as operators read it. */
export interface AuditEntry {
  readonly sequence: number
  readonly occurred_at: string
  readonly operator_id: string | null
  readonly operator_name: string | null
  readonly action: string
  readonly address: string
  readonly subject: { readonly type: string; readonly id: string } | null
  readonly account_id: string | null
  readonly details: AuditDetails
}

/** Null filters nothing; times are epoch milliseconds, `to` is exclusive. */
export interface AuditFilter {
  readonly operator_id: string | null
  readonly action: string | null
  readonly subject_id: string | null
  readonly from: number | null
  readonly to: number | null
}

const { columns: auditColumns } = tables.audit

const columns = { ...auditColumns, operator_name: toNullableColumns(columnsOf('operators', 'name')).name } as const

const toEntry = (row: RowOf<typeof columns>): AuditEntry => ({
  sequence: row.sequence,
  occurred_at: isoTimestamp(row.occurred_at),
  operator_id: row.operator_id,
  operator_name: row.operator_name,
  action: row.action,
  address: row.address,
  subject: row.subject_type === null || row.subject_id === null ? null : { type: row.subject_type, id: row.subject_id },
  account_id: row.account_id,
  details: JSON.parse(row.details),
})

/** A page, newest first, of entries before the sequence `before`; `next` is null at the end. */
export const listAudit = async (
  store: Store,
  filter: AuditFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ readonly data: readonly AuditEntry[]; readonly next: number | null }> => {
  const conditions = [
    ['a.operator_id = ?', filter.operator_id],
    ['a.action = ?', filter.action],
    ['a.subject_id = ?', filter.subject_id],
    ['a.occurred_at >= ?', filter.from],
    ['a.occurred_at < ?', filter.to],
    ['a.sequence < ?', before],
  ] as const
  const given = conditions.filter(([, value]) => value !== null)
  const where = given.length === 0 ? '' : `WHERE ${given.map(([sql]) => sql).join(' AND ')}`
  const sql = `SELECT ${listColumns(auditColumns, 'a')}, o.name AS operator_name FROM audit a
    LEFT JOIN operators o ON o.id = a.operator_id ${where} ORDER BY a.sequence DESC LIMIT ${limit + 1}`
  const rows = await readAll(store, { sql, values: given.map(([, value]) => value), columns })
  const shown = rows.slice(0, limit)
  return { data: shown.map(toEntry), next: rows.length > limit ? (shown.at(-1)?.sequence ?? null) : null }
}

const pageRows = 500

/** All entries that are kept, the oldest first, as they are stored. */
export async function* readAudit(store: Store): AsyncGenerator<TableRow<'audit'>> {
  const sql = `SELECT ${listColumns(auditColumns)} FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ${pageRows}`
  for (let after = 0; ; ) {
    const rows = await readAll(store, { sql, values: [after], columns: auditColumns })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.sequence
  }
}

/** The log has an entry that does not follow the one before it. */
export class BrokenAuditError extends Error {
  override name = 'BrokenAuditError'
}

/**
 * Checks entries in their order, each by the hash of the one before; the first one is trusted where older ones are no
 * longer kept. @throws {BrokenAuditError}
 */
export const createAuditChecker = (): ((row: TableRow<'audit'>) => void) => {
  let last: { readonly sequence: number; readonly hash: string } | null = null
  return row => {
    const previous = last ?? (row.sequence === 1 ? { sequence: 0, hash: '' } : null)
    if (previous !== null && row.sequence !== previous.sequence + 1)
      throw new BrokenAuditError(`audit: entry ${previous.sequence + 1} is missing`)
    if (previous !== null && computeAuditHash(previous.hash, row) !== row.hash)
      throw new BrokenAuditError(`audit: entry ${row.sequence} was changed`)
    last = row
  }
}

const maxRemoved = 1000

/** Removes the oldest entries from before `until`; resolves with how many. */
export const removeOldAudit = async (store: Store, until: number): Promise<number> => {
  const sql = `SELECT sequence FROM audit WHERE occurred_at < ? ORDER BY occurred_at LIMIT ${maxRemoved}`
  const rows = await readAll(store, { sql, values: [until], columns: columnsOf('audit', 'sequence') })
  const last = Math.max(0, ...rows.map(({ sequence }) => sequence))
  if (last === 0) return 0
  const remove = { sql: 'DELETE FROM audit WHERE sequence <= ?', values: [last] }
  return (await store.commit(() => run(remove))).changed
}
