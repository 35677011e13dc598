import { decisions, type IssueCode, issueCatalogue, transactionTypes } from '@attestor/rules'
import type { z } from 'zod'
import { statuses } from '../../../machines/words.ts'
import { defineUndocumented, type EndpointDeps } from '../../http/endpoint.ts'
import {
  idParameter,
  limitParameter,
  single,
  timeParameter,
  wordParameter,
  wordsParameter,
} from '../../http/parameters.ts'
import { textField } from '../../schemas/fields.ts'
import { type Order, orders } from '../../verification/transactions/list_transactions.ts'
import { readQueue } from '../claims.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import {
  planSearch,
  readFound,
  type SearchOptions,
  type SearchPlan,
  type TransactionSearch,
} from '../find_transactions.ts'
import { countMatches, type DurationOrder, type DurationPosition, durationOrders, findByDuration } from '../matches.ts'
import { findPage, type IdPage, type Position } from '../scan_transactions.ts'
import { recordSearch } from '../search_audit.ts'

const codes = Object.keys(issueCatalogue) as [IssueCode, ...IssueCode[]]

type ListOrder = Order | DurationOrder

type Asked = Omit<SearchOptions, 'by_prefix'>

function isByDuration(order: ListOrder): order is DurationOrder {
  return durationOrders.some(one => one === order)
}

interface AskedPage {
  readonly cursor: string | undefined
  readonly limit: number
  readonly order: ListOrder
}

/** Each way of finding has a list of its own, and so cursors of its own. */
async function readSearchPage(
  { cursors, transactions: { store } }: EndpointDeps,
  search: TransactionSearch,
  asked: SearchOptions,
  plan: SearchPlan,
  { cursor, limit, order }: AskedPage,
) {
  const list = ['console', 'transactions', search, asked, order, plan.by]
  const find = async <P>(page: (after: P | null) => Promise<IdPage<P>>) => {
    const { ids, next } = await page(cursors.read<P>(list, cursor))
    return { ids, next_cursor: cursors.write(list, next) }
  }
  if (!isByDuration(order)) return find<Position>(after => findPage(store, search, plan, { after, limit, order }))
  if (plan.by === 'review')
    return find<Position>(after => findPage(store, search, plan, { after, limit, order: 'oldest' }))
  return find<DurationPosition>(after => findByDuration(store, search, plan, { after, limit, order }))
}

const text = single.pipe(textField(1, 255)).optional()

const filters = {
  q: text,
  account_id: idParameter.optional(),
  customer_id: idParameter.optional(),
  external_customer_id: text,
  reference: text,
  status: wordsParameter(statuses).optional(),
  decision: wordsParameter(decisions).optional(),
  transaction_type: wordParameter(transactionTypes).optional(),
  issue: wordParameter(codes).optional(),
  awaiting_review: wordParameter(['true', 'false']).optional(),
  created_from: timeParameter.optional(),
  created_to: timeParameter.optional(),
}

function toSearch(given: z.output<z.ZodObject<typeof filters>>): {
  readonly search: TransactionSearch
  readonly asked: Asked
} {
  const search = {
    q: given.q ?? null,
    account_id: given.account_id ?? null,
    customer_id: given.customer_id ?? null,
    external_customer_id: given.external_customer_id ?? null,
    reference: given.reference ?? null,
    status: given.status ?? null,
    decision: given.decision ?? null,
    transaction_type: given.transaction_type ?? null,
    created_from: given.created_from ?? null,
    created_to: given.created_to ?? null,
  }
  return { search, asked: { issue: given.issue ?? null, awaiting_review: given.awaiting_review === 'true' } }
}

/** A page of transactions of all accounts in the wanted order; of those that await review always the oldest first. */
export const findTransactions = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/transaction`,
  request: {
    query: {
      ...filters,
      order: wordParameter([...orders, ...durationOrders]).default('newest'),
      limit: limitParameter(100, 20),
      cursor: single.optional(),
    },
  },
  async handler({ query, caller }, deps) {
    const { limit, cursor, order, ...given } = query
    const { search, asked } = toSearch(given)
    const options = { ...asked, by_prefix: caller.role !== 'viewer' }
    const plan = await planSearch(deps, search, options)
    if (options.by_prefix) await recordSearch(deps, caller, search, plan)
    const { ids, next_cursor } = await readSearchPage(deps, search, options, plan, { limit, cursor, order })
    const { store, clock } = deps.operators
    const found = await readFound(store, ids)
    const waiting = found.filter(({ awaiting_review }) => awaiting_review).map(one => one.id)
    const queue = await readQueue(store, waiting, clock.now())
    return {
      status: 200,
      body: { data: found.map(one => ({ ...one, review: queue.get(one.id) ?? null })), next_cursor },
    }
  },
})

/** Counts the outcomes of the newest transactions that a search finds. */
export const countTransactions = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/transaction-count`,
  request: { query: filters },
  async handler({ query, caller }, deps) {
    const { search, asked } = toSearch(query)
    const by_prefix = caller.role !== 'viewer'
    const plan = await planSearch(deps, search, { ...asked, by_prefix })
    if (by_prefix) await recordSearch(deps, caller, search, plan)
    return { status: 200, body: await countMatches(deps.transactions.store, search, plan) }
  },
})
