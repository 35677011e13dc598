import type { Clock } from './clock.ts'

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
