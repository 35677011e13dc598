import { z } from 'zod'
import { listCaptures as readCaptures } from '../../verification/transactions/capture_reading.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { transaction_id } from '../shapes/common.ts'
import { capture } from '../shapes/history.ts'

export const listCaptures = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/captures`,
  operationId: 'listCaptures',
  summary: 'The images of a transaction',
  description: 'The images that the transaction holds, by what they show, without their content.',
  tag: 'Images',
  authentication: 'access_token',
  request: { path: { transaction_id } },
  responses: {
    200: json(
      'The images.',
      z.object({
        data: z
          .array(capture)
          .meta(meaning('Every image that the transaction holds; an empty list where there is none.')),
      }),
    ),
  },
  errors: [404],
  async handler({ caller, path }, { transactions }) {
    return { status: 200, body: { data: await readCaptures(transactions, caller.account_id, path.transaction_id) } }
  },
})
