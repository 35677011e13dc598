/** A share with its 95 % confidence interval, each 0 to 1. */
export interface Interval {
  readonly share: number
  readonly low: number
  readonly high: number
}

const z = 1.959964

/** Wilson's score interval (1927), which holds for small counts; of no trials nothing is known. */
export function wilson(hits: number, trials: number): Interval {
  if (trials === 0) return { share: Number.NaN, low: 0, high: 1 }
  const share = hits / trials
  const middle = share + (z * z) / (2 * trials)
  const reach = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * trials)) / trials)
  const scale = 1 + (z * z) / trials
  return {
    share,
    low: hits === 0 ? 0 : (middle - reach) / scale,
    high: hits === trials ? 1 : (middle + reach) / scale,
  }
}

/** Rule of three: a rate above this would have shown itself in so many trials without a hit, 95 times of 100. */
export function ruleOfThree(trials: number): number {
  return trials === 0 ? 1 : Math.min(1, 3 / trials)
}

function percent(share: number): string {
  const value = share * 100
  return value === 0 || value === 100 ? String(value) : value.toFixed(value < 1 || value > 99 ? 2 : 1)
}

/** `k/n = p % (low–high)`; of no hits only the rule of three. `–` where nothing was tried. */
export function written(hits: number, trials: number): string {
  if (trials === 0) return '–'
  if (hits === 0) return `0/${trials} (< ${percent(ruleOfThree(trials))} %)`
  const { share, low, high } = wilson(hits, trials)
  return `${hits}/${trials} = ${percent(share)} % (${percent(low)}–${percent(high)})`
}
