import { z } from 'zod'
import { requireTestAccount } from '../../verification/transactions/test_clock.ts'
import type { LeasedAttempt } from '../../webhooks/listener.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { integerField, withDefault } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'

const maxWaitSeconds = 20

const attempt = z
  .object({ delivery_id: id, lease: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })
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
  request: { body: optionalJsonBody(z.object({ wait_seconds: withDefault(integerField(0, maxWaitSeconds), 0) })) },
  responses: { 200: json('An attempt to make within 30 s, or null.', z.object({ delivery: attempt.nullable() })) },
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
