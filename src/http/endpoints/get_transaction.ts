import { viewTransaction } from '../../verification/transactions/transactions.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { transaction_id } from '../shapes/common.ts'
import { transaction } from '../shapes/transaction.ts'

export const getTransaction = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}`,
  operationId: 'getTransaction',
  summary: 'Get transaction',
  description: 'Its status, and its result once it is FINISHED or FAILED.',
  tag: 'Transactions',
  authentication: 'access_token',
  request: { path: { transaction_id } },
  responses: { 200: json('The transaction.', transaction) },
  errors: [404],
  async handler({ caller, path }, { transactions }) {
    return { status: 200, body: await viewTransaction(transactions, caller.account_id, path.transaction_id) }
  },
})
