import { ApiError } from '../../base/api_error.ts'
import { listDeliveries, redeliver as repeatDelivery } from '../../webhooks/deliveries.ts'
import { json, unusedBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id, transaction_id } from '../shapes/common.ts'
import { delivery } from '../shapes/delivery.ts'

export const redeliver = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/transaction/{transaction_id}/deliveries/{delivery_id}/redeliver`,
  operationId: 'redeliver',
  summary: 'Repeat a delivery',
  description:
    'Sends the same notification again, from the first attempt of the schedule, and after the deliveries before it.',
  tag: 'Webhooks',
  authentication: 'access_token',
  request: {
    path: { transaction_id, delivery_id: id.meta(meaning('The delivery, as the list of deliveries names it.')) },
    body: unusedBody,
  },
  responses: { 202: json('It is queued again.', delivery) },
  errors: [404, 409],
  async handler({ caller: { account_id }, path: { transaction_id, delivery_id } }, { deliveries }) {
    await repeatDelivery(deliveries, { account_id, transaction_id, delivery_id })
    const all = await listDeliveries(deliveries, account_id, transaction_id)
    const repeated = all.find(one => one.delivery_id === delivery_id)
    if (repeated === undefined) throw new ApiError('not_found', 'delivery_id: not found')
    return { status: 202, body: repeated }
  },
})
