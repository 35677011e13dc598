import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'

interface BreakerOptions {
  /** How many failures in a row open it. */
  readonly failures: number
  /** For how long it opens first: twice as long after each further failure, up to `maxMs`. */
  readonly initialMs: number
  readonly maxMs: number
}

/** Stops calls to something that fails. Its wait is monotonic, so that a clock that is set does not change it. */
export interface Breaker {
  /** For how long no call may be made; 0 where one may. */
  openForMs(): number
  /** Whether it has opened and nothing has succeeded since: the next call decides whether it closes. */
  isTripped(): boolean
  /** Returns for how long this failure opens it; null where it does not. */
  fail(): number | null
  /** Returns whether this success closes it. */
  succeed(): boolean
}

export function createBreaker(clock: Clock, { failures, ...backoff }: BreakerOptions): Breaker {
  let failed = 0
  let openings = 0
  let openUntil = Number.NEGATIVE_INFINITY
  const openForMs = (): number => Math.max(0, openUntil - clock.monotonic())
  const isTripped = (): boolean => openings > 0
  return {
    openForMs,
    isTripped,
    fail() {
      failed++
      // Calls that were under way when it opened add nothing.
      if (failed < failures || openForMs() > 0) return null
      openings++
      openUntil = clock.monotonic() + backoffMs(openings, backoff)
      return openForMs()
    },
    succeed() {
      const closes = isTripped()
      failed = 0
      openings = 0
      openUntil = Number.NEGATIVE_INFINITY
      return closes
    },
  }
}
