import { type DurableClock, machineClock } from 'durable-xstate-sql'

/**
 * The source of time: everything that asks for the time or waits is given a `Clock`, so that tests can advance it; only
 * `pause` waits without one. `now` may be set forwards and back by an operator or a time server.
 */
export interface Clock extends DurableClock {
  /**
   * Milliseconds since some fixed instant. Unlike `now` it can't be set: use it for the age of this process's own data.
   */
  monotonic(): number
}

/** The machine's own clock. Its timers keep no process alive: a process that must stay up has a server or a child process. */
export const systemClock: Clock = {
  ...machineClock,
  monotonic: () => Math.floor(performance.now()),
}

/** Resolves `delay_ms` from now, and keeps the process until then: for a program that waits for nothing else. */
export function pause(delay_ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, delay_ms))
}

/** ISO-8601 in UTC with milliseconds. `at` is in milliseconds since the epoch. */
export function isoTimestamp(at: number): string {
  return new Date(at).toISOString()
}

/** `isoTimestamp` of a time that may be absent. */
export function toTimestamp(at: number | null | undefined): string | null {
  return at == null ? null : isoTimestamp(at)
}

/** A date without time, `YYYY-MM-DD`, in UTC. */
export function isoDate(at: number): string {
  return isoTimestamp(at).slice(0, 10)
}

/** Resolves `delay_ms` from now, or as soon as `signal` is aborted. */
export function wait(clock: Clock, delay_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.setTimer(delay_ms, done)
    signal?.addEventListener('abort', done)
  })
}
