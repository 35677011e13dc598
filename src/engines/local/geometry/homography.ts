/** A projective map of the plane, row by row, the last entry 1. */
export type Homography = readonly [number, number, number, number, number, number, number, number]

/** Two points that belong together. */
export interface Pair {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
}

function findPivotRow(rows: readonly number[][], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  }
  return best
}

/** Subtracts a multiple of the pivot's row, so that the entry in `column` becomes 0. */
function eliminate(row: number[], pivot: readonly number[], column: number): void {
  const factor = (row[column] ?? 0) / (pivot[column] ?? 1)
  if (factor === 0) return
  for (let at = column; at < row.length; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0)
}

/** Gauss and Jordan with pivots on an n × (n + 1) matrix, in place; null where it is singular. */
export function solve(rows: number[][]): number[] | null {
  for (let column = 0; column < rows.length; column++) {
    const best = findPivotRow(rows, column)
    const pivot = rows[best] ?? []
    if (Math.abs(pivot[column] ?? 0) < 1e-12) return null
    rows[best] = rows[column] ?? []
    rows[column] = pivot
    for (const row of rows) if (row !== pivot) eliminate(row, pivot, column)
  }
  return rows.map((row, at) => (row[rows.length] ?? 0) / (row[at] ?? 1))
}

/** The projective map that brings each `from` closest to its `to`; least squares over at least four pairs, or null. */
export function fitHomography(pairs: readonly Pair[]): Homography | null {
  if (pairs.length < 4) return null
  // Both sides are scaled to about one; otherwise the normal equations lose precision.
  const largest = (points: readonly (readonly [number, number])[]): number =>
    Math.max(1, ...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))))
  const s = largest(pairs.map(pair => pair.from))
  const t = largest(pairs.map(pair => pair.to))
  const normal = Array.from({ length: 8 }, () => new Array<number>(9).fill(0))
  const add = (equation: readonly number[]): void => {
    for (let row = 0; row < 8; row++) {
      const target = normal[row] ?? []
      for (let column = 0; column < 9; column++) {
        target[column] = (target[column] ?? 0) + (equation[row] ?? 0) * (equation[column] ?? 0)
      }
    }
  }
  for (const { from, to } of pairs) {
    const x = from[0] / s
    const y = from[1] / s
    const u = to[0] / t
    const v = to[1] / t
    add([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
    add([0, 0, 0, x, y, 1, -v * x, -v * y, v])
  }
  const h = solve(normal)
  if (h === null) return null
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, i = 0] = h
  return [(a * t) / s, (b * t) / s, c * t, (d * t) / s, (e * t) / s, f * t, g / s, i / s]
}

/** The image of a point. */
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
