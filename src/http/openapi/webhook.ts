import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { id, timestamp } from '../shapes/common.ts'

const body = z
  .object({
    transaction_id: id,
    status: z.enum(['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED']),
    event_id: id.meta({ description: 'The same on every attempt.' }),
    sequence: z.number().int().meta({ description: 'Counts within the transaction, from 1.' }),
    occurred_at: timestamp,
  })
  .meta({ id: 'Notification' })

const headers = z.object({
  'X-Timestamp': timestamp,
  'X-Signature': z.string().meta({ description: 'Of `<timestamp>:<transaction_id>`, in base64.' }),
  'X-Key-Id': z.string(),
  'X-Delivery-Id': id,
  'X-Delivery-Attempt': z.string(),
})

/** The request that an integrator's receiver gets. */
export const notification: ZodOpenApiOperationObject = {
  operationId: 'statusChanged',
  summary: 'A transaction changed its status',
  tags: ['Webhooks'],
  security: [],
  requestParams: { header: headers },
  requestBody: { required: true, content: { 'application/json': { schema: body } } },
  responses: {
    '2XX': { description: 'Acknowledged.' },
    410: { description: 'Never send this again.' },
    default: { description: 'Retried by the schedule; `Retry-After` is honoured on 429 and 503.' },
  },
}
