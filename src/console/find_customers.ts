import { readAll, readFirst, type Statement, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import type { HttpDeps } from '../http/deps.ts'
import { listAccounts } from '../identity/accounts/account_list.ts'
import { findCustomer } from '../identity/customers/customers.ts'

const columns = {
  ...columnsOf('customers', 'id', 'account_id', 'created_at'),
  account_name: columnsOf('accounts', 'name').name,
  is_enrolled: 'count',
} as const

function toView(row: RowOf<typeof columns>) {
  return {
    customer_id: row.id,
    account_id: row.account_id,
    account_name: row.account_name,
    created_at: isoTimestamp(row.created_at),
    is_enrolled: row.is_enrolled === 1,
    // Types want each column that is selected.
  } satisfies Readonly<Record<Exclude<keyof typeof columns, 'id'> | 'customer_id', unknown>>
}

// A join would let MariaDB begin with the accounts, and sort all of their customers.
const select = `SELECT c.id, c.account_id, c.created_at, (SELECT a.name FROM accounts a WHERE a.id = c.account_id) AS account_name,
    CASE WHEN c.face IS NULL THEN 0 ELSE 1 END AS is_enrolled
  FROM customers c`

/** @throws {ApiError} `not_found` */
export async function readCustomerRecord(store: Store, customer_id: string) {
  const row = await readFirst(store, { sql: `${select} WHERE c.id = ?`, values: [customer_id], columns })
  if (row === null) throw new ApiError('not_found', 'customer_id: not found')
  return toView(row)
}

/** @throws {ApiError} `not_found` */
export async function findCustomerAccount(store: Store, customer_id: string): Promise<string> {
  return (await readCustomerRecord(store, customer_id)).account_id
}

export async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  }
}

/** The customers with an external id, of one account or of each. */
export async function findByExternalId(
  { customers }: Pick<HttpDeps, 'customers'>,
  account_id: string | null,
  externalId: string,
) {
  const { store } = customers
  const accounts = account_id === null ? (await listAccounts(store)).map(one => one.account_id) : [account_id]
  const found = await Promise.all(accounts.map(one => orNull(findCustomer(customers, one, externalId))))
  return Promise.all(found.flatMap(one => (one === null ? [] : readCustomerRecord(store, one.customer_id))))
}

export interface CustomerPosition {
  readonly created_at: number
  readonly id: string
}

/** A page of customers, newest first, of one account or of all. */
export async function listCustomerRecords(
  store: Store,
  account_id: string | null,
  { after, limit }: { readonly after: CustomerPosition | null; readonly limit: number },
) {
  // In this form both database engines seek directly in the index.
  const beyond = (from: CustomerPosition): Statement => ({
    sql: 'c.created_at <= ? AND (c.created_at < ? OR c.id < ?)',
    values: [from.created_at, from.created_at, from.id],
  })
  const ofAccount = account_id === null ? [] : [store.dialect.equals('c.account_id', account_id)]
  const position = after && (account_id === null ? { sql: 'c.id < ?', values: [after.id] } : beyond(after))
  const conditions: readonly Statement[] = [...ofAccount, ...(position ? [position] : [])]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(one => one.sql).join(' AND ')}`
  const order = account_id === null ? 'c.id DESC' : 'c.account_id DESC, c.created_at DESC, c.id DESC'
  const sql = `${select} ${where} ORDER BY ${order} LIMIT ${limit + 1}`
  const rows = await readAll(store, { sql, values: conditions.flatMap(({ values }) => [...values]), columns })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map(toView), next: last === undefined ? null : { created_at: last.created_at, id: last.id } }
}
