import type { Context, Middleware } from 'koa'
import { session_prefix } from './front_door.ts'

/** What a page of another origin may read beside the body. */
const exposed = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Error-Code, X-Request-Id'

const isPreflight = (ctx: Context): boolean =>
  ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== ''

/**
 * Lets pages of these origins call the device side (Fetch Standard, "CORS protocol"), and no other path. A page sends its
 * token itself: credentials of the browser's, such as cookies, are never asked for. Refusals carry the headers too, so
 * that the page can read why.
 */
export const allowOrigins =
  (origins: readonly string[]): Middleware =>
  async (ctx, next) => {
    const is_device = ctx.path === session_prefix || ctx.path.startsWith(`${session_prefix}/`)
    if (origins.length === 0 || !is_device) return next()
    // Whether an answer may be read depends on who asks: no cache may mix them up.
    ctx.vary('Origin')
    const origin = ctx.get('origin')
    if (!origins.includes(origin)) return next()
    ctx.set('Access-Control-Allow-Origin', origin)
    if (!isPreflight(ctx)) {
      ctx.set('Access-Control-Expose-Headers', exposed)
      return next()
    }
    ctx.set({
      'Access-Control-Allow-Methods': 'DELETE, GET, POST, PUT',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
      'Access-Control-Max-Age': '600',
    })
    ctx.status = 204
  }
