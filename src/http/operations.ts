import { timingSafeEqual } from 'node:crypto'
import type Router from '@koa/router'
import { serverMetadata } from '../accounts/token_endpoint.ts'
import { ApiError, unavailable } from '../base/api_error.ts'
import { sha256 } from '../base/ids.ts'
import type { FrontDoor } from './front_door.ts'
import { apiDocument } from './openapi/document.ts'
import { apiPage } from './openapi/page.ts'
import { keptContent } from './outgoing.ts'

const metadata_path = '/.well-known/oauth-authorization-server'

/** RFC 8414 §3.1: what a path in the issuer's URL comes to; and the plain path, for a proxy that takes its prefix off. */
const metadataPaths = (base_url: string): string[] => {
  const { pathname } = new URL(base_url)
  return pathname === '/' ? [metadata_path] : [metadata_path, `${metadata_path}${pathname}`]
}

/**
 * What needs no account: the keys of webhooks (spec, "Public keys") and of evidence, the token endpoint's metadata,
 * whether this node lives and can serve, and, for who has the operator's token, its metrics.
 */
export const operationsRoutes = (router: Router, door: FrontDoor): void => {
  router.get('/.well-known/jwks.json', async ctx => {
    const keys = await door.webhookKeys()
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.body = keys
  })
  router.get('/.well-known/evidence-jwks.json', ctx => {
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.body = door.evidenceKeys
  })
  const metadata = serverMetadata(door.base_url)
  router.get(metadataPaths(door.base_url), ctx => {
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.body = metadata
  })
  // The largest answers that need no token: made once, and the same bytes for whoever asks.
  const described = apiDocument(door.base_url)
  const document = keptContent(JSON.stringify(described))
  const page = apiPage(described)
  const html = keptContent(page.html)
  router.get('/openapi.json', ctx => {
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.type = 'json'
    ctx.body = document
  })
  router.get('/docs', ctx => {
    ctx.set({ 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': page.policy })
    ctx.type = 'html'
    ctx.body = html
  })
  const { metrics } = door
  if (metrics !== null)
    router.get('/metrics', async ctx => {
      const given = sha256(ctx.req.headers.authorization ?? '')
      if (!timingSafeEqual(Buffer.from(given), Buffer.from(sha256(`Bearer ${metrics.token}`))))
        throw new ApiError('invalid_token', 'authorization: must be the token of METRICS_TOKEN', {
          'WWW-Authenticate': 'Bearer error="invalid_token"',
        })
      const { content_type, text } = await metrics.page()
      ctx.set('Content-Type', content_type)
      ctx.body = text
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
