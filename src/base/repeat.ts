import type { Clock } from './clock.ts'

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
