import { z } from 'zod'
import { deliveryStates } from '../../../machines/words.ts'
import { ApiError } from '../../base/api_error.ts'
import { id, jwks, next_cursor, pageOf, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import { listDeliveries as readDeliveries, redeliver as repeatDelivery } from '../../webhooks/deliveries.ts'
import { type DeliveryPosition, listAccountDeliveries, redeliverPage } from '../../webhooks/delivery_list.ts'
import { json, unusedBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { wordsParameter } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { deliveriesQuery, delivery, listedDelivery, reachedFrom } from '../shapes/delivery.ts'

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
    const all = await readDeliveries(deliveries, account_id, transaction_id)
    const repeated = all.find(one => one.delivery_id === delivery_id)
    if (repeated === undefined) throw new ApiError('not_found', 'delivery_id: not found')
    return { status: 202, body: repeated }
  },
})

export const getKeys = defineEndpoint({
  method: 'get',
  path: '/.well-known/jwks.json',
  operationId: 'getKeys',
  summary: 'Public keys of the webhooks',
  description:
    'The keys that webhooks are verified by, the active one first, and no others. Cache them for up to an hour.',
  tag: 'Webhooks',
  authentication: 'none',
  responses: { 200: json('A JWKS, the active key first.', jwks) },
  async handler(_call, { webhookKeys }) {
    return { status: 200, headers: { 'Cache-Control': 'public, max-age=3600' }, body: await webhookKeys() }
  },
})
