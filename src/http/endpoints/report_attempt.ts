import { z } from 'zod'
import { jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { integerField, textField } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'

const report = z.object({
  lease: textField(1, 100),
  status: integerField(200, 599).nullish(),
  error: textField(1, 200).nullish(),
  retry_after: textField(1, 100).nullish(),
  duration_ms: integerField(0, 600_000),
})

export const reportAttempt = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/listen/{delivery_id}`,
  operationId: 'reportAttempt',
  summary: 'Report what the receiver answered',
  description: 'Counts as the attempt’s outcome, as if the service had made the call.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: { path: { delivery_id: id }, body: jsonBody(report) },
  responses: { 204: { description: 'Recorded.' } },
  errors: [404, 409],
  async handler({ caller: { account_id }, path: { delivery_id }, body: { lease, ...reported } }, { listener }) {
    const { status = null, error = null, retry_after = null, duration_ms } = reported
    await listener.report(account_id, delivery_id, lease, { status, error, retry_after, duration_ms })
    return { status: 204 }
  },
})
