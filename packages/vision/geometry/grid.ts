import { leastSquares } from '../least_squares.ts'
import { fitHomography, type Homography, type Pair, project, projectAll } from './homography.ts'

/**
 * The places of a zone's columns and rows in a picture: a plane in perspective, and the deviations of a bowed page. One
 * step is one pitch in either direction.
 */
export interface Grid {
  readonly plane: Homography
  /**
   * Deviations in pitches, along and across, by the place `t` along the lines, which runs from -1 to 1: coefficients of
   * 1, t, t², t³.
   */
  readonly along: readonly number[]
  readonly across: readonly number[]
  /** The column at which t is 0, and the number of columns from there to t = 1. */
  readonly middle: number
  readonly half: number
  /** -1 if the lines run upside down: column and row count backwards. */
  readonly sign: 1 | -1
}

function createFlatGrid(plane: Homography): Grid {
  return { plane, along: [], across: [], middle: 0, half: 1, sign: 1 }
}

/** The bow is continued this far beyond the ends, in half lengths: further out a parabola would run away. */
const maxBowReach = 1.12

/** Replaces places of the grid, column and row by turns, by their pixels, without a number on the heap. */
export function locateAll({ sign, along, across, middle, half, plane }: Grid, places: Float64Array): void {
  const [a0 = 0, a1 = 0, a2 = 0, a3 = 0] = along
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0] = across
  for (let n = 0; n < places.length; n += 2) {
    const x = sign * (places[n] as number)
    const t = Math.max(-maxBowReach, Math.min(maxBowReach, (x - middle) / half))
    places[n] = x + (((a3 * t + a2) * t + a1) * t + a0)
    places[n + 1] = sign * (places[n + 1] as number) + (((b3 * t + b2) * t + b1) * t + b0)
  }
  projectAll(plane, places)
}

/** Returns the pixel of one place of the grid. */
export function locate(grid: Grid, column: number, row: number): readonly [x: number, y: number] {
  const place = Float64Array.of(column, row)
  locateAll(grid, place)
  return [place[0] as number, place[1] as number]
}

/** Returns the same grid with its lines read upside down. */
export function flipGrid(grid: Grid): Grid {
  return { ...grid, sign: grid.sign === 1 ? -1 : 1 }
}

/** Returns the same grid with its rows counted in other steps: row `y` becomes `y * scale`. */
export function stretchRows(grid: Grid, scale: number): Grid {
  const [a, b, c, d, e, f, g, h] = grid.plane
  const across = grid.across.map(value => value * scale)
  return { ...grid, plane: [a, b / scale, c, d, e / scale, f, g, h / scale], across }
}

/** Returns the distance of a spot from its place on the plane, in pitches along and across. */
function measureOffset(plane: Homography, { from, to }: Pair): readonly [number, number] {
  const [x, y] = from
  const [px, py] = project(plane, x, y)
  const [ax, ay] = project(plane, x + 0.5, y)
  const [bx, by] = project(plane, x, y + 0.5)
  const a = (ax - px) * 2
  const b = (bx - px) * 2
  const c = (ay - py) * 2
  const d = (by - py) * 2
  const det = a * d - b * c
  const ex = to[0] - px
  const ey = to[1] - py
  return [(d * ex - b * ey) / det, (a * ey - c * ex) / det]
}

/** Returns the four coefficients of the cubic through points, by least squares. */
function fitCubic(points: readonly (readonly [t: number, value: number])[]): number[] {
  return leastSquares(points.map(([t, value]) => [1, t, t * t, t ** 3, value])) ?? []
}

/** With fewer spots than this a bow would be fitted to noise. */
const minPairs = 20

/** Fits the grid closest to spots at known columns and rows; null for fewer than four. */
export function fitGrid(pairs: readonly Pair[]): Grid | null {
  const plane = fitHomography(pairs)
  if (plane === null) return null
  if (pairs.length < minPairs) return createFlatGrid(plane)
  const columns = pairs.map(pair => pair.from[0])
  const first = Math.min(...columns)
  const last = Math.max(...columns)
  const middle = (first + last) / 2
  const half = Math.max(1, (last - first) / 2)
  const points = pairs.map(pair => ({ t: (pair.from[0] - middle) / half, off: measureOffset(plane, pair) }))
  const along = fitCubic(points.map(({ t, off }) => [t, off[0]] as const))
  const across = fitCubic(points.map(({ t, off }) => [t, off[1]] as const))
  if (along.length === 0 || across.length === 0) return createFlatGrid(plane)
  return { plane, along, across, middle, half, sign: 1 }
}
