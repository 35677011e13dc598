import type Router from '@koa/router'
import type { KeptAnswer } from '../database/idempotency_keys.ts'
import { cancelTransaction } from '../transactions/cancel.ts'
import { type OpenedTransaction, openTransaction, viewTransaction } from '../transactions/transactions.ts'
import { readOptionalJson } from './bodies.ts'
import { ignoredFieldsHeader, unknownMembers } from './fields.ts'
import { api_prefix, authenticated, callerOf, type FrontDoor, located } from './front_door.ts'
import { respondOnce } from './idempotency.ts'
import { idIn } from './query.ts'
import { transactionChecker } from './transaction_body.ts'

/** spec, "Create transaction" and "Get transaction"; and cancelling one. */
export const transactionRoutes = (router: Router, door: FrontDoor): void => {
  const check = transactionChecker(door)

  router.post(`${api_prefix}/transaction`, async ctx => {
    const caller = await authenticated(door, ctx)
    await respondOnce(door, ctx, caller.account_id, async (body, keep) => {
      const { call, ignored } = check(body)
      const answer = ({ transaction_id, sdk_token, expires_in }: OpenedTransaction): KeptAnswer => ({
        status: 201,
        subject_id: transaction_id,
        headers: { ...ignoredFieldsHeader(ignored), ...located(door, 'transaction', transaction_id) },
        body: { transaction_id, sdk_token, token_type: 'Bearer', expires_in },
      })
      return answer(await openTransaction(door.transactions, caller, call, opened => keep(answer(opened))))
    })
  })

  router.get(`${api_prefix}/transaction/:transaction_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = await viewTransaction(door.transactions, account_id, idIn(ctx.params, 'transaction_id'))
  })

  router.post(`${api_prefix}/transaction/:transaction_id/cancel`, async ctx => {
    const caller = await authenticated(door, ctx)
    const transaction_id = idIn(ctx.params, 'transaction_id')
    ctx.set(ignoredFieldsHeader(unknownMembers(await readOptionalJson(ctx), [])))
    await cancelTransaction(door.transactions, caller, transaction_id)
    ctx.body = await viewTransaction(door.transactions, caller.account_id, transaction_id)
  })
}
