import { z } from 'zod'
import { listDeliveries as readDeliveries } from '../../webhooks/deliveries.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { transaction_id } from '../shapes/common.ts'
import { delivery } from '../shapes/delivery.ts'

export const listDeliveries = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/deliveries`,
  operationId: 'listDeliveries',
  summary: 'Webhooks, with every attempt',
  description:
    'The notifications of one transaction in their order, each with every attempt and what your receiver answered.',
  tag: 'Webhooks',
  authentication: 'access_token',
  request: { path: { transaction_id } },
  responses: {
    200: json(
      'In order.',
      z.object({
        data: z.array(delivery).meta(meaning('Every delivery of the transaction; an empty list where there is none.')),
      }),
    ),
  },
  errors: [404],
  async handler({ caller, path }, { deliveries }) {
    return { status: 200, body: { data: await readDeliveries(deliveries, caller.account_id, path.transaction_id) } }
  },
})
