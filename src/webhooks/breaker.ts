import { ConsecutiveBreaker, ExponentialBackoff, type IBackoff, noJitterGenerator } from 'cockatiel'
import type { Clock } from '../base/clock.ts'

/** Failures in a row that open the breaker. */
const failuresToOpen = 5
const initialOpenMs = 10_000
const maxOpenMs = 10 * 60_000
/** A response within this time counts as prompt: it hardly occupies a slot. */
const promptMs = 2_000
/** Beyond this, the origin that was used least recently is forgotten. */
const maxOrigins = 10_000

const backoff = new ExponentialBackoff({
  generator: noJitterGenerator,
  initialDelay: initialOpenMs,
  maxDelay: maxOpenMs,
})

interface OriginMemory {
  readonly breaker: ConsecutiveBreaker
  backoff: IBackoff<unknown> | null
  /** Monotonic time until which the breaker is open. One attempt after it decides whether it closes. */
  opens_at: number
  standing: OriginStanding
}

/** The last attempt succeeded within two seconds, or later, or failed; `unknown` if this node made none. */
export type OriginStanding = 'prompt' | 'slow' | 'failing' | 'unknown'

/** The breakers of one node, by origin. An open breaker delays attempts and uses none up: deliveries wait in their lane. */
export interface Breakers {
  /** When the origin may be tried, in epoch milliseconds; 0 if its breaker is closed. */
  opensAt(origin_id: string): number
  standing(origin_id: string): OriginStanding
  record(origin_id: string, succeeded: boolean, duration_ms: number): void
  /** Origins that may not be tried now. */
  countOpen(): number
}

/**
 * A breaker for each origin, in memory. It uses cockatiel's rules, not its policy: the policy reads the system's clock,
 * and can't say in advance when it will let a call through.
 */
export function createBreakers(clock: Clock): Breakers {
  const known = new Map<string, OriginMemory>()
  const createMemory = (): OriginMemory => ({
    breaker: new ConsecutiveBreaker(failuresToOpen),
    backoff: null,
    opens_at: Number.NEGATIVE_INFINITY,
    standing: 'unknown',
  })
  const remember = (origin_id: string): OriginMemory => {
    const one = known.get(origin_id) ?? createMemory()
    known.delete(origin_id)
    known.set(origin_id, one)
    const [oldest] = known.keys()
    if (known.size > maxOrigins && oldest !== undefined) known.delete(oldest)
    return one
  }
  /** In wall-clock time; the wait itself is monotonic, so that a clock that is set does not change it. */
  const opensAt = ({ opens_at }: OriginMemory): number =>
    opens_at > clock.monotonic() ? clock.now() + opens_at - clock.monotonic() : 0
  return {
    opensAt(origin_id) {
      const one = known.get(origin_id)
      return one === undefined ? 0 : opensAt(one)
    },
    countOpen: () => [...known.values()].filter(({ opens_at }) => opens_at > clock.monotonic()).length,
    standing: origin_id => known.get(origin_id)?.standing ?? 'unknown',
    record(origin_id, succeeded, duration_ms) {
      const one = remember(origin_id)
      if (succeeded) {
        one.breaker.success()
        Object.assign(one, {
          backoff: null,
          opens_at: Number.NEGATIVE_INFINITY,
          standing: duration_ms <= promptMs ? 'prompt' : 'slow',
        })
        return
      }
      one.standing = 'failing'
      // Attempts that were in flight when it opened add nothing.
      if (!one.breaker.failure() || one.opens_at > clock.monotonic()) return
      one.backoff = one.backoff === null ? backoff.next() : one.backoff.next(undefined)
      one.opens_at = clock.monotonic() + one.backoff.duration
    },
  }
}
