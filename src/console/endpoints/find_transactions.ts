import { decisions, statuses, transactionTypes } from '../../../machines/words.ts'
import { type IssueCode, issueCatalogue } from '../../decision/issues.ts'
import { json } from '../../http/content.ts'
import { defineEndpoint, type EndpointDeps } from '../../http/endpoint.ts'
import { textField } from '../../http/fields.ts'
import {
  idParameter,
  limitParameter,
  single,
  timeParameter,
  wordParameter,
  wordsParameter,
} from '../../http/parameters.ts'
import { pageOf } from '../../http/shapes/common.ts'
import { type ListPosition, type Order, orders } from '../../verification/transactions/list_transactions.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import { findTransactions as findPage, readFound, type TransactionSearch } from '../find_transactions.ts'
import { findAwaitingReview, findByIssue, type ReviewPosition } from '../scan_transactions.ts'
import { foundTransaction } from '../shapes/transaction.ts'

const codes = Object.keys(issueCatalogue) as [IssueCode, ...IssueCode[]]

interface Asked {
  readonly issue: string | null
  readonly awaiting_review: boolean
  readonly cursor: string | undefined
  readonly limit: number
  readonly order: Order
}

/** Each way of finding has a list of its own, and so cursors of its own. */
async function readSearchPage(
  deps: EndpointDeps,
  search: TransactionSearch,
  { issue, awaiting_review, cursor, limit, order }: Asked,
) {
  const { cursors, transactions } = deps
  const list = ['console', 'transactions', search, issue, awaiting_review, order]
  const find = async <P>(page: (after: P | null) => Promise<{ ids: readonly string[]; next: P | null }>) => {
    const { ids, next } = await page(cursors.read<P>(list, cursor))
    return { ids, next_cursor: cursors.write(list, next) }
  }
  if (awaiting_review)
    return find<ReviewPosition>(after => findAwaitingReview(transactions.store, search, { after, limit }))
  if (issue !== null)
    return find<string>(after => findByIssue(transactions.store, search, issue, { after, limit, order }))
  return find<ListPosition>(after => findPage(deps, search, { after, limit, order }))
}

const text = single.pipe(textField(1, 255)).optional()

export const findTransactions = defineEndpoint({
  ...forOperators('viewer', 'findTransactions', 'Find transactions of all accounts'),
  method: 'get',
  path: `${consoleApi}/transaction`,
  request: {
    query: {
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
      order: wordParameter(orders).default('newest'),
      limit: limitParameter(100, 20),
      cursor: single.optional(),
    },
  },
  responses: {
    200: json(
      'A page in the wanted order; of those that await review always the oldest first.',
      pageOf(foundTransaction),
    ),
  },
  async handler({ query }, deps) {
    const { limit, cursor, order, issue = null, awaiting_review, ...given } = query
    const search: TransactionSearch = {
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
    const asked: Asked = { issue, awaiting_review: awaiting_review === 'true', cursor, limit, order }
    const { ids, next_cursor } = await readSearchPage(deps, search, asked)
    return { status: 200, body: { data: await readFound(deps.transactions.store, ids), next_cursor } }
  },
})
