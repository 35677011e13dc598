import { z } from 'zod'
import { statuses } from '../../verification/transactions/definition.ts'
import {
  type ListedTransaction,
  type ListPosition,
  listTransactions as listPage,
  type TransactionFilter,
} from '../../verification/transactions/list_transactions.ts'
import { hashReference } from '../../verification/transactions/reference.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { textField } from '../fields.ts'
import { idParameter, limitParameter, single, timeParameter, wordParameter, wordsParameter } from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { decision, id, pageOf, stageTimes, status, transaction_type } from '../shapes/common.ts'

const listed = z
  .object({
    id,
    customer_id: id,
    transaction_type,
    reference: z.string().nullable(),
    status,
    decision: decision.nullable(),
    ...stageTimes,
  })
  .meta({ id: 'ListedTransaction' }) satisfies z.ZodType<ListedTransaction>

export const listTransactions = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction`,
  operationId: 'listTransactions',
  summary: 'List transactions',
  description: 'Transactions of your account that fit every filter, with their decisions but without their results.',
  tag: 'Transactions',
  authentication: 'access_token',
  request: {
    query: {
      limit: limitParameter(100, 20),
      cursor: single.optional(),
      status: wordsParameter(statuses).optional(),
      transaction_type: wordParameter(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']).optional(),
      decision: wordsParameter(['APPROVED', 'REJECTED', 'UNDETERMINED']).optional(),
      customer_id: idParameter.optional(),
      reference: single.pipe(textField(1, 255)).optional(),
      created_from: timeParameter.optional(),
      created_to: timeParameter.optional(),
    },
  },
  responses: { 200: json('A page, newest first.', pageOf(listed)) },
  async handler({ caller: { account_id }, query: { limit, cursor, ...given } }, { transactions, cursors }) {
    const filter: TransactionFilter = {
      status: given.status ?? null,
      transaction_type: given.transaction_type ?? null,
      decision: given.decision ?? null,
      customer_id: given.customer_id ?? null,
      reference:
        given.reference === undefined ? null : hashReference(transactions.referenceKey, account_id, given.reference),
      created_from: given.created_from ?? null,
      created_to: given.created_to ?? null,
    }
    const list = ['transactions', account_id, filter]
    const after = cursors.read<ListPosition>(list, cursor)
    const { data, next } = await listPage(transactions, account_id, { filter, after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})
