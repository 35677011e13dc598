import { type Decision, type TransactionType, transactionTypes } from '@attestor/rules'
import { readAll, type Statement } from 'durable-xstate-sql'
import {
  type Dialect,
  listColumns,
  type RowOf,
  toNullableColumns,
  toPlaceholders,
  type Value,
} from 'durable-xstate-sql/sql'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { statuses } from '../../../machines/words.ts'
import { columnsOf } from '../../database/schema.ts'
import type { TransactionDeps } from './deps.ts'
import { decryptReference } from './reference.ts'
import { toStageTimes } from './transactions.ts'

/** Null does not filter. Times are epoch milliseconds; `created_to` is exclusive. */
export interface TransactionFilter {
  readonly status: readonly TransactionStatus[] | null
  readonly transaction_type: TransactionType | null
  readonly decision: readonly Decision[] | null
  readonly customer_id: string | null
  /** The reference's hash, from `hashReference`. */
  readonly reference: string | null
  readonly created_from: number | null
  readonly created_to: number | null
}

/** The orders of creation. */
export const orders = ['newest', 'oldest'] as const

export type Order = (typeof orders)[number]

/** The last transaction of a page. The next page begins after it, even if others were opened in between. */
export interface ListPosition {
  readonly created_at: number
  readonly id: string
}

export interface TransactionPage {
  readonly filter: TransactionFilter
  readonly after: ListPosition | null
  readonly limit: number
  /** The transactions that come first. */
  readonly order: Order
}

const columns = {
  ...columnsOf('transactions', 'id', 'customer_id', 'transaction_type', 'reference', 'encrypted_reference', 'status'),
  ...columnsOf('transactions', 'decision', 'created_at', 'initiated_at', 'completed_at', 'processing_at'),
  ...columnsOf('transactions', 'finished_at'),
} as const

const listedColumns = { ...columns, ...toNullableColumns(columnsOf('customers', 'data_key')) } as const

const selectedColumns = `${listColumns(columns)}, CASE WHEN encrypted_reference IS NULL THEN NULL
  ELSE (SELECT c.data_key FROM customers c WHERE c.id = transactions.customer_id) END AS data_key`

/** Only these have a decision. */
const decidedStatuses: readonly TransactionStatus[] = ['FINISHED', 'FAILED']

type Condition = Statement

function createCondition(sql: string, ...values: Value[]): Condition {
  return { sql, values }
}

function createInCondition(column: string, values: readonly string[]): Condition {
  return createCondition(`${column} IN (${toPlaceholders(values)})`, ...values)
}

/** All transactions of a customer who is being erased disappear at once. A semi-join would lose the index's order. */
const hasCustomer = '(SELECT COUNT(*) FROM customers c WHERE c.id = transactions.customer_id) = 1'

/** Selects transactions that are not erased, in the requested period, and after the last page. */
function createTimeConditions({
  filter: { created_from, created_to },
  after,
  order,
}: TransactionPage): readonly Condition[] {
  return [
    createCondition('erasure_id IS NULL'),
    createCondition(hasCustomer),
    ...(created_from === null ? [] : [createCondition('created_at >= ?', created_from)]),
    ...(created_to === null ? [] : [createCondition('created_at < ?', created_to)]),
    ...(after === null
      ? []
      : // In this form both database engines seek directly in the index.
        [
          createCondition(
            order === 'newest'
              ? 'created_at <= ? AND (created_at < ? OR id < ?)'
              : 'created_at >= ? AND (created_at > ? OR id > ?)',
            after.created_at,
            after.created_at,
            after.id,
          ),
        ]),
  ]
}

/** Rows that are adjacent in an index: equal in some columns, ordered by time. */
interface Branch {
  readonly equal: Readonly<Record<string, string>>
  readonly conditions: readonly Condition[]
}

/**
 * Few of many transactions may have a certain status, and an index by time alone would scan them all. So each combination
 * of status and type selects a page of its own, and the newest rows of all of them make the page. A customer or a
 * reference has few transactions.
 */
