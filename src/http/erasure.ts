import type Router from '@koa/router'
import { wait } from '../base/clock.ts'
import { readReceipt } from '../erasure/receipts.ts'
import { withoutPermit } from './calls.ts'
import { api_prefix, authenticated, callerOf, type FrontDoor } from './front_door.ts'
import { idIn } from './query.ts'

/** Callers' own time-outs are often 30 s. */
const longest_wait_ms = 15_000

/** decisions.md, "Beyond the spec": what was personal is gone, and a receipt remains. */
export const erasureRoutes = (router: Router, door: FrontDoor): void => {
  for (const subject of ['customer', 'transaction'] as const)
    router.delete(`${api_prefix}/${subject}/:${subject}_id`, async ctx => {
      const { account_id, client_id } = await authenticated(door, ctx)
      const id = idIn(ctx.params, `${subject}_id`)
      const over = new AbortController()
      const enough = wait(door.clock, longest_wait_ms, AbortSignal.any([over.signal, door.draining]))
      const erasure = { account_id, erased_by: client_id, subject_id: id }
      const receipt = await withoutPermit(ctx, () => door.erasures.erase(subject, erasure, enough))
      over.abort()
      ctx.status = receipt.completed_at === null ? 202 : 200
      ctx.body = receipt
    })

  router.get(`${api_prefix}/erasure/:erasure_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = await readReceipt(door.transactions.store, account_id, idIn(ctx.params, 'erasure_id'))
  })
}
