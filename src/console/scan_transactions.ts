import type { Value } from '../../packages/durable/store/statement.ts'
import { readAll, type Store } from '../../packages/durable/store/store.ts'
import { columnsOf } from '../database/schema.ts'
import type { Order } from '../verification/transactions/list_transactions.ts'
import type { IdPage, TransactionSearch } from './find_transactions.ts'

/** Rows that one page looks at, so that none is slow. A page may hold few ids, or none, and still have a next one. */
const scannedRows = 2000

const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'status', 'decision', 'transaction_type', 'customer_id'),
  ...columnsOf('transactions', 'created_at', 'awaiting_review_since', 'erasure_id'),
} as const

type ScannedRow = { readonly [N in keyof typeof columns]: string | number | null }

function isAmong(given: readonly string[] | null, value: unknown): boolean {
  return given === null || given.some(one => one === value)
}

function matches(search: TransactionSearch, row: ScannedRow): boolean {
  return (
    row.erasure_id === null &&
    isAmong(search.account_id === null ? null : [search.account_id], row.account_id) &&
    isAmong(search.customer_id === null ? null : [search.customer_id], row.customer_id) &&
    isAmong(search.transaction_type === null ? null : [search.transaction_type], row.transaction_type) &&
    isAmong(search.status, row.status) &&
    isAmong(search.decision, row.decision) &&
    Number(row.created_at) >= (search.created_from ?? 0) &&
    Number(row.created_at) < (search.created_to ?? Number.MAX_SAFE_INTEGER)
  )
}

const select = 't.id, t.account_id, t.status, t.decision, t.transaction_type, t.customer_id, t.created_at'

interface Scan<P> {
  readonly sql: string
  readonly values: readonly Value[]
  readonly toPosition: (row: ScannedRow) => P
}

async function readPage<P>(
  store: Store,
  search: TransactionSearch,
  { sql, values, toPosition }: Scan<P>,
  limit: number,
): Promise<IdPage<P>> {
  const rows = await readAll(store, { sql: `${sql} LIMIT ${scannedRows}`, values, columns })
  const matching = rows.filter(row => matches(search, row))
  const shown = matching.slice(0, limit)
  const last = matching.length > limit ? shown.at(-1) : rows[scannedRows - 1]
  return { ids: shown.map(({ id }) => id), next: last === undefined ? null : toPosition(last) }
}

/** A page of the transactions with an issue, by their ids, which are in the order of creation; after the id `after`. */
export function findByIssue(
  store: Store,
  search: TransactionSearch,
  issue: string,
  { after, limit, order }: { readonly after: string | null; readonly limit: number; readonly order: Order },
): Promise<IdPage<string>> {
  const [beyond, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  const { account_id } = search
  const conditions = [
    ...(account_id === null ? [] : [['i.account_id = ?', account_id] as const]),
    ['i.code = ?', issue] as const,
    ...(after === null ? [] : [[`i.transaction_id ${beyond} ?`, after] as const]),
  ]
  const sql = `SELECT ${select}, t.awaiting_review_since, t.erasure_id
    FROM transaction_issues i JOIN transactions t ON t.id = i.transaction_id
    WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY i.transaction_id ${direction}`
  const values = conditions.map(([, value]) => value)
  return readPage(store, search, { sql, values, toPosition: row => String(row.id) }, limit)
}

export interface ReviewPosition {
  readonly since: number
  readonly id: string
}

/** A page of the transactions that await review, the one that has waited longest first. */
export function findAwaitingReview(
  store: Store,
  search: TransactionSearch,
  { after, limit }: { readonly after: ReviewPosition | null; readonly limit: number },
): Promise<IdPage<ReviewPosition>> {
  // In this form both database engines seek directly in the index.
  const where =
    after === null
      ? 't.awaiting_review_since > 0'
      : 't.awaiting_review_since >= ? AND (t.awaiting_review_since > ? OR t.id > ?)'
  const sql = `SELECT ${select}, t.awaiting_review_since, t.erasure_id FROM transactions t
    WHERE ${where} ORDER BY t.awaiting_review_since, t.id`
  const values = after === null ? [] : [after.since, after.since, after.id]
  const toPosition = (row: ScannedRow): ReviewPosition => ({
    since: Number(row.awaiting_review_since),
    id: String(row.id),
  })
  return readPage(store, search, { sql, values, toPosition }, limit)
}
