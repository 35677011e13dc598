import { ConsecutiveBreaker, ExponentialBackoff, type IBackoff, noJitterGenerator } from 'cockatiel'
import type { Clock } from '../base/clock.ts'

/** Failures in a row after which an origin is left alone for a while. */
const failures_to_open = 5
const first_rest_ms = 10_000
const longest_rest_ms = 10 * 60_000
/** An answer within this long takes no slot from others to speak of. */
const prompt_ms = 2_000
/** Origins remembered; the one not heard of for longest is forgotten. */
const most_known = 10_000

const backoff = new ExponentialBackoff({
  generator: noJitterGenerator,
  initialDelay: first_rest_ms,
  maxDelay: longest_rest_ms,
})

/** What this node remembers of an origin. */
interface Known {
  readonly breaker: ConsecutiveBreaker
  rest: IBackoff<unknown> | null
  /** Until then, in monotonic time, it is left alone: the breaker is open. After it one attempt shows whether it may close. */
  opens_at: number
  standing: Standing
}

/** Its last answer was a success, within two seconds or later; or a failure; or this node never tried it. */
export type Standing = 'prompt' | 'slow' | 'failing' | 'unknown'

/** The breakers of one node, by origin. They delay attempts, and use none up: who is not tried waits in its lane. */
export interface Breakers {
  /** When the origin may be tried, in epoch milliseconds: 0 while its breaker is closed. */
  opensAt(origin_id: string): number
  standing(origin_id: string): Standing
  /** Takes note of an attempt. */
  record(origin_id: string, succeeded: boolean, duration_ms: number): void
}

/**
 * A breaker for each origin, in memory. Of cockatiel the rules: its policy would ask the system's clock, and cannot say
 * beforehand when it would let a call through.
 */
export const createBreakers = (clock: Clock): Breakers => {
  const known = new Map<string, Known>()
  const fresh = (): Known => ({
    breaker: new ConsecutiveBreaker(failures_to_open),
    rest: null,
    opens_at: Number.NEGATIVE_INFINITY,
    standing: 'unknown',
  })
  const remember = (origin_id: string): Known => {
    const one = known.get(origin_id) ?? fresh()
    known.delete(origin_id)
    known.set(origin_id, one)
    const [oldest] = known.keys()
    if (known.size > most_known && oldest !== undefined) known.delete(oldest)
    return one
  }
  /** In the hour of the clock, which may be set meanwhile: the rest lasts as long all the same. */
  const opensAt = ({ opens_at }: Known): number =>
    opens_at > clock.monotonic() ? clock.now() + opens_at - clock.monotonic() : 0
  return {
    opensAt(origin_id) {
      const one = known.get(origin_id)
      return one === undefined ? 0 : opensAt(one)
    },
    standing: origin_id => known.get(origin_id)?.standing ?? 'unknown',
    record(origin_id, succeeded, duration_ms) {
      const one = remember(origin_id)
      if (succeeded) {
        one.breaker.success()
        Object.assign(one, {
          rest: null,
          opens_at: Number.NEGATIVE_INFINITY,
          standing: duration_ms <= prompt_ms ? 'prompt' : 'slow',
        })
        return
      }
      one.standing = 'failing'
      // Attempts that were under way when it opened say nothing new.
      if (!one.breaker.failure() || one.opens_at > clock.monotonic()) return
      one.rest = one.rest === null ? backoff.next() : one.rest.next(undefined)
      one.opens_at = clock.monotonic() + one.rest.duration
    },
  }
}
