import { z } from 'zod'
import { decisions, statuses, transactionTypes } from '../../../machines/words.ts'
import {
  type ListedTransaction,
  type ListPosition,
  listTransactions as listPage,
  type TransactionFilter,
} from '../../verification/transactions/list_transactions.ts'
import { hashReference } from '../../verification/transactions/reference.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, textField } from '../fields.ts'
import {
  createdParameters,
  cursorParameter,
  idParameter,
  limitParameter,
  single,
  wordParameter,
  wordsParameter,
} from '../parameters.ts'
import { apiPrefix } from '../paths.ts'
import { chosenType, currentStatus, customer_id, decision, id, pageOf, stageTimes } from '../shapes/common.ts'

const listed = z
  .object({
    id: id.meta(meaning('Identifies the transaction in other calls.')),
    customer_id,
    transaction_type: chosenType,
    reference: z
      .string()
      .nullable()
      .meta(meaning('Your own id of the transaction; null where you gave none. It need not be unique.', 'order-7')),
    status: currentStatus,
    decision: decision
      .nullable()
      .meta(meaning('What was decided about the person; null until there is a result.', 'APPROVED')),
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
      cursor: cursorParameter,
      status: wordsParameter(statuses, 'FINISHED').optional(),
      transaction_type: wordParameter(transactionTypes)
        .optional()
        .meta(
          meaning(
            '`DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up.',
            'DOCUMENT_AND_BIOMETRIC',
          ),
        ),
      decision: wordsParameter(decisions, 'APPROVED').optional(),
      customer_id: idParameter
        .optional()
        .meta(
          meaning(
            'The person who is verified, by the id that Create customer returned.',
            '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
          ),
        ),
      reference: single
        .pipe(textField(1, 255))
        .optional()
        .meta(meaning('Your own id of the transaction, as you gave it.', 'order-7')),
      ...createdParameters,
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
    const { data, next } = await listPage(transactions, account_id, { filter, after, limit, order: 'newest' })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})
