import type { Clock } from './clock.ts'

/** Exponential back-off: the first attempt waits `initialMs`, every further one twice as long, up to `maxMs`. */
export function backoffMs(attempt: number, { initialMs, maxMs }: { initialMs: number; maxMs: number }): number {
  return Math.min(initialMs * 2 ** (attempt - 1), maxMs)
}

interface BreakerOptions {
  /** So many failures in a row open it. */
  readonly failures: number
  /** Length of the first pause; each further failure doubles it, up to `maxMs`. */
  readonly initialMs: number
  readonly maxMs: number
}

/** Stops calls to something that fails. Its wait is monotonic, so that a clock that is set does not change it. */
export interface Breaker {
  /** Returns for how long no call may be made, in ms; 0 if one may. */
  openForMs(): number
  /** Whether it has opened and nothing has succeeded since: the next call decides whether it closes. */
  isTripped(): boolean
  /** Returns for how long this failure opens it; null where it does not. */
  fail(): number | null
  /** Returns whether this success closes it. */
  succeed(): boolean
}

export function createBreaker(clock: Clock, { failures, ...backoff }: BreakerOptions): Breaker {
  let failed = 0
  let openings = 0
  let openUntil = Number.NEGATIVE_INFINITY
  const openForMs = (): number => Math.max(0, openUntil - clock.monotonic())
  const isTripped = (): boolean => openings > 0
  return {
    openForMs,
    isTripped,
    fail() {
      failed++
      // Calls that were under way when it opened add nothing.
      if (failed < failures || openForMs() > 0) return null
      openings++
      openUntil = clock.monotonic() + backoffMs(openings, backoff)
      return openForMs()
    },
    succeed() {
      const closes = isTripped()
      failed = 0
      openings = 0
      openUntil = Number.NEGATIVE_INFINITY
      return closes
    },
  }
}

/** The time was up. */
export class DeadlineError extends Error {
  override name = 'DeadlineError'
}

/**
 * Settles as `work` does, or rejects when its time is up or `outer` aborts, whichever is first. `work` gets a signal that
 * aborts with that.
 * @throws {DeadlineError} when the time is up
 */
export async function withDeadline<T>(
  clock: Clock,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const control = new AbortController()
  const { signal } = control
  const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const abort = (): void => control.abort(new Error('aborted'))
  const cancel = clock.setTimer(limitMs, () => control.abort(new DeadlineError(`took longer than ${limitMs} ms`)))
  outer?.addEventListener('abort', abort)
  if (outer?.aborted) abort()
  try {
    return await Promise.race([work(signal), ended])
  } finally {
    cancel()
    outer?.removeEventListener('abort', abort)
  }
}

/** Work that is done again and again. */
export interface Repeated {
  /** Resolves when no work is under way. */
  idle(): Promise<void>
  /** Ends it, and resolves when no work is under way. */
  stop(): Promise<void>
}

/**
 * Does `work` at once, or after `first_ms`, and again each time after the milliseconds that it resolves with; after null
 * no more. The signal aborts when it is stopped.
 */
export function repeat(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<number | null>,
  first_ms: number | null = null,
): Repeated {
  const stopped = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let cancel = (): void => {}
  const wait = (delay_ms: number): void => {
    cancel = clock.setTimer(delay_ms, run)
  }
  const run = (): void => {
    running = work(stopped.signal).then(delay_ms => {
      if (delay_ms !== null && !stopped.signal.aborted) wait(delay_ms)
    })
  }
  if (first_ms === null) run()
  else wait(first_ms)
  return {
    idle: () => running,
    async stop() {
      stopped.abort()
      cancel()
      await running
    },
  }
}
