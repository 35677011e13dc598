import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf, toNullableColumns } from 'durable-xstate-sql/sql'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import { tables } from '../../database/tables.ts'
import type { AuditAction } from '../../database/words.ts'
import type { AuditDetails } from './audit.ts'

/** Null filters nothing; times are epoch milliseconds, `to` is exclusive. */
export interface AuditFilter {
  readonly operator_id: string | null
  readonly client_id: string | null
  readonly action: AuditAction | null
  readonly subject_id: string | null
  readonly from: number | null
  readonly to: number | null
}

const { columns: auditColumns } = tables.audit

const columns = { ...auditColumns, operator_name: toNullableColumns(columnsOf('operators', 'name')).name } as const

/** An entry as operators read it. */
function toEntry(row: RowOf<typeof columns>) {
  return {
    sequence: row.sequence,
    occurred_at: isoTimestamp(row.occurred_at),
    operator_id: row.operator_id,
    operator_name: row.operator_name,
    client_id: row.client_id,
    action: row.action,
    address: row.address,
    subject:
      row.subject_type === null || row.subject_id === null ? null : { type: row.subject_type, id: row.subject_id },
    account_id: row.account_id,
    details: JSON.parse(row.details) as AuditDetails,
  }
}

export type AuditEntry = ReturnType<typeof toEntry>

/** A page, newest first, of entries before the sequence `before`; `next` is null at the end. */
export async function listAudit(
  store: Store,
  filter: AuditFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ readonly data: readonly AuditEntry[]; readonly next: number | null }> {
  const conditions = [
    ['a.operator_id = ?', filter.operator_id],
    ['a.client_id = ?', filter.client_id],
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
