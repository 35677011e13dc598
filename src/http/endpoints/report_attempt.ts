import { z } from 'zod'
import { jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { integerField, meaning, textField } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'

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
