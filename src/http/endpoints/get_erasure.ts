import { readReceipt } from '../../verification/erasure/receipts.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id } from '../shapes/common.ts'
import { erasureReceipt } from '../shapes/erasure_receipt.ts'

export const getErasure = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/erasure/{erasure_id}`,
  operationId: 'getErasure',
  summary: 'The receipt of an erasure',
  description: 'What was erased, when and by whom: it remains when all else is gone, and names nobody.',
  tag: 'Erasure',
  authentication: 'access_token',
  request: { path: { erasure_id: id.meta(meaning('The receipt, by the `erasure_id` that the erasure returned.')) } },
  responses: { 200: json('The receipt.', erasureReceipt) },
  errors: [404],
  async handler({ caller, path }, { transactions }) {
    return { status: 200, body: await readReceipt(transactions.store, caller.account_id, path.erasure_id) }
  },
})
