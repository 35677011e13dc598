import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { id, timestamp, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { WebhookHeader } from '../../webhooks/delivery_request.ts'
import { recordedAnswers } from './recorded_answers.ts'

const body = z
  .object({
    transaction_id,
    status: z
      .enum(['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'])
      .meta(meaning('The status that was reached; `FINISHED`, `FAILED` and `EXPIRED` are final.', 'FINISHED')),
    event_id: id.meta(meaning('The same on every attempt.')),
    sequence: z.number().int().meta(meaning('Counts the transaction’s notifications, from 1.', 1)),
    occurred_at: timestamp.meta(meaning('When it happened, by the account’s clock.')),
  })
  .meta({ id: 'Notification' })

const descriptions: Readonly<Record<WebhookHeader, string>> = {
  'X-Timestamp':
    'When this attempt was signed: ISO 8601 in UTC with milliseconds. Reject it when it is more than 5 minutes from now.',
  'X-Signature': 'The signature of `<X-Timestamp>:<transaction_id>`, in padded base64. Verify it before anything else.',
  'X-Key-Id':
    'The `kid` of the key that signed, among those of `/.well-known/jwks.json`, where its `alg` names the algorithm.',
  'X-Delivery-Id': 'The delivery, the same on every attempt: by it you find the delivery’s log.',
  'X-Delivery-Attempt': 'Which attempt this is, from 1.',
}

const headers = z.object(
  Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => {
      const example = Object(recordedAnswers.statusChanged?.headers)[name]
      return [name, z.string().meta(meaning(description, example))]
    }),
  ),
)

function createBodyExample() {
  const { statusChanged: recorded } = recordedAnswers
  return recorded === undefined ? {} : { example: recorded.body }
}

/** The request that an integrator's receiver gets. */
export const notification: ZodOpenApiOperationObject = {
  operationId: 'statusChanged',
  summary: 'A transaction changed its status',
  description:
    'Sent to `config.webhook.url` for each status after `CREATED`, or for those of `config.webhook.events`. The same status may arrive twice: act once on each `transaction_id` and `status`. The status is not signed; read the transaction for the decision.',
  tags: ['Webhooks'],
  security: [],
  requestParams: { header: headers },
  requestBody: { required: true, content: { 'application/json': { schema: body, ...createBodyExample() } } },
  responses: {
    '2XX': { description: 'Acknowledged.' },
    410: { description: 'Never send this again.' },
    default: { description: 'Retried by the schedule; `Retry-After` is honoured on 429 and 503.' },
  },
}
