import type { RouterMiddleware } from '@koa/router'
import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { Role } from '../database/words.ts'
import { includesRole } from '../identity/operators/roles.ts'
import { findSession, maxSessionMs, type OperatorCaller } from '../identity/operators/sessions.ts'
import { readClientAddress } from './client_address.ts'
import type { HttpDeps } from './deps.ts'
import type { CallState } from './endpoint.ts'

/** The path of the console. */
export const consolePath = '/console'

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** A `__Host-` cookie is sent to this host only (RFC 6265bis §4.1.3.2). Over plain HTTP, on loopback, there can be none. */
const cookieName = (baseUrl: string): string => `${isSecure(baseUrl) ? '__Host-' : ''}attestor_console`

const createCookie = (baseUrl: string, value: string, maxAgeS: number): string =>
  [
    `${cookieName(baseUrl)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(baseUrl) ? ['Secure'] : []),
  ].join('; ')

export const createSessionCookie = (baseUrl: string, token: string): string =>
  createCookie(baseUrl, token, maxSessionMs / 1000)

export const createEndedCookie = (baseUrl: string): string => createCookie(baseUrl, '', 0)

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** On loopback a browser may use another name of this machine than the service does. */
const isOwnOrigin = (ctx: Context, baseUrl: string): boolean => {
  const [own, given] = [new URL(baseUrl), URL.parse(ctx.get('origin'))]
  if (given === null) return false
  if (given.origin === own.origin) return true
  return isLoopback(own.hostname) && isLoopback(given.hostname) && given.host === ctx.get('host')
}

/**
 * Pages of other sites can't change anything: a browser sends no cookie with their calls (`SameSite=Strict`), allows
 * such a header only after a preflight, and names their origin. @throws {ApiError} `not_found` until there is an
 * operator, `insufficient_scope`
 */
export const guardConsole =
  ({ operatorsExist, baseUrl }: HttpDeps): RouterMiddleware<CallState> =>
  async (ctx, next) => {
    if (!(await operatorsExist())) throw new ApiError('not_found', 'path: not found')
    if (!isSecure(baseUrl) && !isLoopback(new URL(baseUrl).hostname))
      throw new ApiError('insufficient_scope', 'console: BASE_URL must be https, or a loopback address')
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      if (ctx.get('x-attestor-console') !== '1')
        throw new ApiError('insufficient_scope', 'x-attestor-console: must be 1')
      if (!isOwnOrigin(ctx, baseUrl)) throw new ApiError('insufficient_scope', 'origin: must be that of the service')
    }
    return next()
  }

export const readAddress = (ctx: Context, { trustedProxyHops }: Pick<HttpDeps, 'trustedProxyHops'>): string =>
  readClientAddress(ctx.req, trustedProxyHops)

/** @throws {ApiError} `invalid_token` without an open session */
export const authenticateOperator = async (deps: HttpDeps, ctx: Context): Promise<OperatorCaller> => {
  const token = ctx.cookies.get(cookieName(deps.baseUrl)) ?? ''
  const caller = token === '' ? null : await findSession(deps.operators, token, readAddress(ctx, deps))
  // RFC 9110 §15.5.2 wants the header on every 401.
  if (caller === null) throw new ApiError('invalid_token', 'session: log in first', { 'WWW-Authenticate': 'Cookie' })
  return caller
}

/** @throws {ApiError} `insufficient_scope` */
export const requireRole =
  (role: Role): RouterMiddleware<CallState> =>
  (ctx, next) => {
    if (!includesRole((ctx.state.caller as OperatorCaller).role, role))
      throw new ApiError('insufficient_scope', `role: must be ${role === 'reviewer' ? 'reviewer or admin' : role}`)
    return next()
  }
