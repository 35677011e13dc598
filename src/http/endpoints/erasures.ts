import { customer_id, id, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import { type ErasureSubject, readReceipt } from '../../verification/erasure/receipts.ts'
import { clientAuditRecord } from '../client_audit.ts'
import { json } from '../content.ts'
import { type DocumentedEndpoint, defineEndpoint, type Endpoint } from '../endpoint.ts'
import { erase } from '../erasure.ts'
import { apiPrefix } from '../paths.ts'
import { erasureReceipt } from '../shapes/erasure_receipt.ts'

/** The endpoints that erase a customer and a transaction differ only in their subject. */
function defineErasure(
  subject: ErasureSubject,
  { operationId, summary }: Pick<DocumentedEndpoint, 'operationId' | 'summary'>,
): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: `${apiPrefix}/${subject}/{${subject}_id}`,
    operationId,
    summary,
    description: 'What is open ends as FAILED first. The same receipt again when repeated.',
    tag: 'Erasure',
    authentication: 'access_token',
    request: { path: { [`${subject}_id`]: subject === 'customer' ? customer_id : transaction_id } },
    responses: {
      200: json('Erased.', erasureReceipt),
      202: json('Gone for every call; the rest is erased meanwhile.', erasureReceipt),
    },
    errors: [404],
    async handler({ caller, path, ctx }, deps) {
      const { account_id, client_id } = caller
      const subject_id = path[`${subject}_id`] ?? ''
      const event = { action: `${subject}_erased`, account_id, subject: { type: subject, id: subject_id } } as const
      const record = clientAuditRecord(deps, ctx, client_id, event)
      return erase(ctx, deps, subject, { account_id, erased_by: client_id, subject_id, record })
    },
  })
}

export const eraseCustomer = defineErasure('customer', {
  operationId: 'eraseCustomer',
  summary: 'Erase a customer with all that is theirs',
})

export const eraseTransaction = defineErasure('transaction', {
  operationId: 'eraseTransaction',
  summary: 'Erase a transaction',
})

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
