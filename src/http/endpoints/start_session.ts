import { startSession as start } from '../../verification/transactions/session_calls.ts'
import { readClientAddress } from '../client_address.ts'
import { json, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { startBody } from '../shapes/device_signals.ts'
import { session, withImageLimits } from '../shapes/session.ts'

export const startSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/start`,
  operationId: 'startSession',
  summary: 'Start the session',
  description:
    'Begins the capture, with what is known of the device. A second call changes nothing: what the first one reported stays.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: optionalJsonBody(startBody) },
  responses: { 200: json('The session.', session) },
  errors: [409],
  async handler({ caller, body, ctx }, deps) {
    const view = await start(deps.transactions, caller, {
      device: body.device ?? null,
      location_permission: body.location_permission,
      consent: body.consent,
      document_type: body.document_type ?? 'UNDECLARED',
      ip_address: readClientAddress(ctx.req, deps.trustedProxyHops),
    })
    return { status: 200, body: withImageLimits(view, deps) }
  },
})
