/** Exponential back-off: the first attempt waits `initialMs`, every further one twice as long, up to `maxMs`. */
export function backoffMs(attempt: number, { initialMs, maxMs }: { initialMs: number; maxMs: number }): number {
  return Math.min(initialMs * 2 ** (attempt - 1), maxMs)
}
