import type Router from '@koa/router'
import { readEvidence } from '../evidence/evidence.ts'
import { linkCapture, listCaptures, openLink, readLinked } from '../transactions/capture_reading.ts'
import { api_prefix, authenticated, callerOf, type FrontDoor } from './front_door.ts'
import type { Held } from './outgoing.ts'
import { idIn } from './query.ts'
import { takePermit } from './rate_limits.ts'

const captureRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions
  const { master } = door.customers

  router.get(`${api_prefix}/transaction/:transaction_id/captures`, async ctx => {
    const account_id = await callerOf(door, ctx)
    ctx.body = { data: await listCaptures(deps, account_id, idIn(ctx.params, 'transaction_id')) }
  })

  router.post(`${api_prefix}/transaction/:transaction_id/captures/:capture_id/link`, async ctx => {
    const caller = await authenticated(door, ctx)
    const transaction_id = idIn(ctx.params, 'transaction_id')
    const capture_id = idIn(ctx.params, 'capture_id')
    const { link, expires_at } = await linkCapture(deps, master, caller, { transaction_id, capture_id })
    ctx.status = 201
    ctx.body = { url: `${door.base_url}${api_prefix}/capture/${link}`, expires_at }
  })

  // No token: the link is one, for this image alone, so that a browser can show it.
  router.get(`${api_prefix}/capture/:link`, async ctx => {
    let reduceTo: Held['reduceTo'] = () => {}
    const link = openLink(deps, master, ctx.params.link ?? '')
    await takePermit(door.limits, ctx, 'reads', link.account_id)
    // Encrypted as it is stored and decrypted beside it, until the one of them is gone.
    const { kind, media_type, content } = await readLinked(deps, link, byte_count => {
      reduceTo = door.outgoing.hold(ctx, 2 * byte_count, link.account_id).reduceTo
    })
    reduceTo(content.length)
    ctx.set('Content-Disposition', `inline; filename="${kind}.${media_type.split('/')[1]}"`)
    ctx.type = media_type
    ctx.body = content
  })
}

/** decisions.md, "Beyond the spec"; issue 4.6: what can be shown of a transaction afterwards, and who looked at it. */
export const evidenceRoutes = (router: Router, door: FrontDoor): void => {
  router.get(`${api_prefix}/transaction/:transaction_id/evidence`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const id = idIn(ctx.params, 'transaction_id')
    const evidence = await readEvidence(door.transactions, door.base_url, account_id, id)
    ctx.body = JSON.stringify(await door.signEvidence(evidence))
    // RFC 7515 §9.2.1.
    ctx.type = 'application/jose+json'
  })
  captureRoutes(router, door)
}
