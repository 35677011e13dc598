/** Every search of the console, with the statements that it runs and their plans. */

import type { Statement, Store } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { listCustomerRecords } from '../../src/console/find_customers.ts'
import type { SearchPlan, TransactionSearch } from '../../src/console/find_transactions.ts'
import { countMatches, durationOrders, findByDuration } from '../../src/console/matches.ts'
import { findPage, type SearchPage } from '../../src/console/scan_transactions.ts'
import {
  type Order,
  orders,
  selectPage,
  type TransactionFilter,
} from '../../src/verification/transactions/list_transactions.ts'
import type { ManyRows } from './many_rows.ts'

type Run = (store: Store) => Promise<unknown>

const limit = 20

const unfiltered = { status: null, transaction_type: null, decision: null, customer_id: null, reference: null }

function filters({ customer_id, middle }: ManyRows): Readonly<Record<string, Partial<TransactionFilter>>> {
  return {
    nothing: {},
    status: { status: ['PROCESSING'] },
    'three statuses': { status: ['PROCESSING', 'FAILED', 'EXPIRED'] },
    decision: { decision: ['REJECTED'] },
    'two decisions': { decision: ['REJECTED', 'UNDETERMINED'] },
    type: { transaction_type: 'BIOMETRIC_ONLY' },
    'type and status': { transaction_type: 'BIOMETRIC_ONLY', status: ['FAILED'] },
    'type, status and decision': { transaction_type: 'BIOMETRIC_ONLY', status: ['FINISHED'], decision: ['REJECTED'] },
    customer: { customer_id },
    'customer and decision': { customer_id, decision: ['APPROVED'] },
    reference: { reference: 'hash of 40' },
    'reference and status': { reference: 'hash of 40', status: ['FINISHED'] },
    time: { created_from: middle, created_to: middle + 60_000 },
    'time and decision': { created_from: middle, created_to: middle + 60_000, decision: ['REJECTED'] },
  }
}

const all: TransactionSearch = {
  ...unfiltered,
  created_from: null,
  created_to: null,
  account_id: null,
  external_customer_id: null,
  q: null,
}

/** Lists, by name, searches that count the newest matches, or sort them by their duration. */
export function listMatches(many: ManyRows, max: number): Readonly<Record<string, Run>> {
  const { account_id } = many
  const targets = [account_id, many.other_id].map(id => ({
    account_id: id,
    filter: { ...unfiltered, created_from: null, created_to: null },
  }))
  const plans: Readonly<Record<string, SearchPlan>> = {
    'of two accounts': { by: 'lists', targets },
    ...Object.fromEntries(
      Object.entries(filters(many)).map(([name, given]) => {
        const filter = { ...unfiltered, created_from: null, created_to: null, ...given }
        return [`of ${name}`, { by: 'lists', targets: [{ account_id, filter }] }]
      }),
    ),
    'of an issue': { by: 'issue', issue: 'GEO_IP_MISMATCH' },
    'of a prefix': { by: 'prefix', prefix: many.customer_id.slice(0, 8) },
    'of reviews': { by: 'review' },
  }
  const runs = Object.entries(plans).flatMap(([name, plan]) => [
    [`counts ${name}`, (store: Store) => countMatches(store, all, plan, max)] as const,
    ...durationOrders.map(
      order =>
        [
          `${order} ${name}`,
          (store: Store) => findByDuration(store, all, plan, { after: { took: 1000, id: newId() }, limit, order }, max),
        ] as const,
    ),
  ])
  return Object.fromEntries(runs)
}

