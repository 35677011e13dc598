import { z } from 'zod'
import { completeSession as complete } from '../../verification/transactions/session_calls.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'

export const completeSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/complete`,
  operationId: 'completeSession',
  summary: 'Finish the capture',
  description:
    'Submits what was captured for analysis; every required step must be there. Repeated, it returns the same.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: {
    202: json(
      'Submitted.',
      z.object({
        submitted: z.literal(true).meta(meaning('Always true: the person is done, and the analysis follows.')),
      }),
    ),
  },
  errors: [409],
  async handler({ caller }, { transactions }) {
    return { status: 202, body: await complete(transactions, caller) }
  },
})
