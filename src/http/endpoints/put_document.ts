import { takePicture } from '../../transactions/capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

const definePutDocument = (side: 'front' | 'back', operationId: string, description: string) =>
  defineEndpoint({
    method: 'put',
    path: `${sessionPrefix}/document/${side}`,
    operationId,
    summary: `Take or retake the document’s ${side}`,
    description: `The image as the body. ${description} \`warnings\` say whether its zone or barcode and its portrait were found.`,
    tag: 'Device',
    authentication: 'sdk_token',
    request: { body: imageBody('document') },
    responses: { 200: json('Accepted.', captureReceipt) },
    errors: [409, 422],
    async handler({ caller, body }, { transactions }) {
      return { status: 200, body: await takePicture(transactions, caller, side, body) }
    },
  })

export const putDocumentFront = definePutDocument('front', 'putDocumentFront', 'Repeating it is a retake.')
export const putDocumentBack = definePutDocument(
  'back',
  'putDocumentBack',
  'Repeating it is a retake. Required of every card.',
)
