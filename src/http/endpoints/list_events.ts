import { z } from 'zod'
import { readTimeline, type TimelineEvent } from '../../verification/transactions/timeline.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { pageOf, status, timestamp, transaction_id } from '../shapes/common.ts'

const timelineEvent = z
  .object({
    sequence: z.number().int().meta(meaning('The place in the order of this transaction’s events, from 1.', 1)),
    occurred_at: timestamp.meta(meaning('When it happened, by the account’s clock.')),
    event: z
      .string()
      .meta(meaning('What happened, by the name that the transaction’s state chart has for it.', 'START')),
    sent_by: z
      .enum(['device', 'integrator', 'operator', 'timer', 'job', 'erasure'])
      .meta(meaning('Who made it happen: the device, your backend, the operator, or the service itself.', 'device')),
    status: status.meta(meaning('The transaction’s status after it.', 'INITIATED')),
  })
  .meta({ id: 'TimelineEvent' }) satisfies z.ZodType<TimelineEvent>

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
