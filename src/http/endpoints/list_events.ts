import { readTimeline } from '../../verification/transactions/timeline.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { pageOf, transaction_id } from '../shapes/common.ts'
import { timelineEvent } from '../shapes/history.ts'

export const listEvents = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/events`,
  operationId: 'listEvents',
  summary: 'What happened to a transaction',
  description: 'Every event that the transaction accepted, and who sent it.',
  tag: 'Transactions',
  authentication: 'access_token',
  request: {
    path: { transaction_id },
    query: { limit: limitParameter(1000, 100), cursor: cursorParameter },
  },
  responses: { 200: json('A page, oldest first.', pageOf(timelineEvent)) },
  errors: [404],
  async handler({ caller: { account_id }, path: { transaction_id }, query }, { transactions, cursors }) {
    const list = ['events', account_id, transaction_id]
    const after = cursors.read<number>(list, query.cursor) ?? 0
    const { data, next } = await readTimeline(transactions, account_id, transaction_id, { after, limit: query.limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})
