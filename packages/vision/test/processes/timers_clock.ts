import type { Clock } from '../../../../src/base/clock.ts'

/** A clock that stands still; a test fires its timers by their delay. */
export interface TimersClock extends Clock {
  /** Resolves when `count` timers of this delay are set, with a function that fires them. */
  whenSet(delayMs: number, count?: number): Promise<() => void>
  /** Fires all timers of this delay. */
  fire(delayMs: number): void
}

export function timersClock(): TimersClock {
  const timers: { readonly delayMs: number; readonly fire: () => void }[] = []
  const listeners = new Set<() => void>()
  const findTimers = (delayMs: number) => timers.filter(timer => timer.delayMs === delayMs)
  const fire = (delayMs: number): void => {
    for (const timer of findTimers(delayMs)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.fire()
    }
  }
  return {
    now: () => 0,
    monotonic: () => 0,
    setTimer(delayMs, onFire) {
      const timer = { delayMs, fire: onFire }
      timers.push(timer)
      for (const listener of [...listeners]) listener()
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
      }
    },
    whenSet: (delayMs, count = 1) =>
      new Promise(resolve => {
        const check = (): void => {
          if (findTimers(delayMs).length < count) return
          listeners.delete(check)
          resolve(() => fire(delayMs))
        }
        listeners.add(check)
        check()
      }),
    fire,
  }
}
