import { z } from 'zod'
import { type ListedCapture, listCaptures as readCaptures } from '../../verification/transactions/capture_reading.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { id, timestamp } from '../shapes/common.ts'
import { step } from '../shapes/session.ts'

const capture = z
  .object({ id, kind: step, media_type: z.string(), byte_count: z.number().int(), created_at: timestamp })
  .meta({ id: 'Capture' }) satisfies z.ZodType<ListedCapture>

export const listCaptures = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/captures`,
  operationId: 'listCaptures',
  summary: 'The images of a transaction',
  description: 'The images that the transaction holds, by what they show, without their content.',
  tag: 'Images',
  authentication: 'access_token',
  request: { path: { transaction_id: id } },
  responses: { 200: json('The images.', z.object({ data: z.array(capture) })) },
  errors: [404],
  async handler({ caller, path }, { transactions }) {
    return { status: 200, body: { data: await readCaptures(transactions, caller.account_id, path.transaction_id) } }
  },
})
