import { z } from 'zod'
import { walkTransaction as walk, walkTargets } from '../../verification/transactions/test_walk.ts'
import { viewTransaction } from '../../verification/transactions/transactions.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, wordField } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { transaction_id } from '../shapes/common.ts'
import { transaction } from '../shapes/transaction.ts'

export const walkTransaction = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/test/transaction/{transaction_id}/walk`,
  operationId: 'walkTransaction',
  summary: 'Take the steps of a device',
  description: 'Takes the steps that are missing, with placeholders. One that is there already stays as it is.',
  tag: 'Test mode',
  authentication: 'access_token',
  request: {
    path: { transaction_id },
    body: jsonBody(
      z.object({
        to: wordField(walkTargets).meta(
          meaning(
            'The status that the walk ends with: `INITIATED` starts the session, `COMPLETED` also takes every step and submits.',
            'COMPLETED',
          ),
        ),
      }),
    ),
  },
  responses: { 200: json('The transaction, as it is now.', transaction) },
  // A concurrent call may get ahead of it, as another phone would: 410 and 422.
  errors: [404, 409, 410, 422],
  async handler({ caller: { account_id }, path: { transaction_id }, body }, { transactions }) {
    await walk(transactions, account_id, transaction_id, body.to)
    return { status: 200, body: await viewTransaction(transactions, account_id, transaction_id) }
  },
})
