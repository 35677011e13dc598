import type { RouterContext } from '@koa/router'
import type { Context, Middleware } from 'koa'
import helmet from 'koa-helmet'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import type { FrontDoor } from './front_door.ts'
import { requestIdOf } from './request_id.ts'

/** A caller's mistake can put a name or a secret into a path: only the route that it met is told, and ids of ours. */
const routeOf = (ctx: Context): { route: string | null; ids: readonly string[] } => {
  const { _matchedRoute: route = null, params = {} } = ctx as Partial<RouterContext>
  return {
    route: route === null ? null : String(route),
    ids: Object.values(params).flatMap(value => parseId(value) ?? []),
  }
}

/** One JSON line a call, and a count where metrics are on, without its query, its body or who called. */
export const logCalls =
  ({ log, clock, metrics }: Pick<FrontDoor, 'log' | 'clock' | 'metrics'>): Middleware =>
  async (ctx, next) => {
    const [at, began] = [clock.now(), clock.monotonic()]
    await next()
    const duration_ms = clock.monotonic() - began
    const { method, status } = ctx
    const { route, ids } = routeOf(ctx)
    metrics?.called({ method, route, status, duration_ms })
    log.info({ request_id: requestIdOf(ctx), method, route, ids, status, duration_ms, at: isoTimestamp(at) }, 'call')
  }

/** Answers hold personal data: no page may frame them, no cache may keep them. Public routes say otherwise themselves. */
export const secureHeaders: Middleware = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  xFrameOptions: { action: 'deny' },
})

/** See `secureHeaders`. */
export const forbidCaching: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  return next()
}

const once = ['authorization', 'content-type', 'content-encoding', 'idempotency-key', 'x-request-id']

/** Node takes the first of several; a proxy in front may take the last. Neither is believed. */
export const requireSingleHeaders: Middleware = (ctx, next) => {
  const names = ctx.req.rawHeaders.filter((_, index) => index % 2 === 0).map(name => name.toLowerCase())
  const twice = once.find(name => names.filter(candidate => candidate === name).length > 1)
  if (twice !== undefined) throw new ApiError('malformed_request', `${twice}: given more than once`)
  return next()
}

/** A path means one thing only: a slash or a dot that hides in an escape belongs to no address of ours. */
export const requirePlainPath: Middleware = (ctx, next) => {
  const known = /^[\w.~!$&'()*+,;=:@/-]*$/.test(ctx.path) && !ctx.path.includes('//')
  if (!known) throw new ApiError('not_found', 'path: not found')
  return next()
}

/** RFC 9112 §3.2: a request of HTTP/1.1 names its host, once. */
export const requireHost: Middleware = (ctx, next) => {
  const hosts = ctx.req.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && ctx.req.httpVersion === '1.1'))
    throw new ApiError('malformed_request', 'host: must be given once')
  return next()
}

/** A node that drains says so with each answer: a caller that sent its next call into a closing connection would lose it. */
export const endConnections =
  ({ draining }: Pick<FrontDoor, 'draining'>): Middleware =>
  async (ctx, next) => {
    await next()
    if (draining.aborted) ctx.set('Connection', 'close')
  }
