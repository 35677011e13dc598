import type Router from '@koa/router'
import { z } from 'zod'
import { listDeliveries, redeliver } from '../webhooks/deliveries.ts'
import {
  type DeliveryPosition,
  deliveryStates,
  listAccountDeliveries,
  redeliverPage,
} from '../webhooks/delivery_list.ts'
import { readOptionalJson } from './bodies.ts'
import { ignoredFieldsHeader, unknownMembers } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor } from './front_door.ts'
import { idIn, instantParameter, limitParameter, readQuery, single, wordsParameter } from './query.ts'

/** Which of the account's deliveries. */
export const deliveries_query = z.object({
  limit: limitParameter(100, 20),
  cursor: single.optional(),
  state: wordsParameter(deliveryStates).optional(),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
})

/** Which are made again: since when must be said, and those that are EXHAUSTED are meant. */
export const redeliver_query = deliveries_query.extend({ from: instantParameter })

/** A page of them, and the list that it is of. */
const pageOf = (
  { cursors }: FrontDoor,
  account_id: string,
  { limit, cursor, ...given }: z.infer<typeof deliveries_query>,
) => {
  const filter = { state: given.state ?? null, from: given.from ?? null, to: given.to ?? null }
  const list = ['deliveries', account_id, filter]
  const after = cursor === undefined ? null : cursors.open<DeliveryPosition>(list, cursor)
  const cursorOf = (next: DeliveryPosition | null) => (next === null ? null : cursors.give(list, next))
  return { page: { filter, after, limit }, cursorOf }
}

const accountRoutes = (router: Router, door: FrontDoor): void => {
  const { store } = door.deliveries

  router.get(`${api_prefix}/delivery`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const { page, cursorOf } = pageOf(door, account_id, readQuery(ctx, deliveries_query))
    const { data, next } = await listAccountDeliveries(store, account_id, page)
    ctx.body = { data, next_cursor: cursorOf(next) }
  })

  router.post(`${api_prefix}/delivery/redeliver`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const { state = ['EXHAUSTED' as const], ...given } = readQuery(ctx, redeliver_query)
    const { page, cursorOf } = pageOf(door, account_id, { ...given, state })
    await readOptionalJson(ctx)
    const { redelivered, next } = await redeliverPage(door.deliveries, account_id, page)
    ctx.status = 202
    ctx.body = { redelivered, next_cursor: cursorOf(next) }
  })
}

/** decisions.md, "Beyond the spec": what a transaction's integrator was told, with every attempt; and telling it again. */
export const deliveryRoutes = (router: Router, door: FrontDoor): void => {
  const path = `${api_prefix}/transaction/:transaction_id/deliveries`
  accountRoutes(router, door)

  router.get(path, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = { data: await listDeliveries(door.deliveries, account_id, idIn(ctx.params, 'transaction_id')) }
  })

  router.post(`${path}/:delivery_id/redeliver`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const transaction_id = idIn(ctx.params, 'transaction_id')
    const delivery_id = idIn(ctx.params, 'delivery_id')
    ctx.set(ignoredFieldsHeader(unknownMembers(await readOptionalJson(ctx), [])))
    await redeliver(door.deliveries, { account_id, transaction_id, delivery_id })
    const deliveries = await listDeliveries(door.deliveries, account_id, transaction_id)
    ctx.status = 202
    ctx.body = deliveries.find(delivery => delivery.delivery_id === delivery_id)
  })
}
