import type Router from '@koa/router'
import { isId } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import type { KeptAnswer } from '../store/idempotency_keys.ts'
import { type OpenedTransaction, openTransaction, viewTransaction } from '../transactions/transactions.ts'
import { ignoredFieldsHeader } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor, located } from './front_door.ts'
import { answerOnce } from './idempotency.ts'
import { transactionChecker } from './transaction_body.ts'

/** spec, "Create transaction" and "Get transaction". */
export const transactionRoutes = (router: Router, door: FrontDoor): void => {
  const check = transactionChecker(door)

  router.post(`${api_prefix}/transaction`, async ctx => {
    const account_id = await callerOf(door, ctx)
    await answerOnce(door, ctx, account_id, async (body, keep) => {
      const { call, ignored } = check(body)
      const answer = ({ transaction_id, sdk_token, expires_in }: OpenedTransaction): KeptAnswer => ({
        status: 201,
        headers: { ...ignoredFieldsHeader(ignored), ...located(door, 'transaction', transaction_id) },
        body: { transaction_id, sdk_token, token_type: 'Bearer', expires_in },
      })
      return answer(await openTransaction(door.transactions, account_id, call, opened => keep(answer(opened))))
    })
  })

  router.get(`${api_prefix}/transaction/:transaction_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const transaction_id = ctx.params.transaction_id ?? ''
    // decisions.md, "HTTP": an unknown id, another account's, and what is no id at all, alike.
    if (!isId(transaction_id)) throw new Refusal('not_found', 'transaction_id: not found')
    ctx.body = await viewTransaction(door.transactions, account_id, transaction_id)
  })
}
