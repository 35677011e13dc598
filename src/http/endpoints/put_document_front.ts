import { takePicture } from '../../transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

export const putDocumentFront = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/document/front`,
  operationId: 'putDocumentFront',
  summary: 'Take or retake the document’s front',
  description: 'The image as the body. Again is a retake.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: imageBody('document') },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [404, 409, 422],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await takePicture(transactions, caller, 'front', body) }
  },
})
