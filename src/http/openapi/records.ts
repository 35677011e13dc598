import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { ErasureReceipt } from '../../erasure/receipts.ts'
import { api_prefix } from '../front_door.ts'
import { id, json, refusals, timestamp } from './shapes.ts'

const security = [{ access_token: [] }]

const count = z.number().int()

const receipt = z
  .object({
    erasure_id: id,
    subject: z.enum(['customer', 'transaction']),
    subject_id: id,
    erased_at: timestamp,
    erased_by: z.string().meta({ description: 'The client of the account, or `command_line`.' }),
    counts: z.object({ transactions: count, cancelled: count, captures: count, faces: count, answers: count }),
  })
  .meta({ id: 'ErasureReceipt' }) satisfies z.ZodType<ErasureReceipt>

const erasing = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  ...{ operationId, summary, tags: ['Records'], security },
  description: 'What is open ends as FAILED first. The same receipt again when repeated.',
  responses: { 200: json('Erased.', receipt), ...refusals(401, 403, 404) },
})

/** `DELETE /customer/{customer_id}`. */
export const erase_customer: ZodOpenApiOperationObject = {
  ...erasing('eraseCustomer', 'Erase a customer with all that is theirs'),
  requestParams: { path: z.object({ customer_id: id }) },
}

/** `DELETE /transaction/{transaction_id}`. */
export const erase_transaction: ZodOpenApiOperationObject = {
  ...erasing('eraseTransaction', 'Erase a transaction'),
  requestParams: { path: z.object({ transaction_id: id }) },
}

/** What remains of what was done. */
export const record_paths: ZodOpenApiPathsObject = {
  [`${api_prefix}/erasure/{erasure_id}`]: {
    get: {
      ...{ operationId: 'getErasure', summary: 'The receipt of an erasure', tags: ['Records'], security },
      requestParams: { path: z.object({ erasure_id: id }) },
      responses: { 200: json('The receipt.', receipt), ...refusals(401, 403, 404) },
    },
  },
}
