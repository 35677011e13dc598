import { z } from 'zod'
import { addLogFields } from '../../base/log_context.ts'
import { type OpenedTransaction, openTransaction } from '../../verification/transactions/transactions.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix, createLocation, createVerifyUrl } from '../paths.ts'
import { deviceToken, id } from '../shapes/common.ts'
import { toOpenTransaction, transactionBody } from '../shapes/transaction_body.ts'

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
  async handler({ caller, body, keep }, { transactions, defaultTtlMinutes, baseUrl, branding }) {
    const call = toOpenTransaction(body, defaultTtlMinutes)
    const hasOwnPage = (call.embed_origins?.length ?? 0) > 0 || branding.accounts.has(caller.account_id)
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
