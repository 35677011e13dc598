import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { LeasedAttempt } from '../../webhooks/listener.ts'
import { api_prefix } from '../front_door.ts'
import { clock_body, heard_body, listen_body, walk_body } from '../test_mode.ts'
import { transaction } from './result_shapes.ts'
import { body, id, json, refusals, with_access_token as security, timestamp } from './shapes.ts'

const of_transaction = { path: z.object({ transaction_id: id }) }

const scripts: ZodOpenApiPathsObject = {
  [`${api_prefix}/test/clock`]: {
    post: {
      ...{ operationId: 'advanceTestClock', summary: 'Turn a test account’s clock', tags: ['Test mode'], security },
      requestBody: body(clock_body),
      responses: {
        200: json('Turned.', z.object({ now: timestamp, advanced_seconds: z.number().int() })),
        ...refusals(401, 403, 404, 409, 413, 415),
      },
    },
  },
  [`${api_prefix}/test/transaction/{transaction_id}/walk`]: {
    post: {
      ...{ operationId: 'walkTransaction', summary: 'Do what a phone would', tags: ['Test mode'], security },
      requestParams: of_transaction,
      requestBody: body(walk_body),
      responses: {
        200: json('The transaction, as it is now.', transaction),
        // Its phone may be overtaken by another, as by a second call.
        ...refusals(401, 403, 404, 409, 410, 413, 415, 422),
      },
    },
  },
}

const listened = z
  .object({ delivery_id: id, lease: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
  .meta({ id: 'ListenedAttempt' }) satisfies z.ZodType<LeasedAttempt>

const listening: ZodOpenApiPathsObject = {
  [`${api_prefix}/test/listen`]: {
    post: {
      ...{ operationId: 'listen', summary: 'Take the next delivery to listen.invalid', tags: ['Test mode'], security },
      requestBody: body(listen_body, false),
      responses: {
        200: json('An attempt to be made within 30 s, or null.', z.object({ delivery: listened.nullable() })),
        ...refusals(401, 403, 409, 413, 415),
      },
    },
  },
  [`${api_prefix}/test/listen/{delivery_id}`]: {
    post: {
      ...{ operationId: 'heard', summary: 'Say what the receiver answered', tags: ['Test mode'], security },
      requestParams: { path: z.object({ delivery_id: id }) },
      requestBody: body(heard_body),
      responses: { 204: { description: 'Taken.' }, ...refusals(401, 403, 404, 409, 413, 415) },
    },
  },
}

/** What only test accounts can do. */
export const test_mode_paths: ZodOpenApiPathsObject = { ...scripts, ...listening }
