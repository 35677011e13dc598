import type { Middleware } from 'koa'
import { createRecent } from '../base/collections.ts'
import { type RateLimits, type RatePermit, toPace } from '../database/rate_limits.ts'
import { readClientAddress } from './client_address.ts'
import type { HttpDeps } from './deps.ts'
import { takePermit, toNetwork } from './rate_limits.ts'

/** More addresses at a time than that are no one caller's. */
const maxSubjects = 20_000

/**
 * Counts in memory: nobody needs a credential to ask for a page, so a row for each address would let strangers fill the
 * database. The permits of a subject come back evenly within a minute.
 */
function countInMemory({ monotonic }: HttpDeps['clock']): RateLimits {
  /** When all permits are back, in microseconds. */
  const fullAt = createRecent<number>(maxSubjects)
  const count = (subject: string, per_minute: number, taken: number): RatePermit => {
    const now = Math.round(monotonic() * 1000)
    const { each, all } = toPace(per_minute)
    const before = Math.max(now, fullAt.get(subject) ?? now)
    const allowed = before + each <= now + all
    const full = allowed ? before + each * taken : before
    if (allowed) fullAt.set(subject, full)
    return {
      allowed,
      remaining: Math.max(0, Math.floor((now + all - full) / each)),
      reset_s: Math.ceil((full - now) / 1e6),
      retry_after_s: allowed ? 0 : Math.ceil((before + each - now - all) / 1e6),
    }
  }
  return {
    take: async ({ per_minute }, subject) => count(subject, per_minute, 1),
    look: async ({ per_minute }, subject) => count(subject, per_minute, 0),
  }
}

/** A page costs more than a file, and its caller has shown no credential. @throws {ApiError} `rate_limited` */
export function createPageLimit({ clock, limits, trustedProxyHops }: HttpDeps): Middleware {
  const own = { ...limits, counts: countInMemory(clock) }
  return async (ctx, next) => {
    await takePermit(own, ctx, 'pages', toNetwork(readClientAddress(ctx.req, trustedProxyHops)))
    return next()
  }
}
