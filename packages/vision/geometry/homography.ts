import { leastSquares } from '../least_squares.ts'

/** A projective map of the plane, row by row, the last entry 1. */
export type Homography = readonly [number, number, number, number, number, number, number, number]

/** Two points that belong together. */
export interface Pair {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
}

/**
 * Fits the projective map that brings each `from` closest to its `to`: by least squares over at least four pairs,
 * otherwise null.
 */
export function fitHomography(pairs: readonly Pair[]): Homography | null {
  if (pairs.length < 4) return null
  // Both sides are scaled to about one; otherwise the normal equations lose precision.
  const largest = (points: readonly (readonly [number, number])[]): number =>
    Math.max(1, ...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))))
  const s = largest(pairs.map(pair => pair.from))
  const t = largest(pairs.map(pair => pair.to))
  const h = leastSquares(
    pairs.flatMap(({ from, to }) => {
      const x = from[0] / s
      const y = from[1] / s
      const u = to[0] / t
      const v = to[1] / t
      return [
        [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
        [0, 0, 0, x, y, 1, -v * x, -v * y, v],
      ]
    }),
  )
  if (h === null) return null
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, i = 0] = h
  return [(a * t) / s, (b * t) / s, c * t, (d * t) / s, (e * t) / s, f * t, g / s, i / s]
}

/** Returns the image of a point. */
export function project(h: Homography, x: number, y: number): readonly [x: number, y: number] {
  const w = h[6] * x + h[7] * y + 1
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w]
}

/** Replaces points, x and y by turns, by their images. Unlike `project` it makes no array for each. */
export function projectAll(h: Homography, points: Float64Array): void {
  const [a, b, c, d, e, f, g, i] = h
  for (let n = 0; n < points.length; n += 2) {
    const x = points[n] as number
    const y = points[n + 1] as number
    const w = g * x + i * y + 1
    points[n] = (a * x + b * y + c) / w
    points[n + 1] = (d * x + e * y + f) / w
  }
}
