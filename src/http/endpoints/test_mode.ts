import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { id, timestamp, transaction_id } from '../../schemas/common.ts'
import { idField, integerField, meaning, textField, withDefault, wordField } from '../../schemas/fields.ts'
import { advanceTestClock as advance, requireTestAccount } from '../../verification/transactions/test_clock.ts'
import { walkTransaction as walk, walkTargets } from '../../verification/transactions/test_walk.ts'
import { viewTransaction } from '../../verification/transactions/transactions.ts'
import type { LeasedAttempt } from '../../webhooks/listener.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json, jsonBody, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { transaction } from '../shapes/transaction.ts'

const maxAdvanceSeconds = 10 * 365 * 86_400

const advanced = z.object({
  now: timestamp.meta(meaning('What the clock of the account shows now, or of the transaction that was named.')),
  advanced_seconds: z.number().int().meta(meaning('How far the clock was advanced, in seconds.', 3600)),
})

const body = z
  .object({
    transaction_id: idField().nullish().meta(meaning('Only this transaction’s clock; absent: the account’s.', null)),
    advance_seconds: integerField(1, maxAdvanceSeconds)
      .nullish()
      .meta(meaning('How far to advance the clock, in seconds, up to ten years.', 3600)),
    expires_in_seconds: integerField(0, maxAdvanceSeconds)
      .nullish()
      .meta(
        meaning('Instead of `advance_seconds`: how many seconds before the transaction’s expiry its clock is set.', 1),
      ),
  })
  .meta({ example: { advance_seconds: 3600 } })

/** @throws {ApiError} `invalid_field` */
function readDistance({ transaction_id, advance_seconds, expires_in_seconds }: z.infer<typeof body>) {
  const message = 'advance_seconds: either this or expires_in_seconds must be given'
  if (typeof advance_seconds === 'number' && typeof expires_in_seconds === 'number')
    throw new ApiError('invalid_field', message)
  if (typeof advance_seconds === 'number') return advance_seconds * 1000
  if (typeof expires_in_seconds !== 'number') throw new ApiError('invalid_field', message)
  if (typeof transaction_id !== 'string') throw new ApiError('invalid_field', 'transaction_id: is required')
  return { before_expiry_ms: expires_in_seconds * 1000 }
}

export const advanceTestClock = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/clock`,
  operationId: 'advanceTestClock',
  summary: 'Advance a test account’s clock',
  description:
    'Timers and retries fire as if the time had passed. Give `advance_seconds`, or `expires_in_seconds` with a transaction.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: { body: jsonBody(body) },
  responses: { 200: json('Advanced.', advanced) },
  errors: [404, 409],
  async handler({ caller: { account_id }, body: { transaction_id = null, ...given } }, { transactions }) {
    const by_ms = readDistance({ transaction_id, ...given })
    return { status: 200, body: await advance(transactions, { account_id, transaction_id, by_ms }) }
  },
})

export const walkTransaction = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/transaction/{transaction_id}/walk`,
  operationId: 'walkTransaction',
  summary: 'Take the steps of a device',
  description: 'Takes the steps that are missing, with placeholders. One that is there already stays as it is.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: {
    path: { transaction_id },
    body: jsonBody(
      z.object({
        to: wordField(walkTargets).meta(
          meaning(
            'The status that the walk ends with: `INITIATED` starts the session, `COMPLETED` also takes every step and submits.',
            'COMPLETED',
          ),
        ),
      }),
    ),
  },
  responses: { 200: json('The transaction, as it is now.', transaction) },
  // A concurrent call may get ahead of it, as another phone would: 410 and 422.
  errors: [404, 409, 410, 422],
  async handler({ caller: { account_id }, path: { transaction_id }, body }, { transactions }) {
    await walk(transactions, account_id, transaction_id, body.to)
    return { status: 200, body: await viewTransaction(transactions, account_id, transaction_id) }
  },
})

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

const report = z
  .object({
    lease: textField(1, 100).meta(meaning('The attempt, by the `lease` that it was taken with.', '0198a1c0.0198a1c1')),
    status: integerField(200, 599).nullish().meta(meaning('What the receiver answered; absent where it did not.', 204)),
    error: textField(1, 200)
      .nullish()
      .meta(meaning('Why there was no answer, in words; absent where there was one.', 'connection refused')),
    retry_after: textField(1, 100)
      .nullish()
      .meta(meaning('The `Retry-After` header of the answer, as it came; absent where it had none.', '60')),
    duration_ms: integerField(0, 600_000).meta(meaning('How long the call took, in milliseconds.', 120)),
  })
  .meta({ example: { lease: '0198a1c0.0198a1c1', status: 204, duration_ms: 120 } })

export const reportAttempt = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/listen/{delivery_id}`,
  operationId: 'reportAttempt',
  summary: 'Report what the receiver answered',
  description: 'Counts as the attempt’s outcome, as if the service had made the call.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: {
    path: { delivery_id: id.meta(meaning('The delivery of the attempt that was taken.')) },
    body: jsonBody(report),
  },
  responses: { 204: { description: 'Recorded.' } },
  errors: [404, 409],
  async handler({ caller: { account_id }, path: { delivery_id }, body: { lease, ...reported } }, { listener }) {
    const { status = null, error = null, retry_after = null, duration_ms } = reported
    await listener.report(account_id, delivery_id, lease, { status, error, retry_after, duration_ms })
    return { status: 204 }
  },
})
