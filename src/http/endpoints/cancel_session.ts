import { z } from 'zod'
import { cancelSession as cancel } from '../../verification/transactions/session_calls.ts'
import { json, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, withDefault } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'
import { currentStatus } from '../shapes/common.ts'
import { boolean } from '../shapes/device_signals.ts'

export const cancelSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/cancel`,
  operationId: 'cancelSession',
  summary: 'Give up',
  description:
    'The person leaves: with `final` the transaction ends as FAILED, without it nothing changes and they may come back.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: {
    body: optionalJsonBody(
      z.object({
        final: withDefault(boolean, false).meta(
          meaning('True ends the transaction; else the person may come back.', true),
        ),
      }),
    ),
  },
  responses: { 200: json('The status.', z.object({ status: currentStatus })) },
  errors: [409],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await cancel(transactions, caller, body.final) }
  },
})
