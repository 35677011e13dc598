import { defineUndocumented } from '../../http/endpoint.ts'
import { erase } from '../../http/erasure.ts'
import { id } from '../../schemas/common.ts'
import type { ErasureSubject } from '../../verification/erasure/receipts.ts'
import { auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import { findCustomerAccount } from '../find_customers.ts'
import { findAccountId } from '../transaction_record.ts'

/** Erases a transaction, or a customer with all of theirs. */
function defineErasure(subject: ErasureSubject) {
  return defineUndocumented({
    ...forOperators('admin'),
    method: 'delete',
    path: `${consoleApi}/${subject}/{id}`,
    request: { path: { id } },
    async handler({ caller, path: { id: subject_id }, ctx }, deps) {
      const find = subject === 'customer' ? findCustomerAccount : findAccountId
      const account_id = await find(deps.operators.store, subject_id)
      const event = { action: `${subject}_erased`, account_id, subject: { type: subject, id: subject_id } } as const
      const record = auditRecord(deps, caller, event)
      return erase(ctx, deps, subject, { account_id, erased_by: `operator/${caller.operator_id}`, subject_id, record })
    },
  })
}

export const eraseTransaction = defineErasure('transaction')

export const eraseCustomer = defineErasure('customer')
