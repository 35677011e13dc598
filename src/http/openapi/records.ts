import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { ErasureReceipt } from '../../erasure/receipts.ts'
import type { ListedCapture } from '../../transactions/capture_reading.ts'
import { api_prefix } from '../front_door.ts'
import { id, json, refusals, with_access_token as security, timestamp } from './shapes.ts'

const count = z.number().int()

const receipt = z
  .object({
    erasure_id: id,
    subject: z.enum(['customer', 'transaction']),
    subject_id: id,
    erased_at: timestamp,
    completed_at: timestamp.nullable().meta({ description: 'Null while something is left to erase.' }),
    erased_by: z.string().meta({ description: 'The client of the account, or `command_line`.' }),
    counts: z.object({ transactions: count, cancelled: count, captures: count, faces: count, answers: count }),
  })
  .meta({ id: 'ErasureReceipt' }) satisfies z.ZodType<ErasureReceipt>

const erasing = (operationId: string, summary: string): ZodOpenApiOperationObject => ({
  ...{ operationId, summary, tags: ['Records'], security },
  description: 'What is open ends as FAILED first. The same receipt again when repeated.',
  responses: {
    200: json('Erased.', receipt),
    202: json('Gone for every call; the rest is erased meanwhile.', receipt),
    ...refusals(401, 403, 404),
  },
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

const capture = z
  .object({ id, kind: z.string(), media_type: z.string(), byte_count: count, created_at: timestamp })
  .meta({ id: 'Capture' }) satisfies z.ZodType<ListedCapture>

const signed = z
  .object({ payload: z.string(), protected: z.string(), signature: z.string() })
  .meta({ id: 'SignedEvidence', description: 'A JWS in flattened JSON (RFC 7515 §7.2.2), by a key of the JWKS.' })

const of_transaction = { path: z.object({ transaction_id: id }) }

const capture_paths: ZodOpenApiPathsObject = {
  [`${api_prefix}/transaction/{transaction_id}/captures`]: {
    get: {
      ...{ operationId: 'listCaptures', summary: 'The images of a transaction', tags: ['Records'], security },
      requestParams: of_transaction,
      responses: { 200: json('The images.', z.object({ data: z.array(capture) })), ...refusals(401, 403, 404) },
    },
  },
  [`${api_prefix}/transaction/{transaction_id}/captures/{capture_id}/link`]: {
    post: {
      ...{ operationId: 'linkCapture', summary: 'A link to one image, for five minutes', tags: ['Records'], security },
      requestParams: { path: z.object({ transaction_id: id, capture_id: id }) },
      responses: {
        201: json('The link.', z.object({ url: z.string(), expires_at: timestamp })),
        ...refusals(401, 403, 404),
      },
    },
  },
  [`${api_prefix}/capture/{link}`]: {
    get: {
      ...{ operationId: 'readCapture', summary: 'The image that a link is to', tags: ['Records'], security: [] },
      description: 'Each reading is in the timeline and in the evidence.',
      requestParams: { path: z.object({ link: z.string() }) },
      responses: {
        200: { description: 'The image.', content: { 'image/jpeg': {}, 'image/png': {}, 'image/webp': {} } },
        ...refusals(404, 410),
      },
    },
  },
}

/** What remains of what was done, and what can be shown of it. */
export const record_paths: ZodOpenApiPathsObject = {
  ...capture_paths,
  [`${api_prefix}/transaction/{transaction_id}/evidence`]: {
    get: {
      ...{ operationId: 'getEvidence', summary: 'Who told a transaction what, signed', tags: ['Records'], security },
      requestParams: of_transaction,
      responses: {
        200: { description: 'The evidence.', content: { 'application/jose+json': { schema: signed } } },
        ...refusals(401, 403, 404),
      },
    },
  },
  [`${api_prefix}/erasure/{erasure_id}`]: {
    get: {
      ...{ operationId: 'getErasure', summary: 'The receipt of an erasure', tags: ['Records'], security },
      requestParams: { path: z.object({ erasure_id: id }) },
      responses: { 200: json('The receipt.', receipt), ...refusals(401, 403, 404) },
    },
  },
}
