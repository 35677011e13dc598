import { z } from 'zod'
import { createDocument, type ZodOpenApiObject } from 'zod-openapi'
import { token_scope } from '../../accounts/access_token.ts'
import { version } from '../../version.ts'
import { chart_paths } from './charts.ts'
import { delivery_paths } from './deliveries.ts'
import { described } from './describe.ts'
import { device_paths } from './device.ts'
import { integrator_paths } from './integrator.ts'
import { operations_paths } from './operations.ts'
import { body, id, timestamp } from './shapes.ts'

const notification = z
  .object({
    transaction_id: id,
    status: z.enum(['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED']),
    event_id: id.meta({ description: 'The same on every attempt.' }),
    sequence: z.number().int().meta({ description: 'Counts within the transaction, from 1.' }),
    occurred_at: timestamp,
  })
  .meta({ id: 'Notification' })

const signed = z.object({
  'X-Timestamp': timestamp,
  'X-Signature': z.string().meta({ description: 'Of `<timestamp>:<transaction_id>`, in base64.' }),
  'X-Key-Id': z.string(),
  'X-Delivery-Id': id,
  'X-Delivery-Attempt': z.string(),
})

/** spec, "Webhook delivery": what we call. */
const webhooks: NonNullable<ZodOpenApiObject['webhooks']> = {
  status: {
    post: {
      ...{
        operationId: 'statusChanged',
        summary: 'A transaction changed its status',
        tags: ['Webhooks'],
        security: [],
      },
      requestParams: { header: signed },
      requestBody: body(notification),
      responses: {
        '2XX': { description: 'Heard.' },
        410: { description: 'Never tell this again.' },
        default: { description: 'Tried again by the schedule; `Retry-After` is honoured on 429 and 503.' },
      },
    },
  },
}

/** The API as an OpenAPI 3.1 document: made of the schemas that calls are checked by, and of the shapes of answers. */
export const apiDocument = (base_url: string): object => {
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Attestor',
      version,
      description: 'Identity verification that you run yourself.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base_url }],
    paths: { ...operations_paths, ...integrator_paths, ...delivery_paths, ...chart_paths, ...device_paths },
    webhooks,
    components: {
      securitySchemes: {
        access_token: {
          type: 'oauth2',
          description: 'For a backend; it acts for the whole account.',
          flows: {
            clientCredentials: {
              tokenUrl: `${base_url}/oauth2/token`,
              scopes: { [token_scope]: 'All of an account’s customers and transactions.' },
            },
          },
        },
        sdk_token: { type: 'http', scheme: 'bearer', description: 'Of one transaction, for a device.' },
      },
    },
  })
  return described(document)
}
