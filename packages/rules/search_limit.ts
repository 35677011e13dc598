import type { StrangerDistances } from './findings.ts'

/** The share of searches that may find a stranger. */
const falseAlarms = 0.001

/**
 * Returns how many deviations above the mean a share of a normal distribution begins (Abramowitz and Stegun, 26.2.23).
 */
function findQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(share))
  const above = 2.515517 + 0.802853 * t + 0.010328 * t ** 2
  const below = 1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3
  return t - above / below
}

/**
 * Returns the distance up to which a face counts as found among `faces`. Each of them is a stranger who may be as near,
 * and at most one search in a thousand may find one. Negative if no distance is near enough.
 */
export function computeSearchLimit({ mean, deviation }: StrangerDistances, faces: number): number {
  return mean - deviation * findQuantile(falseAlarms / Math.max(1, faces))
}
