/** Maps values in order, so many at a time. The first failure is everybody's, once those under way have ended. */
export const mapConcurrently = async <T, R>(
  values: readonly T[],
  concurrency: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> => {
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
