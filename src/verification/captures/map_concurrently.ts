/**
 * Maps values in order, a limited number at a time. After a failure it starts no more, awaits those under way, and
 * rejects with the first error.
 */
export async function mapConcurrently<T, R>(
  values: readonly T[],
  concurrency: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < values.length; from += concurrency) {
    const settled = await Promise.allSettled(values.slice(from, from + concurrency).map(work))
    for (const outcome of settled) {
      if (outcome.status === 'rejected') throw outcome.reason
      results.push(outcome.value)
    }
  }
  return results
}

/** Returns a function that runs work, a limited number at a time, in the order in which it comes. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async work => {
    if (running < max) running++
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
