import { describeSession } from '../../transactions/session_calls.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { session, withImageLimits } from '../shapes/session.ts'

export const getSession = defineEndpoint({
  method: 'get',
  path: sessionPrefix,
  operationId: 'getSession',
  summary: 'The state of the session',
  description: 'Which steps are missing, and which are captured.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 200: json('The session.', session) },
  handler({ caller }, deps) {
    return { status: 200, body: withImageLimits(describeSession(deps.transactions, caller), deps) }
  },
})
