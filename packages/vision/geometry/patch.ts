/** Samples of a picture, less their mean. */
export interface Patch {
  readonly samples: Float64Array
  /** Root of the sum of the samples' squares. */
  readonly contrast: number
}

export function toPatch(values: Float64Array): Patch {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const samples = values.map(value => value - mean)
  return { samples, contrast: Math.hypot(...samples) }
}

/** Returns the correlation of a patch with as many other values. */
export function comparePatch({ samples, contrast }: Patch, values: Float64Array): number {
  let sum = 0
  let squares = 0
  let both = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    sum += value
    squares += value * value
    both += value * (samples[i] as number)
  }
  const mean = sum / values.length
  return both / (contrast * Math.sqrt(Math.max(0, squares - sum * mean)) + 1e-6)
}

export function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}
