import { putSignals as storeSignals } from '../../verification/transactions/session_calls.ts'
import { readClientAddress } from '../client_address.ts'
import { jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { signalsBody } from '../shapes/device_signals.ts'

export const putSignals = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/signals`,
  operationId: 'putSignals',
  summary: 'Report device, network and location',
  description: 'The last write before the end of the capture wins. Absent and null both mean unknown.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: jsonBody(signalsBody) },
  responses: { 204: { description: 'Stored.' } },
  errors: [409],
  async handler({ caller, body, ctx }, { transactions, trustedProxyHops }) {
    await storeSignals(transactions, caller, {
      device: body.device ?? null,
      network: body.network ?? null,
      geolocation: body.geolocation ?? null,
      location_permission: body.location_permission ?? null,
      ip_address: readClientAddress(ctx.req, trustedProxyHops),
    })
    return { status: 204 }
  },
})