/** Lists, by name, first pages, and those that go on from the middle. */
export function listSearches(many: ManyRows): Readonly<Record<string, Run>> {
  const { account_id, middle } = many
  const after = { created_at: middle, id: newId() }
  const pages = Object.entries(filters(many)).flatMap(([name, given]) => {
    const filter = { ...unfiltered, created_from: null, created_to: null, ...given }
    const page = (from: typeof after | null, order: Order) => (store: Store) =>
      store.read(selectPage(store.dialect, account_id, { filter, after: from, limit, order }))
    return orders.flatMap(order => [
      [`${name}, ${order}`, page(null, order)] as const,
      [`${name}, ${order}, further`, page(after, order)] as const,
    ])
  })
  const found = (plan: SearchPlan, search = all, from: Partial<SearchPage> = {}) => {
    const page = { after: null, order: 'newest', limit, ...from } as const
    return (store: Store) => findPage(store, search, plan, page)
  }
  const issue: SearchPlan = { by: 'issue', issue: 'GEO_IP_MISMATCH' }
  const expired: SearchPlan = { by: 'issue', issue: 'EXPIRED_DOCUMENT' }
  const prefix: SearchPlan = { by: 'prefix', prefix: many.customer_id.slice(0, 8) }
  const further = { after: { at: middle, id: many.customer_id } }
  const narrow = { ...all, account_id, status: ['FAILED'] as const, decision: null }
  const none = { ...unfiltered, created_from: null, created_to: null }
  const both: SearchPlan = {
    by: 'lists',
    targets: [account_id, many.other_id].map(id => ({ account_id: id, filter: none })),
  }
  return {
    ...Object.fromEntries(pages),
    'two accounts': found(both),
    'two accounts, oldest, further': found(both, all, { ...further, order: 'oldest' }),
    issue: found(expired),
    'issue, oldest': found(issue, all, { order: 'oldest' }),
    'issue, oldest, further': found(issue, all, { ...further, order: 'oldest' }),
    'issue, further': found(issue, all, further),
    'issue of an account': found(expired, { ...all, account_id }),
    'issue, account and status': found(issue, narrow),
    prefix: found(prefix),
    'prefix, oldest, further': found(prefix, all, { ...further, order: 'oldest' }),
    reviews: found({ by: 'review' }),
    'reviews, further': found({ by: 'review' }, all, { after: { at: middle, id: newId() } }),
    customers: store => listCustomerRecords(store, null, { after: null, limit }),
    'customers, further': store =>
      listCustomerRecords(store, null, { after: { ...after, id: many.customer_id }, limit }),
    'customers of an account': store => listCustomerRecords(store, account_id, { after: null, limit }),
    'customers of an account, further': store => listCustomerRecords(store, account_id, { after, limit }),
  }
}

/** The way the database reads one table. */
export interface PlanStep {
  readonly table: string
  readonly text: string
  /** Whether it reads through an index, from the page's beginning. */
  readonly isIndexed: boolean
  readonly isSorted: boolean
}

async function explainStatement(store: Store, { sql, values }: Statement): Promise<readonly PlanStep[]> {
  if (store.dialect.name === 'sqlite') {
    const plan = await store.read({ sql: `EXPLAIN QUERY PLAN ${sql}`, values })
    return plan.map(row => {
      const text = String(row.detail)
      const [, table = ''] = /(?:SCAN|SEARCH) (\w+)/.exec(text) ?? []
      return { table, text, isIndexed: !/^SCAN(?!.* USING )/.test(text), isSorted: text.includes('TEMP B-TREE') }
    })
  }
  const plan = await store.read({ sql: `EXPLAIN ${sql}`, values })
  return plan.map(row => {
    const text = `${row.table} ${row.type} ${row.key} ${row.rows} ${row.Extra ?? ''}`
    const isDerived = String(row.table).startsWith('<')
    return {
      table: String(row.table ?? ''),
      text,
      isIndexed: isDerived || row.type !== 'ALL' || row.table === null,
      isSorted: text.includes('filesort') && !isDerived,
    }
  })
}

/** The plans of all statements that a search runs. */
export async function explainSearch(store: Store, run: Run): Promise<readonly PlanStep[]> {
  const seen: Statement[] = []
  await run({
    ...store,
    read: statement => {
      seen.push(statement)
      return store.read(statement)
    },
  })
  return (await Promise.all(seen.map(statement => explainStatement(store, statement)))).flat()
}
