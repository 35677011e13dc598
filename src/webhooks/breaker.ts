import type { Clock } from '../base/clock.ts'
import { createRecent } from '../base/collections.ts'
import { type Breaker, createBreaker } from '../base/time.ts'

const breakerOptions = { failures: 5, initialMs: 10_000, maxMs: 10 * 60_000 } as const
/** A response within this time counts as prompt: it hardly occupies a slot. */
const promptMs = 2_000
/** Beyond this, the origin that was used least recently is forgotten. */
const maxOrigins = 10_000

/** The last attempt succeeded within two seconds, or later, or failed; `unknown` if this node made none. */
export type OriginStanding = 'prompt' | 'slow' | 'failing' | 'unknown'

/** The breakers of one node, by origin. An open breaker delays attempts and uses none up: deliveries wait in their lane. */
export interface Breakers {
  /** Returns the instant from which the origin may be tried, in epoch milliseconds; 0 if it may be tried now. */
  triableAt(origin_id: string): number
  standing(origin_id: string): OriginStanding
  record(origin_id: string, succeeded: boolean, duration_ms: number): void
  /** Origins that may not be tried now. */
  countOpen(): number
}

interface KnownOrigin {
  readonly breaker: Breaker
  readonly standing: OriginStanding
}

/** A breaker for each origin, in memory. */
export function createBreakers(clock: Clock): Breakers {
  const known = createRecent<KnownOrigin>(maxOrigins)
  return {
    triableAt(origin_id) {
      const openForMs = known.peek(origin_id)?.breaker.openForMs() ?? 0
      return openForMs === 0 ? 0 : clock.now() + openForMs
    },
    countOpen: () => [...known.values()].filter(({ breaker }) => breaker.openForMs() > 0).length,
    standing: origin_id => known.peek(origin_id)?.standing ?? 'unknown',
    record(origin_id, succeeded, duration_ms) {
      const { breaker } = known.peek(origin_id) ?? { breaker: createBreaker(clock, breakerOptions) }
      if (succeeded) breaker.succeed()
      else breaker.fail()
      const standing = !succeeded ? 'failing' : duration_ms <= promptMs ? 'prompt' : 'slow'
      known.set(origin_id, { breaker, standing })
    },
  }
}
