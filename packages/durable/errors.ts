/**
 * `unavailable`: the database does not respond, or this build does not know the actor's chart; safe to retry.
 * `damaged`: the stored snapshot is none of the actor's chart. `not_found`: there is no such actor.
 * `not_allowed_in_state`: the actor's chart does not accept the event now.
 */
export type DurableErrorCode = 'unavailable' | 'damaged' | 'not_found' | 'not_allowed_in_state'

/** An error that a caller can act on, by its code. Every other error that the library throws is a fault. */
export class DurableError extends Error {
  override name = 'DurableError'
  readonly code: DurableErrorCode

  constructor(code: DurableErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The error for a database that does not respond. */
export function unavailable(message: string): DurableError {
  return new DurableError('unavailable', message)
}

/** The error's `code`, as Node, the drivers and this library set it; empty where it has none. */
export function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether trying again later may succeed. An application's own errors may say so by the same code. */
export function isUnavailable(error: unknown): boolean {
  return readErrorCode(error) === 'unavailable'
}

/** Ignores a temporary error of work that is retried anyway. @throws every other error */
export function ignoreUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error
}

/** Makes an Error of anything that was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
