import type { TransactionType } from '../analysis/port.ts'
import { number, optional, type Row, type Statement, text, type Value } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { type Status, statuses } from './kind.ts'
import { type StageTimes, timesOf } from './transactions.ts'

/** What a list is of; null where it is all. Instants are epoch milliseconds, `created_to` is not in the list any more. */
export interface TransactionFilter {
  readonly status: readonly Status[] | null
  readonly transaction_type: TransactionType | null
  readonly customer_id: string | null
  readonly reference: string | null
  readonly created_from: number | null
  readonly created_to: number | null
}

/** The last transaction of a page: the next one begins after it, whatever was opened meanwhile. */
export interface ListPosition {
  readonly created_at: number
  readonly id: string
}

/** Which part of which list. */
export interface Page {
  readonly filter: TransactionFilter
  readonly after: ListPosition | null
  readonly limit: number
}

/** A transaction in a list: what is known of it without opening what is sealed. */
export interface ListedTransaction extends StageTimes {
  readonly id: string
  readonly customer_id: string
  readonly transaction_type: string
  readonly reference: string | null
  readonly status: string
}

const columns = `id, customer_id, transaction_type, reference, status, created_at, initiated_at, completed_at, processing_at, finished_at`

const transaction_types: readonly TransactionType[] = ['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']

type Condition = readonly [sql: string, ...values: Value[]]

const oneOf = (column: string, values: readonly string[]): Condition => [
  `${column} IN (${values.map(() => '?').join(', ')})`,
  ...values,
]

/** Everything but status and type, which may have to be asked for one by one. */
const conditionsOf = (account_id: string, { filter, after }: Page): readonly Condition[] => {
  const { customer_id, reference, created_from, created_to } = filter
  const conditions: (Condition | null)[] = [
    ['account_id = ?', account_id],
    customer_id === null ? null : ['customer_id = ?', customer_id],
    reference === null ? null : ['reference = ?', reference],
    created_from === null ? null : ['created_at >= ?', created_from],
    created_to === null ? null : ['created_at < ?', created_to],
    // In this form both engines begin at the right place of the index.
    after === null
      ? null
      : ['created_at <= ? AND (created_at < ? OR id < ?)', after.created_at, after.created_at, after.id],
  ]
  return conditions.filter(condition => condition !== null)
}

/**
 * Of many transactions few may have a status, and no index over time would find those. So each status and type is asked
 * for a page of its own, and the newest of them all are taken. A customer or a reference has few transactions.
 */
const branchesOf = (account_id: string, page: Page): readonly (readonly Condition[])[] => {
  const { status, transaction_type, customer_id, reference } = page.filter
  const shared = conditionsOf(account_id, page)
  if (status === null && transaction_type === null) return [shared]
  const types = transaction_type === null ? transaction_types : [transaction_type]
  const wanted = status ?? statuses
  if (customer_id !== null || reference !== null)
    return [[...shared, oneOf('transaction_type', types), oneOf('status', wanted)]]
  return types.flatMap(type =>
    wanted.map((one): readonly Condition[] => [...shared, ['transaction_type = ?', type], ['status = ?', one]]),
  )
}

const newest = 'ORDER BY created_at DESC, id DESC'

const selectBranch = (conditions: readonly Condition[], limit: number): Statement => ({
  sql: `SELECT ${columns} FROM transactions WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ${newest} LIMIT ${limit}`,
  values: conditions.flatMap(([, ...values]) => values),
})

/** The statement of a page, and of one transaction more, which tells whether there is a next one. */
export const selectPage = (account_id: string, page: Page): Statement => {
  const limit = page.limit + 1
  const branches = branchesOf(account_id, page).map(conditions => selectBranch(conditions, limit))
  const [only] = branches
  if (only !== undefined && branches.length === 1) return only
  const union = branches.map(({ sql }, index) => `SELECT * FROM (${sql}) b${index}`).join(' UNION ALL ')
  return { sql: `${union} ${newest} LIMIT ${limit}`, values: branches.flatMap(({ values }) => [...values]) }
}

const listed = (row: Row): ListedTransaction => ({
  id: text(row, 'id'),
  customer_id: text(row, 'customer_id'),
  transaction_type: text(row, 'transaction_type'),
  reference: optional(row, 'reference', text),
  status: text(row, 'status'),
  ...timesOf(row),
})

/** A page of a list, newest first; `next` is null at its end. */
export const listTransactions = async (
  store: Store,
  account_id: string,
  page: Page,
): Promise<{ readonly data: readonly ListedTransaction[]; readonly next: ListPosition | null }> => {
  const rows = await store.read(selectPage(account_id, page))
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const more = rows.length > page.limit && last !== undefined
  return {
    data: shown.map(listed),
    next: more ? { created_at: number(last, 'created_at'), id: text(last, 'id') } : null,
  }
}
