import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { advanceTestClock as advance } from '../../verification/transactions/test_clock.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { idField, integerField, meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { timestamp } from '../shapes/common.ts'

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
