import { listColumns } from '../../packages/durable/store/columns.ts'
import { type Statement, toPlaceholders, type Value } from '../../packages/durable/store/statement.ts'
import { readAll, type Store } from '../../packages/durable/store/store.ts'
import { columnsOf } from '../database/schema.ts'
import { matchedColumns, type Order } from '../verification/transactions/list_transactions.ts'
import type { IdPage, TransactionSearch } from './find_transactions.ts'

/** Rows that one page looks at, so that none is slow. A page may hold few ids, or none, and still have a next one. */
const scannedRows = 2000

/** Rows that are adjacent in an index: a table `t` of transactions, the conditions and the order. */
export interface Scan {
  readonly from: string
  readonly values: readonly Value[]
  readonly includesErased?: boolean
}

/** What else a search asks for, of each row of a scan. */
function createMatch(search: TransactionSearch, includesErased: boolean): Statement {
  const { account_id, customer_id, transaction_type, status, decision, created_from, created_to } = search
  const equal = { account_id, customer_id, transaction_type }
  const among = { status, decision }
  const conditions: readonly (readonly [sql: string, ...values: readonly Value[]])[] = [
    ...(includesErased ? [] : [['t.erasure_id IS NULL'] as const]),
    ...Object.entries(equal).flatMap(([column, value]) =>
      value === null ? [] : [[`t.${column} = ?`, value] as const],
    ),
    ...Object.entries(among).flatMap(([column, values]) =>
      values === null ? [] : [[`t.${column} IN (${toPlaceholders(values)})`, ...values] as const],
    ),
    ...(created_from === null ? [] : [['t.created_at >= ?', created_from] as const]),
    ...(created_to === null ? [] : [['t.created_at < ?', created_to] as const]),
  ]
  return {
    sql: `CASE WHEN ${['1 = 1', ...conditions.map(([sql]) => sql)].join(' AND ')} THEN 1 ELSE 0 END`,
    values: conditions.flatMap(([, ...values]) => values),
  }
}

const columns = { ...columnsOf('transactions', 'id', 'awaiting_review_since'), is_match: 'count' } as const

interface ScannedRow {
  readonly id: string
  readonly awaiting_review_since: number | null
}

async function readPage<P>(
  store: Store,
  search: TransactionSearch,
  { from, values, includesErased = false }: Scan,
  { limit, toPosition }: { readonly limit: number; readonly toPosition: (row: ScannedRow) => P },
): Promise<IdPage<P>> {
  const match = createMatch(search, includesErased)
  const sql = `SELECT t.id, t.awaiting_review_since, ${match.sql} AS is_match ${from} LIMIT ${scannedRows}`
  const rows = await readAll(store, { sql, values: [...match.values, ...values], columns })
  const matching = rows.filter(({ is_match }) => is_match === 1)
  const shown = matching.slice(0, limit)
  const last = matching.length > limit ? shown.at(-1) : rows[scannedRows - 1]
  return { ids: shown.map(({ id }) => id), next: last === undefined ? null : toPosition(last) }
}

/** Selects the first rows of a scan, and which of them match. */
export function selectScanned(
  search: TransactionSearch,
  { from, values, includesErased = false }: Scan,
  limit: number,
): Statement {
  const match = createMatch(search, includesErased)
  return {
    sql: `SELECT ${listColumns(matchedColumns, 't')}, ${match.sql} AS is_match ${from} LIMIT ${limit}`,
    values: [...match.values, ...values],
  }
}

/** Ids are in the order of creation. */
interface IdOrder {
  readonly after: string | null
  readonly order: Order
}

function toIdOrder(column: string, { after, order }: IdOrder) {
  const [beyond, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  return {
    conditions: after === null ? [] : [[`${column} ${beyond} ?`, after] as const],
    orderBy: `ORDER BY ${column} ${direction}`,
  }
}

export function scanByIssue(search: TransactionSearch, issue: string, idOrder: IdOrder): Scan {
  const { account_id } = search
  const { conditions, orderBy } = toIdOrder('i.transaction_id', idOrder)
  const all = [
    ...(account_id === null ? [] : [['i.account_id = ?', account_id] as const]),
    ['i.code = ?', issue] as const,
    ...conditions,
  ]
  return {
    from: `FROM transaction_issues i JOIN transactions t ON t.id = i.transaction_id
      WHERE ${all.map(([sql]) => sql).join(' AND ')} ${orderBy}`,
    values: all.map(([, value]) => value),
  }
}

/** The transactions whose ids begin so, erased ones too; the index of the primary key finds them. */
export function scanByPrefix(prefix: string, idOrder: IdOrder): Scan {
  const { conditions, orderBy } = toIdOrder('t.id', idOrder)
  // All characters of an id are before `g`.
  const all = [['t.id >= ?', prefix] as const, ['t.id < ?', `${prefix}g`] as const, ...conditions]
  return {
    from: `FROM transactions t WHERE ${all.map(([sql]) => sql).join(' AND ')} ${orderBy}`,
    values: all.map(([, value]) => value),
    includesErased: true,
  }
}

/** A page of a scan by ids. */
export function findByScan(
  store: Store,
  search: TransactionSearch,
  scan: Scan,
  limit: number,
): Promise<IdPage<string>> {
  return readPage(store, search, scan, { limit, toPosition: ({ id }) => id })
}

export interface ReviewPosition {
  readonly since: number
  readonly id: string
}

/** The transactions that await review, the one that has waited longest first. */
export function scanAwaitingReview(after: ReviewPosition | null): Scan {
  // In this form both database engines seek directly in the index.
  const where =
    after === null
      ? 't.awaiting_review_since > 0'
      : 't.awaiting_review_since >= ? AND (t.awaiting_review_since > ? OR t.id > ?)'
  return {
    from: `FROM transactions t WHERE ${where} ORDER BY t.awaiting_review_since, t.id`,
    values: after === null ? [] : [after.since, after.since, after.id],
  }
}

export function findAwaitingReview(
  store: Store,
  search: TransactionSearch,
  { after, limit }: { readonly after: ReviewPosition | null; readonly limit: number },
): Promise<IdPage<ReviewPosition>> {
  const toPosition = (row: ScannedRow): ReviewPosition => ({
    since: Number(row.awaiting_review_since),
    id: row.id,
  })
  return readPage(store, search, scanAwaitingReview(after), { limit, toPosition })
}
