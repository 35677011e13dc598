import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { AttemptView, DeliveryView } from '../../webhooks/deliveries.ts'
import { deliveryStates, type ListedDelivery } from '../../webhooks/delivery_list.ts'
import { deliveries_query, redeliver_query } from '../deliveries.ts'
import { api_prefix } from '../front_door.ts'
import { body, id, json, pageOf, refusals, with_access_token as security, status, timestamp } from './shapes.ts'

const attempt = z
  .object({
    attempt: z.number().int().meta({ description: 'From 1, and from 1 again after a redelivery.' }),
    started_at: timestamp,
    duration_ms: z.number().int(),
    outcome: z.enum(['delivered', 'failed', 'gone']),
    http_status: z.number().int().nullable(),
    address: z.string().nullable().meta({ description: 'The IP address that was dialled.' }),
    error: z.string().nullable(),
    answer: z.string().nullable().meta({ description: 'The first bytes of the answer, at most 1 KiB.' }),
  })
  .meta({ id: 'DeliveryAttempt' }) satisfies z.ZodType<Omit<AttemptView, 'outcome'>>

const of_all = {
  delivery_id: id,
  event_id: id,
  sequence: z.number().int(),
  status: status.meta({ description: 'The status that is told.' }),
  state: z.enum(deliveryStates),
  occurred_at: timestamp,
}

const listed = z.object({ ...of_all, transaction_id: id }).meta({ id: 'ListedDelivery' }) satisfies z.ZodType<
  Omit<ListedDelivery, 'status' | 'state'>
>

const delivery = z
  .object({
    ...of_all,
    next_attempt_at: timestamp.nullable(),
    origin: z.string(),
    origin_paused_at: timestamp.nullable().meta({ description: 'It waits: its origin had nothing but failures.' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<Omit<DeliveryView, 'status' | 'state' | 'attempts'>>

const redelivered = z.object({ redelivered: z.number().int(), next_cursor: z.string().nullable() })

const path = `${api_prefix}/transaction/{transaction_id}/deliveries`

/** What a transaction's integrator was told. */
export const delivery_paths: ZodOpenApiPathsObject = {
  [`${api_prefix}/delivery`]: {
    get: {
      ...{ operationId: 'listAllDeliveries', summary: 'Webhooks of all transactions', tags: ['Webhooks'], security },
      description:
        'Oldest first, by when the status was reached. A page may hold few, or none, and still have a next one.',
      requestParams: { query: deliveries_query },
      responses: { 200: json('A page.', pageOf(listed)), ...refusals(401, 403) },
    },
  },
  [`${api_prefix}/delivery/redeliver`]: {
    post: {
      ...{ operationId: 'redeliverAll', summary: 'Make many deliveries again', tags: ['Webhooks'], security },
      description: 'A page of those that are EXHAUSTED, or in the states that are named, the oldest first.',
      requestParams: { query: redeliver_query },
      requestBody: body(z.looseObject({}), false),
      responses: {
        202: json('They are made when their turns come.', redelivered),
        ...refusals(401, 403, 413, 415),
      },
    },
  },
  [path]: {
    get: {
      ...{ operationId: 'listDeliveries', summary: 'Webhooks, with every attempt', tags: ['Webhooks'], security },
      requestParams: { path: z.object({ transaction_id: id }) },
      responses: { 200: json('In order.', z.object({ data: z.array(delivery) })), ...refusals(401, 403, 404) },
    },
  },
  [`${path}/{delivery_id}/redeliver`]: {
    post: {
      ...{ operationId: 'redeliver', summary: 'Make a delivery again', tags: ['Webhooks'], security },
      requestParams: { path: z.object({ transaction_id: id, delivery_id: id }) },
      requestBody: body(z.looseObject({}), false),
      responses: { 202: json('It is made when its turn comes.', delivery), ...refusals(401, 403, 404, 409, 413, 415) },
    },
  },
}
