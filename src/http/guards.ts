import type { RouterContext } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import { alwaysAnswered } from './concurrency.ts'
import type { HttpDeps } from './deps.ts'
import { consolePath } from './operators.ts'
import { handoffPath, sessionPrefix } from './paths.ts'
import { readRequestId } from './request_id.ts'
import { strictHeaders } from './strict_headers.ts'

/** A caller may put a name or a secret into a path by mistake: only the matched route and well-formed ids are logged. */
function readRoute(ctx: Context): { route: string | null; ids: readonly string[] } {
  const { _matchedRoute: route = null, params = {} } = ctx as Partial<RouterContext>
  return {
    route: route === null ? null : String(route),
    ids: Object.values(params).flatMap(value => parseId(value) ?? []),
  }
}

/** Logs and counts each call, without its query, its body or its caller. */
export function logCalls({ log, clock, metrics }: Pick<HttpDeps, 'log' | 'clock' | 'metrics'>): Middleware {
  return async (ctx, next) => {
    const startedAt = clock.now()
    const monotonicStart = clock.monotonic()
    await next()
    const durationMs = clock.monotonic() - monotonicStart
    const { method, status } = ctx
    const { route, ids } = readRoute(ctx)
    metrics?.observeRequest({ method, route, status, durationMs })
    const fields = { request_id: readRequestId(ctx), method, route, ids, status, duration_ms: durationMs }
    // A probe that finds all well, every few seconds, would be most of the log.
    const level = alwaysAnswered.includes(ctx.path) && status < 400 ? 'debug' : 'info'
    log[level]({ ...fields, at: isoTimestamp(startedAt) }, 'call')
  }
}

const fixedHeaders = Object.entries(strictHeaders)

export const setStrictHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of fixedHeaders) ctx.res.setHeader(name, value)
  return next()
}

const singleHeaders = new Set([
  'authorization',
  'origin',
  'content-type',
  'content-encoding',
  'idempotency-key',
  'content-digest',
  'signature',
  'signature-input',
  'x-request-id',
])

/** Node reads the first of several; a proxy in front may read the last. */
export const requireSingleHeaders: Middleware = (ctx, next) => {
  const { rawHeaders } = ctx.req
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase()
    if (seen.has(name)) throw new ApiError('malformed_request', `${name}: given more than once`)
    if (singleHeaders.has(name)) seen.add(name)
  }
  return next()
}

/** Headers whose members are weighed against each other: the cost grows faster than their number. */
const listHeaders = ['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'if-none-match'] as const

/** No browser sends half as many. */
const maxMembers = 32

/** Preferences beyond a bound are not read (RFC 9110 §5.6.1): they are a caller's wishes, so none of them is an error. */
export const boundLists: Middleware = ({ req: { headers } }, next) => {
  for (const name of listHeaders) {
    const members = String(headers[name] ?? '').split(',', maxMembers + 1)
    if (members.length > maxMembers) headers[name] = members.slice(0, maxMembers).join(',')
  }
  return next()
}

/**
 * Whether an address is for people: the console and the reference answer any with a page, which may say that there is
 * nothing.
 */
function isScreen(path: string): boolean {
  return path.startsWith('/docs/') || (path.startsWith(`${consolePath}/`) && !path.startsWith(`${consolePath}/api/`))
}

/** The path of a capture page with its fragment, whose `#` was escaped. */
const escapedLink = /^\/(verify(?:-[\w-]+)?)(\/?)%23([^?/]+)$/

/**
 * Brings a person to the capture page whose mailer has escaped the `#` of the link. The address is relative, as a proxy may
 * have taken a folder away.
 */
export const restoreFragment: Middleware = (ctx, next) => {
  const link = ctx.method === 'GET' || ctx.method === 'HEAD' ? escapedLink.exec(ctx.path) : null
  if (link === null) return next()
  const [, page, slash, fragment] = link
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(`${slash === '' ? '' : '../'}${page}#${fragment}`)
  return
}

/** No path of the API needs escapes, which could hide a slash or a dot. */
export const requirePlainPath: Middleware = (ctx, next) => {
  if (isScreen(ctx.path)) return next()
  const isPlain = /^[\w.~!$&'()*+,;=:@/-]*$/.test(ctx.path) && !ctx.path.includes('//')
  if (!isPlain) throw new ApiError('not_found', 'path: not found')
  return next()
}

/** RFC 9112 §3.2: an HTTP/1.1 request names its host, once. */
export const requireHost: Middleware = (ctx, next) => {
  const { rawHeaders } = ctx.req
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === 'host') hosts++
  if (hosts > 1 || (hosts === 0 && ctx.req.httpVersion === '1.1'))
    throw new ApiError('malformed_request', 'host: must be given once')
  return next()
}

/**
 * A draining node announces with each response that it closes the connection: a call sent into a closing connection
 * would be lost.
 */
export function endConnections({ draining }: Pick<HttpDeps, 'draining'>): Middleware {
  return async (ctx, next) => {
    await next()
    if (draining.aborted) ctx.set('Connection', 'close')
  }
}

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
