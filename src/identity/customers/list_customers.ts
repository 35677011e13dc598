import { readAll, type Statement } from 'durable-xstate-sql'
import { listColumns } from 'durable-xstate-sql/sql'
import { type CustomerDeps, type CustomerView, customerColumns, toCustomerView } from './customers.ts'

/** The last customer of a page. The next page begins after it, even if others were registered in between. */
export interface CustomerPosition {
  readonly created_at: number
  readonly id: string
}

/** Times are epoch milliseconds; `created_to` is exclusive. */
export interface CustomerPage {
  readonly created_from: number | null
  readonly created_to: number | null
  readonly after: CustomerPosition | null
  readonly limit: number
}

/** In this form both database engines seek directly in the index. */
function comesAfter({ created_at, id }: CustomerPosition): Statement {
  return {
    sql: 'created_at <= ? AND (created_at < ? OR id < ?)',
    values: [created_at, created_at, id],
  }
}

/** A page of an account's customers, newest first; `next` is null at its end. */
export async function listCustomers(
  { store, serviceKeys }: CustomerDeps,
  account_id: string,
  { created_from, created_to, after, limit }: CustomerPage,
): Promise<{ readonly data: readonly CustomerView[]; readonly next: CustomerPosition | null }> {
  const conditions: readonly Statement[] = [
    store.dialect.equals('account_id', account_id),
    ...(created_from === null ? [] : [{ sql: 'created_at >= ?', values: [created_from] }]),
    ...(created_to === null ? [] : [{ sql: 'created_at < ?', values: [created_to] }]),
    ...(after === null ? [] : [comesAfter(after)]),
  ]
  const rows = await readAll(store, {
    sql: `SELECT ${listColumns(customerColumns)} FROM customers WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY account_id DESC, created_at DESC, id DESC LIMIT ${limit + 1}`,
    values: conditions.flatMap(({ values }) => [...values]),
    columns: customerColumns,
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next = rows.length > limit && last !== undefined
  return {
    data: shown.map(row => toCustomerView(serviceKeys, row)),
    next: next ? { created_at: last.created_at, id: last.id } : null,
  }
}
