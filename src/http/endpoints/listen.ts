import { z } from 'zod'
import { requireTestAccount } from '../../verification/transactions/test_clock.ts'
import type { LeasedAttempt } from '../../webhooks/listener.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { integerField, meaning, withDefault } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'

const maxWaitSeconds = 20

const attempt = z
  .object({
    delivery_id: id.meta(meaning('One status on its way to one receiver; the same on every attempt.')),
    lease: z.string().meta(meaning('Identifies the attempt; send it with the report.', '0198a1c0.0198a1c1')),
    headers: z
      .record(z.string(), z.string())
      .meta(meaning('The request’s headers, with their signature.', { 'Content-Type': 'application/json' })),
    body: z
      .string()
      .meta(meaning('The request’s body, to be sent to your receiver byte by byte.', '{"status":"FINISHED"}')),
  })
  .meta({ id: 'ListenedAttempt' }) satisfies z.ZodType<LeasedAttempt>

export const listen = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/listen`,
  operationId: 'listen',
  summary: 'Take the next delivery to listen.invalid',
  description:
    'Leases the next attempt of a webhook to `https://listen.invalid/`, so that a developer’s own machine makes the call: `attestor listen` does.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: {
    body: optionalJsonBody(
      z.object({
        wait_seconds: withDefault(integerField(0, maxWaitSeconds), 0).meta(
          meaning('How many seconds to wait until an attempt is due.', 20),
        ),
      }),
    ),
  },
  responses: {
    200: json(
      'An attempt to make within 30 s, or null.',
      z.object({ delivery: attempt.nullable().meta(meaning('An attempt to make; null where none is due.')) }),
    ),
  },
  errors: [409],
  async handler({ caller: { account_id }, body, ctx }, { transactions, listener, draining }) {
    await requireTestAccount(transactions, account_id)
    const wait_ms = body.wait_seconds * 1000
    const signal = createWaitSignal(ctx, draining)
    return {
      status: 200,
      body: { delivery: await withoutPermit(ctx, () => listener.next(account_id, wait_ms, signal)) },
    }
  },
})
