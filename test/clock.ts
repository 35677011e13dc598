import type { Clock } from '../src/base/clock.ts'

/** A clock that stands still until it is advanced. A timer for now or earlier fires at once, as on any clock. */
export interface ManualClock extends Clock {
  /** Advances by `ms`, stopping at each timer; awaits `settle` after each, so that its work is done. */
  advance(ms: number, settle?: () => Promise<unknown>): Promise<void>
  /** Turns the clock as if the machine had slept: each timer that came due fires once, late. A day costs no more than a minute. */
  skip(ms: number, settle?: () => Promise<unknown>): Promise<void>
  /** Sets the wall clock forwards or back by `ms`, as an operator does: no time passes, and timers fire when they would have. */
  set(ms: number): void
}

/** Starts on a Tuesday in 2026 by default. */
export function manualClock(start = Date.UTC(2026, 10, 17, 12)): ManualClock {
  let now = start
  /** Offset of the wall clock, in ms. */
  let off = 0
  let count = 0
  const timers = new Map<number, { at: number; fire: () => void }>()
  const advance = async (ms: number, settle: () => Promise<unknown> = async () => {}): Promise<void> => {
    const until = now + ms
    await settle()
    for (let next = nextUntil(until); next !== undefined; next = nextUntil(until)) {
      const [id, { at, fire }] = next
      timers.delete(id)
      now = Math.max(now, at)
      fire()
      await settle()
    }
    now = until
  }
  const nextUntil = (until: number) =>
    [...timers].filter(([, { at }]) => at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]
  return {
    now: () => now + off,
    monotonic: () => now - start,
    set(ms) {
      off += ms
    },
    setTimer(delay_ms, fire) {
      if (delay_ms <= 0) {
        const immediate = setImmediate(fire)
        return () => clearImmediate(immediate)
      }
      const id = count++
      timers.set(id, { at: now + delay_ms, fire })
      return () => timers.delete(id)
    },
    advance,
    async skip(ms, settle) {
      await settle?.()
      now += ms
      await advance(0, settle)
    },
  }
}
