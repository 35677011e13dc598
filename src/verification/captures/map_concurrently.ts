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
