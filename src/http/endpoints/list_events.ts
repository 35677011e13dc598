import { z } from 'zod'
import { readTimeline, type TimelineEvent } from '../../verification/transactions/timeline.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { limitParameter, single } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { id, pageOf, status, timestamp } from '../shapes/common.ts'

const timelineEvent = z
  .object({
    sequence: z.number().int(),
    occurred_at: timestamp,
    event: z.string(),
    sent_by: z.enum(['device', 'integrator', 'operator', 'timer', 'job', 'erasure']),
    status,
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
    path: { transaction_id: id },
    query: { limit: limitParameter(1000, 100), cursor: single.optional() },
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
