import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { RateLimits, RatePermit } from '../database/rate_limits.ts'

/** What is limited, and what a limit counts for (decisions.md, "HTTP"). */
const limits = {
  reads: 'reads a minute per account',
  writes: 'writes a minute per account',
  tokens: 'access tokens a minute per client',
  token_failures: 'failed authentications a minute per client and address',
  device: 'calls a minute per transaction',
  refused_images: 'refused images a minute per transaction',
} as const

/** The name of a limit. */
export type LimitName = keyof typeof limits

/** The limits of a node: how often a minute, 0 for off, and what counts them. */
export interface FrontDoorLimits {
  readonly counts: RateLimits
  readonly per_minute: Readonly<Record<LimitName, number>>
}

/** One caller has a whole IPv6 network of 64 bits, and would else have 2⁶⁴ addresses to fail from. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head.split(':').filter(group => group !== '')
  const after = tail.split(':').filter(group => group !== '')
  const groups = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

const tellTurn = (ctx: Context, limit: number, { remaining, reset_s }: RatePermit): void => {
  ctx.set({
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset_s),
  })
}

const refusal = (name: LimitName, limit: number, { retry_after_s }: RatePermit): ApiError =>
  new ApiError('rate_limited', `rate limit: at most ${limit} ${limits[name]}`, { 'Retry-After': String(retry_after_s) })

/** Takes a turn, where the limit is on, and tells the caller how many are left. @throws {ApiError} `rate_limited` */
export const takePermit = async (
  { counts, per_minute }: FrontDoorLimits,
  ctx: Context,
  name: LimitName,
  subject: string,
): Promise<void> => {
  const limit = per_minute[name]
  if (limit === 0) return
  const turn = await counts.take({ name, per_minute: limit }, subject)
  tellTurn(ctx, limit, turn)
  if (!turn.allowed) throw refusal(name, limit, turn)
}

/** How many turns are left where the limit is on; none is taken. @throws {ApiError} `rate_limited` where there is none */
export const permitsLeft = async (
  { counts, per_minute }: FrontDoorLimits,
  ctx: Context,
  name: LimitName,
  subject: string,
): Promise<number> => {
  const limit = per_minute[name]
  if (limit === 0) return Number.POSITIVE_INFINITY
  const turn = await counts.look({ name, per_minute: limit }, subject)
  if (turn.allowed) return Math.max(1, turn.remaining)
  tellTurn(ctx, limit, turn)
  throw refusal(name, limit, turn)
}
