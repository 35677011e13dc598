import { decisions, transactionTypes } from '@attestor/rules'
import { z } from 'zod'
import { statuses } from '../../../machines/words.ts'
import { addLogFields } from '../../base/log.ts'
import {
  chosenType,
  currentStatus,
  customer_id,
  decision,
  deviceToken,
  id,
  pageOf,
  stageTimes,
  transaction_id,
  typeMeaning,
} from '../../schemas/common.ts'
import { meaning, textField } from '../../schemas/fields.ts'
import { cancelTransaction as cancel } from '../../verification/transactions/cancel_transaction.ts'
import {
  type ListedTransaction,
  type ListPosition,
  listTransactions as listPage,
  type TransactionFilter,
} from '../../verification/transactions/list_transactions.ts'
import { hashReference } from '../../verification/transactions/reference.ts'
import { readTimeline } from '../../verification/transactions/timeline.ts'
import {
  type OpenedTransaction,
  openTransaction,
  viewTransaction,
} from '../../verification/transactions/transactions.ts'
import { findBranding } from '../capture_pages.ts'
import { json, jsonBody, unusedBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import {
  createdParameters,
  cursorParameter,
  idParameter,
  limitParameter,
  single,
  wordParameter,
  wordsParameter,
} from '../parameters.ts'
import { apiPrefix, createLocation, createVerifyUrl } from '../paths.ts'
import { timelineEvent } from '../shapes/history.ts'
import { transaction } from '../shapes/transaction.ts'
import { toTransactionRequest, transactionBody } from '../shapes/transaction_body.ts'

const opened = z
  .object({
    transaction_id: id.meta(
      meaning('Identifies the transaction in other calls.', '0198a1c0-7e5a-7c3e-9f00-0123456789ac'),
    ),
    sdk_token: deviceToken,
    token_type: z.literal('Bearer').meta(meaning('Always `Bearer`.')),
    expires_in: z.number().int().meta(meaning('How long `sdk_token` is valid, in seconds from now.', 3600)),
    verify_url: z
      .string()
      .meta(
        meaning(
          'The capture page, its token in the fragment: a link for the person.',
          'https://id.example/verify#c2RrLXRva2Vu',
        ),
      ),
  })
  .meta({ id: 'OpenedTransaction' })

export const createTransaction = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/transaction`,
  operationId: 'createTransaction',
  summary: 'Create transaction',
  description:
    'Opens a verification of a customer. Give the device `sdk_token`, or the person `verify_url`, and nothing else.',
  tag: 'Transactions',
  authentication: 'access_token',
  isIdempotent: true,
  request: { body: jsonBody(transactionBody) },
  responses: { 201: json('Opened.', opened) },
  errors: [404],
  async handler({ caller, body, keep }, deps) {
    const { transactions, baseUrl } = deps
    const call = toTransactionRequest(body)
    const hasOwnPage = call.embed_origins.length > 0 || (await findBranding(deps, caller.account_id)) !== null
    const reply = ({ transaction_id, sdk_token, expires_in }: OpenedTransaction) =>
      ({
        status: 201,
        headers: createLocation(baseUrl, 'transaction', transaction_id),
        body: {
          transaction_id,
          sdk_token,
          token_type: 'Bearer',
          expires_in,
          verify_url: createVerifyUrl(baseUrl, sdk_token, hasOwnPage ? transaction_id : null),
        },
      }) as const
    const made = await openTransaction(transactions, caller, call, opening =>
      keep(opening.transaction_id, reply(opening)),
    )
    addLogFields({ transaction_id: made.transaction_id })
    return reply(made)
  },
})

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
      transaction_type: wordParameter(transactionTypes).optional().meta(typeMeaning),
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

export const listEvents = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/events`,
  operationId: 'listEvents',
  summary: 'What happened to a transaction',
  description: 'Every event that the transaction accepted, and who sent it.',
  tag: 'Transactions',
  authentication: 'access_token',
  request: {
    path: { transaction_id },
    query: { limit: limitParameter(1000, 100), cursor: cursorParameter },
  },
  responses: { 200: json('A page, oldest first.', pageOf(timelineEvent)) },
  errors: [404],
  async handler({ caller: { account_id }, path: { transaction_id }, query }, { transactions, cursors }) {
    const list = ['events', account_id, transaction_id]
    const after = cursors.read<number>(list, query.cursor) ?? 0
    const { data, next } = await readTimeline(transactions, account_id, transaction_id, { after, limit: query.limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})

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
