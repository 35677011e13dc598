import { z } from 'zod'
import { takeFrame } from '../../verification/transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'
import { captureReceipt } from '../shapes/session.ts'

const actionIndex = z
  .string()
  .refine(text => /^\d{1,2}$/.test(text), { error: 'the challenge has no such action' })
  .meta(meaning('The index of the action, from 0.', '0'))

export const putFrame = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/liveness/{challenge_id}/{n}`,
  operationId: 'putFrame',
  summary: 'Answer action n of a challenge',
  description:
    'The image as the body, in any order. A photo that was used before is rejected, except the same one for the same action: it gets the same answer. A JPEG may carry a stamp of its challenge, action and time, which must fit. `warnings` say whether it shows the action.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: {
    path: {
      challenge_id: id.meta(meaning('The challenge, by the `challenge_id` that it was issued with.')),
      n: actionIndex,
    },
    body: imageBody('selfie'),
  },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [404, 409, 422],
  async handler({ caller, path: { challenge_id, n }, body }, { transactions }) {
    return { status: 200, body: await takeFrame(transactions, caller, { challenge_id, position: Number(n) }, body) }
  },
})
