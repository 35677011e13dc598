import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { mapValues } from '../base/collections.ts'
import type { RateLimits, RatePermit } from '../database/rate_limits.ts'
import { featureRates, uploadsInWords } from '../features.ts'

/** The subject of each limit. */
const limits = {
  reads: 'reads a minute per account',
  writes: 'writes a minute per account',
  tokens: 'access tokens a minute per client',
  token_failures: 'failed authentications a minute per client and address',
  login_failures: 'failed log-ins a minute per address',
  device: 'calls a minute per transaction',
  ...mapValues(featureRates, ({ subject }) => subject),
  refused_images: `refused or repeated ${uploadsInWords} a minute per transaction`,
  pages: 'pages a minute per address',
} as const

export type LimitName = keyof typeof limits

/** The limits of a node; 0 is off. Those of pages are counted by each node for itself. */
export interface RequestLimits {
  readonly counts: RateLimits
  readonly perMinute: Readonly<Record<LimitName, number>>
}

/** Returns the network that limits count an IPv6 caller by: the addresses of a /64 usually all belong to one caller. */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head.split(':').filter(group => group !== '')
  const after = tail.split(':').filter(group => group !== '')
  const groups = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

function setRateHeaders(ctx: Context, limit: number, { remaining, reset_s }: RatePermit): void {
  ctx.set({
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset_s),
  })
}

function createRateLimitError(name: LimitName, limit: number, { retry_after_s }: RatePermit): ApiError {
  return new ApiError('rate_limited', `rate limit: at most ${limit} ${limits[name]}`, {
    'Retry-After': String(retry_after_s),
  })
}

/** @throws {ApiError} `rate_limited` */
async function usePermit(
  { counts, perMinute }: RequestLimits,
  ctx: Context,
  { name, subject, use }: { readonly name: LimitName; readonly subject: string; readonly use: 'take' | 'look' },
): Promise<void> {
  const limit = perMinute[name]
  if (limit === 0) return
  const permit = await counts[use]({ name, per_minute: limit }, subject)
  if (use === 'take' || !permit.allowed) setRateHeaders(ctx, limit, permit)
  if (!permit.allowed) throw createRateLimitError(name, limit, permit)
}

/** Takes a permit, where the limit is on, and names in the headers how many are left. @throws {ApiError} `rate_limited` */
export function takePermit(deps: RequestLimits, ctx: Context, name: LimitName, subject: string): Promise<void> {
  return usePermit(deps, ctx, { name, subject, use: 'take' })
}

/** Takes no permit. @throws {ApiError} `rate_limited` where none is left */
export function requirePermit(deps: RequestLimits, ctx: Context, name: LimitName, subject: string): Promise<void> {
  return usePermit(deps, ctx, { name, subject, use: 'look' })
}
