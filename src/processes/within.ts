import type { Clock } from '../base/clock.ts'

/** Settles as `work` does, or rejects when the time is up or the signal aborts, whichever is first. */
export const within = <T>(clock: Clock, limit_ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const first = Promise.withResolvers<T>()
  const abort = (): void => first.reject(new Error('aborted'))
  const cancel = clock.setTimer(limit_ms, () => first.reject(new Error(`took longer than ${limit_ms} ms`)))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  work.then(first.resolve, first.reject)
  return first.promise.finally(() => {
    cancel()
    signal.removeEventListener('abort', abort)
  })
}
