import type Router from '@koa/router'
import { isId } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import { listDeliveries, redeliver } from '../webhooks/deliveries.ts'
import { readOptionalJson } from './bodies.ts'
import { ignoredFieldsHeader, unknownMembers } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor } from './front_door.ts'
import { transactionIdOf } from './transaction_list.ts'

/** decisions.md, "Beyond the spec": what a transaction's integrator was told, with every attempt; and telling it again. */
export const deliveryRoutes = (router: Router, door: FrontDoor): void => {
  const path = `${api_prefix}/transaction/:transaction_id/deliveries`

  router.get(path, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = { data: await listDeliveries(door.deliveries, account_id, transactionIdOf(ctx.params)) }
  })

  router.post(`${path}/:delivery_id/redeliver`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const transaction_id = transactionIdOf(ctx.params)
    const delivery_id = ctx.params.delivery_id ?? ''
    if (!isId(delivery_id)) throw new Refusal('not_found', 'delivery_id: not found')
    ctx.set(ignoredFieldsHeader(unknownMembers(await readOptionalJson(ctx), [])))
    await redeliver(door.deliveries, { account_id, transaction_id, delivery_id })
    const deliveries = await listDeliveries(door.deliveries, account_id, transaction_id)
    ctx.status = 202
    ctx.body = deliveries.find(delivery => delivery.delivery_id === delivery_id)
  })
}
