import type { Context } from 'koa'
import { Refusal } from '../base/refusal.ts'
import type { RateLimits, Turn } from '../store/rate_limits.ts'

/** What is limited, and what a limit counts for (decisions.md, "HTTP"). */
const limits = {
  reads: 'reads a minute per account',
  writes: 'writes a minute per account',
  tokens: 'access tokens a minute per client',
  token_failures: 'failed authentications a minute per address',
  device: 'calls a minute per transaction',
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

/** Takes a turn and tells the caller how many are left. Null where the limit is off. @throws {Refusal} `rate_limited` */
export const takeTurn = async (
  { counts, per_minute }: FrontDoorLimits,
  ctx: Context,
  name: LimitName,
  subject: string,
): Promise<Turn | null> => {
  const limit = per_minute[name]
  if (limit === 0) return null
  const turn = await counts.take({ name, per_minute: limit }, subject)
  const { allowed, remaining, reset_s, retry_after_s } = turn
  // A failure that was not made is nobody's to count.
  if (!allowed || name !== 'token_failures')
    ctx.set({
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(reset_s),
    })
  if (!allowed)
    throw new Refusal('rate_limited', `rate limit: at most ${limit} ${limits[name]}`, {
      'Retry-After': String(retry_after_s),
    })
  return turn
}
