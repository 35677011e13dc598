import { cancelTransaction as cancel } from '../../verification/transactions/cancel_transaction.ts'
import { viewTransaction } from '../../verification/transactions/transactions.ts'
import { json, unusedBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { transaction_id } from '../shapes/common.ts'
import { transaction } from '../shapes/transaction.ts'

export const cancelTransaction = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/transaction/{transaction_id}/cancel`,
  operationId: 'cancelTransaction',
  summary: 'Cancel a transaction',
  description: 'Ends it as FAILED, also while it is analysed. Repeating it changes nothing.',
  tag: 'Transactions',
  authentication: 'access_token',
  request: { path: { transaction_id }, body: unusedBody },
  responses: { 200: json('The transaction, as it is now.', transaction) },
  errors: [404, 409],
  async handler({ caller, path: { transaction_id } }, { transactions }) {
    await cancel(transactions, caller, transaction_id)
    return { status: 200, body: await viewTransaction(transactions, caller.account_id, transaction_id) }
  },
})
