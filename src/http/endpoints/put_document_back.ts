import { takePicture } from '../../transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

export const putDocumentBack = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/document/back`,
  operationId: 'putDocumentBack',
  summary: 'Take or retake the document’s back',
  description: 'The image as the body. Again is a retake. Required of every card.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: imageBody('document') },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [404, 409, 422],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await takePicture(transactions, caller, 'back', body) }
  },
})
