import { takePicture } from '../../verification/transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

export const putSelfie = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/selfie`,
  operationId: 'putSelfie',
  summary: 'Take or retake the selfie',
  description:
    'The image as the body. Another one is a retake; the same one again gets the same answer. `warnings` say whether the face can be compared.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: imageBody('selfie') },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [409, 422],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await takePicture(transactions, caller, 'selfie', body) }
  },
})
