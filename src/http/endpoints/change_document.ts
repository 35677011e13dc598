import { changeDocument as change } from '../../verification/transactions/change_document.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { documentBody } from '../shapes/device_signals.ts'
import { session, withImageLimits } from '../shapes/session.ts'

export const changeDocument = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/document`,
  operationId: 'changeDocument',
  summary: 'Choose another document',
  description:
    'The person has chosen the wrong type. Drops the pictures of the document; the takes stay counted. The same type again changes nothing.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: jsonBody(documentBody) },
  responses: { 200: json('The session.', session) },
  errors: [409],
  async handler({ caller, body }, deps) {
    const view = await change(deps.transactions, caller, body.document_type)
    return { status: 200, body: withImageLimits(view, deps) }
  },
})
