import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf, toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { findPathRange } from '../database/prefix_path.ts'
import { columnsOf } from '../database/schema.ts'
import type { HttpDeps } from '../http/deps.ts'
import { listAccounts } from '../identity/accounts/account_list.ts'
import { findCustomer, findExternalIdRange } from '../identity/customers/customers.ts'
import type { TransactionFilter } from '../verification/transactions/list_transactions.ts'
import { hashReference } from '../verification/transactions/reference.ts'
import { toStageTimes } from '../verification/transactions/transactions.ts'
import { orNull } from './find_customers.ts'

/** An operator's search; null does not filter. Times are epoch milliseconds, `created_to` is exclusive. */
export interface TransactionSearch extends Omit<TransactionFilter, 'reference'> {
  readonly account_id: string | null
  /** The reference in plain text: its HMAC differs for each account. */
  readonly reference: string | null
  readonly external_customer_id: string | null
  /**
   * Any one of: id of a transaction or a customer, reference, external customer id; or, with at least three characters,
   * how one begins.
   */
  readonly q: string | null
}

const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'transaction_type', 'status', 'decision'),
  ...columnsOf('transactions', 'created_at', 'initiated_at', 'completed_at', 'processing_at', 'finished_at'),
  ...columnsOf('transactions', 'reason', 'country', 'awaiting_review_since'),
} as const

const foundColumns = { ...columns, account_name: columnsOf('accounts', 'name').name } as const

export type FoundRow = RowOf<typeof foundColumns>

/** Types want each column that is selected. */
type Shown = Exclude<keyof FoundRow, 'awaiting_review_since'> | 'awaiting_review'

/** Nothing personal. */
export function viewFound(row: FoundRow) {
  return {
    id: row.id,
    account_id: row.account_id,
    account_name: row.account_name,
    customer_id: row.customer_id,
    transaction_type: row.transaction_type,
    status: row.status,
    decision: row.decision,
    // Why it was not approved, or awaits review: an issue code.
    reason: row.reason,
    // ISO 3166-1 alpha-2 of the state that issued its document.
    country: row.country,
    awaiting_review: row.awaiting_review_since !== null,
    ...toStageTimes(row),
  } satisfies Readonly<Record<Shown, unknown>>
}

export type FoundTransaction = ReturnType<typeof viewFound>

/** Transactions by their ids, in the order of the ids. */
export async function readFound(store: Store, ids: readonly string[]): Promise<readonly FoundTransaction[]> {
  if (ids.length === 0) return []
  const sql = `SELECT ${listColumns(columns, 't')}, a.name AS account_name FROM transactions t
    JOIN accounts a ON a.id = t.account_id WHERE t.id IN (${toPlaceholders(ids)})`
  const rows = new Map((await readAll(store, { sql, values: ids, columns: foundColumns })).map(row => [row.id, row]))
  return ids.flatMap(id => rows.get(id) ?? []).map(viewFound)
}

/** One list of one account, read by its own index. */
export interface Target {
  readonly account_id: string
  readonly filter: TransactionFilter
}

/** Up to this many accounts are searched one by one; with more, the search must name one. */
export const maxAccounts = 50

async function findAccount(store: Store, table: 'customers' | 'transactions', id: string): Promise<string | null> {
  const sql = `SELECT account_id FROM ${table} WHERE id = ?`
  return (await readFirst(store, { sql, values: [id], columns: columnsOf(table, 'account_id') }))?.account_id ?? null
}

/** A list shows eight characters of an id: a search takes those, or more. */
const prefixPattern = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i

/** The first ids of a table that begin so; the index of the primary key finds them. */
async function findByPrefix(
  store: Store,
  table: 'customers' | 'transactions',
  { q, account_id }: TransactionSearch,
): Promise<readonly string[]> {
  if (q === null || !prefixPattern.test(q)) return []
  const prefix = q.toLowerCase()
  const [sql, values] = account_id === null ? ['', []] : [' AND account_id = ?', [account_id]]
  const rows = await readAll(store, {
    // All characters of an id are before `g`.
    sql: `SELECT id FROM ${table} WHERE id >= ? AND id < ?${sql} ORDER BY id LIMIT 2`,
    values: [prefix, `${prefix}g`, ...values],
    columns: columnsOf(table, 'id'),
  })
  return rows.map(({ id }) => id)
}

export type SearchDeps = Pick<HttpDeps, 'transactions' | 'customers'>

/** The account that is given, or all. @throws {ApiError} where there are too many */
async function listSearched(store: Store, given: string | null): Promise<readonly string[]> {
  const accounts = given === null ? (await listAccounts(store)).map(account => account.account_id) : [given]
  if (accounts.length > maxAccounts)
    throw new ApiError('invalid_field', `account_id: is required where there are more than ${maxAccounts} accounts`)
  return accounts
}

