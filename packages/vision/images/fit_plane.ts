import { leastSquares } from '../least_squares.ts'

/** A point of a picture, and the value there. */
export type Sample = readonly [x: number, y: number, value: number]

/**
 * Fits the least-squares plane through samples: its value at the origin, and its slopes; it is level if they lie on a
 * line.
 */
export function fitPlane(samples: readonly Sample[]): readonly [middle: number, across: number, down: number] {
  const fitted = leastSquares(samples.map(([x, y, value]) => [1, x, y, value]))
  if (fitted === null) return [samples.reduce((sum, [, , value]) => sum + value, 0) / samples.length, 0, 0]
  const [middle = 0, across = 0, down = 0] = fitted
  return [middle, across, down]
}
