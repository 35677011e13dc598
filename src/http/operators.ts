import type { RouterMiddleware } from '@koa/router'
import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { Role } from '../database/words.ts'
import { deviceMs } from '../identity/operators/login_lines.ts'
import { includesRole } from '../identity/operators/roles.ts'
import { findSession, maxSessionMs, type OperatorCaller } from '../identity/operators/sessions.ts'
import { readClientAddress } from './client_address.ts'
import type { HttpDeps } from './deps.ts'
import type { CallState } from './endpoint.ts'

/** The path of the console. */
export const consolePath = '/console'

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

/** A `__Host-` cookie is sent to this host only (RFC 6265bis §4.1.3.2). Over plain HTTP, on loopback, there can be none. */
function cookieName(baseUrl: string): string {
  return `${isSecure(baseUrl) ? '__Host-' : ''}attestor_console`
}

function createCookie(baseUrl: string, value: string, maxAgeS: number, name = cookieName(baseUrl)): string {
  return [
    `${name}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(baseUrl) ? ['Secure'] : []),
  ].join('; ')
}

export function createSessionCookie(baseUrl: string, token: string): string {
  return createCookie(baseUrl, token, maxSessionMs / 1000)
}

function deviceCookieName(baseUrl: string): string {
  return `${cookieName(baseUrl)}_device`
}

/** It opens nothing: it only says that an operator has logged in from this device before. */
export function createDeviceCookie(baseUrl: string, mark: string): string {
  return createCookie(baseUrl, mark, deviceMs / 1000, deviceCookieName(baseUrl))
}

/** Empty where the device has none. */
export function readDeviceCookie(ctx: Context, baseUrl: string): string {
  return ctx.cookies.get(deviceCookieName(baseUrl)) ?? ''
}

function signOnCookieName(baseUrl: string): string {
  return `${cookieName(baseUrl)}_sign_on`
}

/** A person is at the identity provider for so long at most. */
const signOnSeconds = 600

/** It is sent when the provider leads back, as another site's page does; null removes it. */
export function createSignOnCookie(baseUrl: string, kept: string | null): string {
  const cookie = createCookie(baseUrl, kept ?? '', kept === null ? 0 : signOnSeconds, signOnCookieName(baseUrl))
  return cookie.replace('SameSite=Strict', 'SameSite=Lax')
}

/** Returns the cookie; empty if nobody began to sign in. */
export function readSignOnCookie(ctx: Context, baseUrl: string): string {
  return ctx.cookies.get(signOnCookieName(baseUrl)) ?? ''
}

export function createEndedCookie(baseUrl: string): string {
  return createCookie(baseUrl, '', 0)
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** On loopback a browser may use another name of this machine than the service does. */
function isOwnOrigin(ctx: Context, baseUrl: string): boolean {
  const own = new URL(baseUrl)
  const given = URL.parse(ctx.get('origin'))
  if (given === null) return false
  if (given.origin === own.origin) return true
  return isLoopback(own.hostname) && isLoopback(given.hostname) && given.host === ctx.get('host')
}

/**
 * Pages of other sites can't change anything: a browser sends no cookie with their calls (`SameSite=Strict`), allows
 * such a header only after a preflight, and names their origin. @throws {ApiError} `not_found` until there is an
 * operator, `insufficient_scope`
 */
export function guardConsole({ operatorsExist, baseUrl }: HttpDeps): RouterMiddleware<CallState> {
  return async (ctx, next) => {
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
}

export function readAddress(ctx: Context, { trustedProxyHops }: Pick<HttpDeps, 'trustedProxyHops'>): string {
  return readClientAddress(ctx.req, trustedProxyHops)
}

/** @throws {ApiError} `invalid_token` without an open session */
export async function authenticateOperator(deps: HttpDeps, ctx: Context): Promise<OperatorCaller> {
  const token = ctx.cookies.get(cookieName(deps.baseUrl)) ?? ''
  const caller = token === '' ? null : await findSession(deps.operators, token, readAddress(ctx, deps))
  // RFC 9110 §15.5.2 wants the header on every 401.
  if (caller === null) throw new ApiError('invalid_token', 'session: log in first', { 'WWW-Authenticate': 'Cookie' })
  return caller
}

/** @throws {ApiError} `insufficient_scope` */
export function requireRole(role: Role): RouterMiddleware<CallState> {
  return (ctx, next) => {
    if (!includesRole((ctx.state.caller as OperatorCaller).role, role))
      throw new ApiError('insufficient_scope', `role: must be ${role === 'reviewer' ? 'reviewer or admin' : role}`)
    return next()
  }
}
