import { type DeliveryPosition, listAccountDeliveries } from '../../webhooks/delivery_list.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { pageOf } from '../shapes/common.ts'
import { deliveriesQuery, listedDelivery } from '../shapes/delivery.ts'

export const listAllDeliveries = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/delivery`,
  operationId: 'listAllDeliveries',
  summary: 'Webhooks of all transactions',
  description: 'Oldest first, by when the status was reached. A page may hold few, or none, and still have a next one.',
  tag: 'Webhooks',
  authentication: 'access_token',
  request: { query: deliveriesQuery },
  responses: { 200: json('A page.', pageOf(listedDelivery)) },
  async handler({ caller: { account_id }, query }, { deliveries, cursors }) {
    const { limit, cursor, state = null, from = null, to = null } = query
    const filter = { state, from, to }
    const list = ['deliveries', account_id, filter]
    const after = cursors.read<DeliveryPosition>(list, cursor)
    const { data, next } = await listAccountDeliveries(deliveries.store, account_id, { filter, after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})