async function createTargets(
  { transactions, customers }: SearchDeps,
  search: TransactionSearch,
): Promise<readonly Target[]> {
  const { store, referenceKey } = transactions
  const { account_id: given, reference, external_customer_id, q, ...filter } = search
  const { customer_id } = filter
  const hash = (account_id: string, text: string | null): string | null =>
    text === null ? null : hashReference(referenceKey, account_id, text)
  const byReference = (account_id: string, text: string | null): Target => ({
    account_id,
    filter: { ...filter, reference: hash(account_id, text) },
  })
  const byCustomer = (account_id: string, id: string): Target => ({
    account_id,
    filter: { ...filter, customer_id: id, reference: hash(account_id, reference) },
  })
  if (customer_id !== null) {
    const account_id = await findAccount(store, 'customers', customer_id)
    if (account_id === null || (given !== null && given !== account_id)) return []
    return [byCustomer(account_id, customer_id)]
  }
  const accounts = await listSearched(store, given)
  const byExternalId = async (account_id: string, text: string): Promise<readonly Target[]> => {
    const customer = await orNull(findCustomer(customers, account_id, text))
    return customer === null ? [] : [byCustomer(account_id, customer.customer_id)]
  }
  const text = external_customer_id ?? q
  const external = text === null ? [] : (await Promise.all(accounts.map(one => byExternalId(one, text)))).flat()
  if (external_customer_id !== null) return external
  return [...external, ...accounts.map(one => byReference(one, reference ?? q))]
}

/** The way in which a search is read: by something that few transactions have, or by lists. */
export type SearchPlan =
  | { readonly by: 'review' }
  | { readonly by: 'issue'; readonly issue: string }
  | { readonly by: 'prefix'; readonly prefix: string }
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'lists'; readonly targets: readonly Target[] }

/** The conditions of a search beside its filters. */
export interface SearchOptions {
  readonly issue: string | null
  readonly awaiting_review: boolean
  /** Whether references and external ids are found by how they begin: an operator who may not read them could guess them so. */
  readonly by_prefix: boolean
}

/** More that begin alike are not listed: who looks for one of them writes more of it. */
const maxBegun = 200

/** Transactions whose reference, or whose customer's external id, is so or begins so. */
async function findBegun(deps: SearchDeps, search: TransactionSearch): Promise<readonly string[]> {
  const { q } = search
  const { store, referenceKey } = deps.transactions
  if (q === null) return []
  const accounts = await listSearched(store, search.account_id)
  const read = async (sql: string, ...values: readonly string[]): Promise<readonly string[]> =>
    (await readAll(store, { sql, values, columns: { id: 'id' } })).map(({ id }) => id)
  const inAccount = async (account_id: string): Promise<readonly string[]> => {
    const ofReference = findPathRange(referenceKey, account_id, q)
    const ofCustomer = findExternalIdRange(deps.customers, account_id, q)
    if (ofReference === null || ofCustomer === null) return []
    const customer = await orNull(findCustomer(deps.customers, account_id, q))
    const ofReferenceItself = `SELECT id FROM transactions WHERE account_id = ? AND reference = ?
      ORDER BY created_at DESC, id DESC LIMIT ${maxBegun}`
    const ofCustomerItself = `SELECT id FROM transactions WHERE customer_id = ? ORDER BY created_at DESC LIMIT ${maxBegun}`
    const begun = `SELECT id FROM transactions WHERE account_id = ? AND reference_path >= ? AND reference_path < ?
      LIMIT ${maxBegun}`
    const ofCustomers = `SELECT t.id FROM customers c JOIN transactions t ON t.customer_id = c.id
      WHERE c.account_id = ? AND c.lookup_path >= ? AND c.lookup_path < ? LIMIT ${maxBegun}`
    return [
      ...(await read(ofReferenceItself, account_id, hashReference(referenceKey, account_id, q))),
      ...(customer === null ? [] : await read(ofCustomerItself, customer.customer_id)),
      ...(await read(begun, account_id, ...ofReference)),
      ...(await read(ofCustomers, account_id, ...ofCustomer)),
    ]
  }
  // Exact matches come first.
  return [...new Set((await Promise.all(accounts.map(inAccount))).flat())].slice(0, maxBegun)
}

export async function planSearch(
  deps: SearchDeps,
  search: TransactionSearch,
  { issue, awaiting_review, by_prefix }: SearchOptions,
): Promise<SearchPlan> {
  if (awaiting_review) return { by: 'review' }
  if (issue !== null) return { by: 'issue', issue }
  const { store } = deps.transactions
  const named = await findByPrefix(store, 'transactions', search)
  if (named.length > 0) return { by: 'prefix', prefix: (search.q ?? '').toLowerCase() }
  const [customer_id = null, ...others] = await findByPrefix(store, 'customers', search)
  const begun = customer_id === null || others.length > 0 ? {} : { customer_id }
  const ids = by_prefix && customer_id === null ? await findBegun(deps, search) : []
  if (ids.length > 0) return { by: 'ids', ids }
  return { by: 'lists', targets: await createTargets(deps, { ...search, ...begun }) }
}
