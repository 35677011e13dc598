/** The only door to time: everything that asks for the hour or waits is handed a `Clock`, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. An operator or a time server may set it forwards and back. */
  now(): number
  /** Milliseconds that went by since some instant; nobody can set it. How old something is that this process made. */
  monotonic(): number
  /** Calls `fire` once, `delay_ms` from now; the returned function calls it off. */
  setTimer(delay_ms: number, fire: () => void): () => void
}

/** Node's timers overflow above this many milliseconds and would fire at once. */
const longest_timer_ms = 2 ** 31 - 1

/** The machine's own clock. Its timers keep no process alive: what must stay up is a server or a child process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  setTimer(delay_ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(delay_ms, 0), longest_timer_ms))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves `delay_ms` from now, and keeps the process until then: for a program that waits for nothing else. */
export const pause = (delay_ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, delay_ms))

/** spec, "Conventions": ISO-8601 in UTC with milliseconds. `at` is in milliseconds since the epoch. */
export const isoTimestamp = (at: number): string => new Date(at).toISOString()

/** spec, "Conventions": a date without time, `YYYY-MM-DD`, in UTC. */
export const isoDate = (at: number): string => isoTimestamp(at).slice(0, 10)

/** Resolves `delay_ms` from now, or as soon as `signal` is aborted. */
export const wait = (clock: Clock, delay_ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.setTimer(delay_ms, done)
    signal?.addEventListener('abort', done)
  })
