import { takePicture } from '../../verification/transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

function definePutDocument(side: 'front' | 'back', operationId: string, description: string) {
  return defineEndpoint({
    method: 'put',
    path: `${sessionPrefix}/document/${side}`,
    operationId,
    summary: `Take or retake the document’s ${side}`,
    description: `The image as the body. Another one is a retake; the same one again gets the same answer.${description} \`warnings\` say whether its zone or barcode and its portrait were found.`,
    tag: 'Device',
    authentication: 'sdk_token',
    request: { body: imageBody('document') },
    responses: { 200: json('Accepted.', captureReceipt) },
    errors: [409, 422],
    async handler({ caller, body }, { transactions }) {
      return { status: 200, body: await takePicture(transactions, caller, side, body) }
    },
  })
}

export const putDocumentFront = definePutDocument('front', 'putDocumentFront', '')
export const putDocumentBack = definePutDocument('back', 'putDocumentBack', ' Required of every card.')
