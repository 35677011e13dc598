import { z } from 'zod'
import { deliveryStates } from '../../../machines/words.ts'
import { type DeliveryPosition, redeliverPage } from '../../webhooks/delivery_list.ts'
import { json, unusedBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { wordsParameter } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { next_cursor } from '../shapes/common.ts'
import { deliveriesQuery, reachedFrom } from '../shapes/delivery.ts'

const redelivered = z.object({
  redelivered: z.number().int().meta(meaning('How many are sent again.', 3)),
  next_cursor,
})

export const redeliverAll = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/delivery/redeliver`,
  operationId: 'redeliverAll',
  summary: 'Repeat many deliveries',
  description:
    'Queues a page of deliveries again, the oldest first: those that were given up, or those in the states that are named.',
  tag: 'Webhooks',
  authentication: 'access_token',
  request: {
    query: {
      ...deliveriesQuery,
      state: wordsParameter(deliveryStates, 'EXHAUSTED')
        .default(['EXHAUSTED'])
        .meta({ override: { default: 'EXHAUSTED' } }),
      from: reachedFrom,
    },
    body: unusedBody,
  },
  responses: { 202: json('They are queued again.', redelivered) },
  async handler({ caller: { account_id }, query }, { deliveries, cursors }) {
    const { limit, cursor, state, from, to = null } = query
    const filter = { state, from, to }
    const list = ['deliveries', account_id, filter]
    const after = cursors.read<DeliveryPosition>(list, cursor)
    const page = await redeliverPage(deliveries, account_id, { filter, after, limit })
    return { status: 202, body: { redelivered: page.redelivered, next_cursor: cursors.write(list, page.next) } }
  },
})
