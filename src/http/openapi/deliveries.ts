import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { AttemptView, DeliveryView } from '../../webhooks/deliveries.ts'
import { api_prefix } from '../front_door.ts'
import { body, id, json, refusals, status, timestamp } from './shapes.ts'

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

const delivery = z
  .object({
    delivery_id: id,
    event_id: id,
    sequence: z.number().int(),
    status: status.meta({ description: 'The status that is told.' }),
    state: z.enum(['PENDING', 'ATTEMPTING', 'BACKING_OFF', 'DELIVERED', 'EXHAUSTED', 'GONE']),
    occurred_at: timestamp,
    next_attempt_at: timestamp.nullable(),
    origin: z.string(),
    origin_paused_at: timestamp.nullable().meta({ description: 'It waits: its origin had nothing but failures.' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<Omit<DeliveryView, 'status' | 'state' | 'attempts'>>

const security = [{ access_token: [] }]
const path = `${api_prefix}/transaction/{transaction_id}/deliveries`

/** What a transaction's integrator was told. */
export const delivery_paths: ZodOpenApiPathsObject = {
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
