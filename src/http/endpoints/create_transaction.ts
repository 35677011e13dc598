import { z } from 'zod'
import { addLogFields } from '../../base/log_context.ts'
import { type OpenedTransaction, openTransaction } from '../../verification/transactions/transactions.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix, createLocation, createVerifyUrl } from '../paths.ts'
import { id } from '../shapes/common.ts'
import { toOpenTransaction, transactionBody } from '../shapes/transaction_body.ts'

const opened = z
  .object({
    transaction_id: id,
    sdk_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().meta({ description: 'How long `sdk_token` is valid, in seconds from now.' }),
    verify_url: z.string(),
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
  async handler({ caller, body, keep }, { transactions, defaultTtlMinutes, baseUrl }) {
    const reply = ({ transaction_id, sdk_token, expires_in }: OpenedTransaction) =>
      ({
        status: 201,
        headers: createLocation(baseUrl, 'transaction', transaction_id),
        body: {
          transaction_id,
          sdk_token,
          token_type: 'Bearer',
          expires_in,
          verify_url: createVerifyUrl(baseUrl, sdk_token),
        },
      }) as const
    const call = toOpenTransaction(body, defaultTtlMinutes)
    const made = await openTransaction(transactions, caller, call, opening =>
      keep(opening.transaction_id, reply(opening)),
    )
    addLogFields({ transaction_id: made.transaction_id })
    return reply(made)
  },
})
