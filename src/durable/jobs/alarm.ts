import type { Clock } from '../../base/clock.ts'

/** Calls `ring` at the earliest of the instants that it was set to, and is then unset. */
export interface Alarm {
  setAt(at: number): void
  off(): void
}

/** An alarm that is set to nothing yet. */
export const createAlarm = (clock: Clock, ring: () => void): Alarm => {
  let rings_at = Number.POSITIVE_INFINITY
  let cancel = (): void => {}
  const off = (): void => {
    cancel()
    rings_at = Number.POSITIVE_INFINITY
  }
  return {
    off,
    setAt(at) {
      if (at >= rings_at) return
      off()
      rings_at = at
      cancel = clock.setTimer(Math.max(0, at - clock.now()), () => {
        rings_at = Number.POSITIVE_INFINITY
        ring()
      })
    },
  }
}