function createBranches(account_id: string, page: TransactionPage): readonly Branch[] {
  const { status, transaction_type, decision, customer_id, reference } = page.filter
  const conditions = createTimeConditions(page)
  const wanted = status ?? statuses
  const types = transaction_type === null ? transactionTypes : [transaction_type]
  if (customer_id !== null || reference !== null) {
    const others = [
      createCondition('account_id = ?', account_id),
      createInCondition('status', wanted),
      createInCondition('transaction_type', types),
      ...(decision === null ? [] : [createInCondition('decision', decision)]),
    ]
    if (customer_id === null) return [{ equal: { reference: reference ?? '' }, conditions: [...others, ...conditions] }]
    if (reference !== null) others.push(createCondition('reference = ?', reference))
    return [{ equal: { customer_id }, conditions: [...others, ...conditions] }]
  }
  if (decision !== null) {
    const ofType = [createInCondition('transaction_type', types), ...conditions]
    return decision.flatMap(one =>
      wanted
        .filter(other => decidedStatuses.includes(other) || status !== null)
        .map(other => ({ equal: { account_id, decision: one, status: other }, conditions: ofType })),
    )
  }
  if (status === null && transaction_type === null) return [{ equal: { account_id }, conditions }]
  return types.flatMap(type =>
    wanted.map(one => ({ equal: { account_id, transaction_type: type, status: one }, conditions })),
  )
}

const directions = { newest: 'DESC', oldest: 'ASC' } as const

/** Orders by these columns and then by time, all in one direction: an index is read forwards or backwards. */
function orderBy(columns: readonly string[], order: Order): string {
  return [...columns, 'created_at', 'id'].map(column => `${column} ${directions[order]}`).join(', ')
}

function selectBranch(
  { equals }: Dialect,
  { equal, conditions }: Branch,
  { limit, order }: Pick<TransactionPage, 'limit' | 'order'>,
  columns: string,
): Statement {
  const all = [...Object.entries(equal).map(([column, value]) => equals(column, value)), ...conditions]
  return {
    sql: `SELECT ${columns} FROM transactions WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY ${orderBy(Object.keys(equal), order)} LIMIT ${limit}`,
    values: all.flatMap(({ values }) => [...values]),
  }
}

/** Selects these columns of the first transactions of an account that fit. */
export function selectListed(dialect: Dialect, account_id: string, page: TransactionPage, columns: string): Statement {
  const { order, limit } = page
  const branches = createBranches(account_id, page).map(branch => selectBranch(dialect, branch, page, columns))
  const [only] = branches
  if (only !== undefined && branches.length === 1) return only
  const union = branches.map(({ sql }, index) => `SELECT * FROM (${sql}) b${index}`).join(' UNION ALL ')
  return {
    sql: `${union} ORDER BY ${orderBy([], order)} LIMIT ${limit}`,
    values: branches.flatMap(({ values }) => [...values]),
  }
}

/** Selects a page and one row more, which shows whether there is a next page. */
export function selectPage(dialect: Dialect, account_id: string, page: TransactionPage): Statement {
  return selectListed(dialect, account_id, { ...page, limit: page.limit + 1 }, selectedColumns)
}

/** A transaction in a list, without its result. */
function toListedTransaction(deps: Pick<TransactionDeps, 'customerKey'>, row: RowOf<typeof listedColumns>) {
  return {
    id: row.id,
    customer_id: row.customer_id,
    transaction_type: row.transaction_type,
    reference: decryptReference(deps, row),
    status: row.status,
    decision: row.decision,
    ...toStageTimes(row),
  }
}

export type ListedTransaction = ReturnType<typeof toListedTransaction>

/** `next` is null at the end of the list. */
export async function listTransactions(
  deps: Pick<TransactionDeps, 'store' | 'customerKey'>,
  account_id: string,
  page: TransactionPage,
): Promise<{ readonly data: readonly ListedTransaction[]; readonly next: ListPosition | null }> {
  const { store } = deps
  const rows = await readAll(store, { ...selectPage(store.dialect, account_id, page), columns: listedColumns })
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const more = rows.length > page.limit && last !== undefined
  return {
    data: shown.map(row => toListedTransaction(deps, row)),
    next: more ? { created_at: last.created_at, id: last.id } : null,
  }
}
