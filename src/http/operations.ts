import type Router from '@koa/router'
import { unavailable } from '../base/refusal.ts'
import type { FrontDoor } from './front_door.ts'
import { apiDocument } from './openapi/document.ts'

/** What needs no token: the webhook keys (spec, "Public keys"), and whether this node lives and can serve. */
export const operationsRoutes = (router: Router, door: FrontDoor): void => {
  router.get('/.well-known/jwks.json', async ctx => {
    const keys = await door.publicKeys()
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.body = { keys }
  })
  const document = apiDocument(door.base_url)
  router.get('/openapi.json', ctx => {
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.body = document
  })
  router.get('/healthz', ctx => {
    ctx.body = { status: 'alive' }
  })
  router.get('/readyz', async ctx => {
    const reasons = await door.unreadiness()
    if (reasons.length > 0) throw unavailable(`not ready: ${reasons.join('; ')}`)
    ctx.body = { status: 'ready' }
  })
}
