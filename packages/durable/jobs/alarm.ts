import type { DurableClock } from '../clock.ts'

/** Calls `ring` at the earliest of the instants that it was set to, and is then unset. */
export interface Alarm {
  setAt(at: number): void
  unset(): void
}

/** An alarm that is not set yet. */
export function createAlarm(clock: DurableClock, ring: () => void): Alarm {
  let ringsAt = Number.POSITIVE_INFINITY
  let cancel = (): void => {}
  const unset = (): void => {
    cancel()
    ringsAt = Number.POSITIVE_INFINITY
  }
  return {
    unset,
    setAt(at) {
      if (at >= ringsAt) return
      unset()
      ringsAt = at
      cancel = clock.setTimer(Math.max(0, at - clock.now()), () => {
        ringsAt = Number.POSITIVE_INFINITY
        ring()
      })
    },
  }
}
