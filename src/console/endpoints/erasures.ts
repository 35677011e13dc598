import { json } from '../../http/content.ts'
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { erase } from '../../http/erasure.ts'
import { id } from '../../http/shapes/common.ts'
import { erasureReceipt } from '../../http/shapes/erasure_receipt.ts'
import type { ErasureSubject } from '../../verification/erasure/receipts.ts'
import { auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import { findCustomerAccount } from '../find_customers.ts'
import { findAccountId } from '../transaction_record.ts'

function defineErasure(subject: ErasureSubject, operationId: string, summary: string): Endpoint {
  return defineEndpoint({
    ...forOperators('admin', operationId, summary),
    method: 'delete',
    path: `${consoleApi}/${subject}/{id}`,
    request: { path: { id } },
    responses: { 200: json('Erased.', erasureReceipt), 202: json('The rest is erased meanwhile.', erasureReceipt) },
    errors: [404],
    async handler({ caller, path: { id: subject_id }, ctx }, deps) {
      const find = subject === 'customer' ? findCustomerAccount : findAccountId
      const account_id = await find(deps.operators.store, subject_id)
      const event = { action: `${subject}_erased`, account_id, subject: { type: subject, id: subject_id } } as const
      const record = auditRecord(deps, caller, event)
      return erase(ctx, deps, subject, { account_id, erased_by: `operator/${caller.operator_id}`, subject_id, record })
    },
  })
}

export const eraseTransaction = defineErasure('transaction', 'eraseTransactionAsOperator', 'Erase a transaction')

export const eraseCustomer = defineErasure('customer', 'eraseCustomerAsOperator', 'Erase a customer with all of theirs')
