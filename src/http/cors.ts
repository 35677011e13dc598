import type { Context, Middleware } from 'koa'
import { handoffPath, sessionPrefix } from './paths.ts'

/** The headers that a page of another origin may read. */
const exposedHeaders = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Error-Code, X-Request-Id'

function isDevicePath(path: string): boolean {
  return path === handoffPath || path === sessionPrefix || path.startsWith(`${sessionPrefix}/`)
}

function isPreflight(ctx: Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== ''
}

/**
 * Lets pages of these origins call the device side (Fetch Standard, "CORS protocol"), and no other path. A page sends its
 * token itself: the browser's credentials, such as cookies, are not used. Errors carry the headers too, so that the page
 * can read them.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  return async (ctx, next) => {
    if (origins.length === 0 || !isDevicePath(ctx.path)) return next()
    // The headers depend on the origin: no cache may serve one origin's response to another.
    ctx.vary('Origin')
    const origin = ctx.get('origin')
    if (!origins.includes(origin)) return next()
    ctx.set('Access-Control-Allow-Origin', origin)
    if (!isPreflight(ctx)) {
      ctx.set('Access-Control-Expose-Headers', exposedHeaders)
      return next()
    }
    ctx.set({
      'Access-Control-Allow-Methods': 'DELETE, GET, POST, PUT',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
      'Access-Control-Max-Age': '600',
    })
    ctx.status = 204
  }
}
