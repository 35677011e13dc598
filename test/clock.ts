import type { Clock } from '../src/base/clock.ts'

/** A clock that stands still until it is turned. What is set for now or earlier fires at once, as on any clock. */
export interface ManualClock extends Clock {
  /** Turns it by `ms`, stopping at each timer on the way; `settle` is awaited after each, so that what it set off is done. */
  turn(ms: number, settle?: () => Promise<unknown>): Promise<void>
  /** Sets the hour forwards or back by `ms`, as an operator does: no time goes by, and what was waited for comes when it would have. */
  set(ms: number): void
}

/** Begins on a Tuesday in 2026, unless told otherwise. */
export const manualClock = (start = Date.UTC(2026, 10, 17, 12)): ManualClock => {
  let now = start
  /** How far the hour was set. */
  let off = 0
  let count = 0
  const timers = new Map<number, { at: number; fire: () => void }>()
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
    async turn(ms, settle = async () => {}) {
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
    },
  }
}
