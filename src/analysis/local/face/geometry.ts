import type { Point, Similarity } from './pixels.ts'

/**
 * The similarity that carries `from` onto `to` with the least squared error (Umeyama 1991, without reflection).
 * Both lists are of one length, at least two points.
 */
export const fitSimilarity = (from: readonly Point[], to: readonly Point[]): Similarity => {
  const [fx, fy] = centre(from)
  const [gx, gy] = centre(to)
  let dot = 0
  let cross = 0
  let norm = 0
  from.forEach(([x, y], i) => {
    const [u, v] = to[i] ?? [0, 0]
    dot += (x - fx) * (u - gx) + (y - fy) * (v - gy)
    cross += (x - fx) * (v - gy) - (y - fy) * (u - gx)
    norm += (x - fx) ** 2 + (y - fy) ** 2
  })
  const a = dot / norm
  const b = cross / norm
  return { a, b, tx: gx - a * fx + b * fy, ty: gy - b * fx - a * fy }
}

/** The mean of some points. */
export const centre = (points: readonly Point[]): Point => {
  const [x, y] = points.reduce<[number, number]>(([sx, sy], [px, py]) => [sx + px, sy + py], [0, 0])
  return [x / points.length, y / points.length]
}

/** Euclidean distance of two points, in their unit. */
export const span = ([ax, ay]: Point, [bx, by]: Point): number => Math.hypot(ax - bx, ay - by)

/** Solves `matrix · x = right` by Gaussian elimination with pivoting; null where the matrix is singular. */
const solve = (matrix: number[][], right: number[]): number[] | null => {
  const n = right.length
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  for (let column = 0; column < n; column++) {
    const below = rows.slice(column).map(row => Math.abs(row[column] ?? 0))
    const pivot = column + below.indexOf(Math.max(...below))
    const chosen = rows[pivot]
    if (!chosen || Math.abs(chosen[column] ?? 0) < 1e-12) return null
    rows[pivot] = rows[column] ?? chosen
    rows[column] = chosen
    eliminate(rows, column)
  }
  return rows.map((row, i) => (row[n] ?? 0) / (row[i] ?? 1))
}

const eliminate = (rows: number[][], column: number): void => {
  const lead = rows[column] ?? []
  rows.forEach((row, i) => {
    const factor = i === column ? 0 : (row[column] ?? 0) / (lead[column] ?? 1)
    if (factor === 0) return
    for (let j = column; j < row.length; j++) row[j] = (row[j] ?? 0) - factor * (lead[j] ?? 0)
  })
}

/**
 * Root mean square of what is left of `to` after the homography that best carries `from` onto it, in the unit of `to`.
 * A flat picture moves by a homography whichever way it is held (Hartley and Zisserman, 2nd ed., 4.1), so its landmarks
 * leave almost nothing; a head has depth. Infinity where no homography fits.
 */
export const homographyResidual = (from: readonly Point[], to: readonly Point[]): number => {
  const source = normalised(from)
  const target = normalised(to)
  const normal = Array.from({ length: 8 }, () => new Array<number>(8).fill(0))
  const right = new Array<number>(8).fill(0)
  source.points.forEach(([x, y], i) => {
    const [u, v] = target.points[i] ?? [0, 0]
    accumulate(normal, right, { row: [x, y, 1, 0, 0, 0, -u * x, -u * y], value: u })
    accumulate(normal, right, { row: [0, 0, 0, x, y, 1, -v * x, -v * y], value: v })
  })
  const h = solve(normal, right)
  if (!h) return Number.POSITIVE_INFINITY
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, k = 0] = h
  const squares = source.points.map(([x, y], i) => {
    const [u, v] = target.points[i] ?? [0, 0]
    const w = g * x + k * y + 1
    return ((a * x + b * y + c) / w - u) ** 2 + ((d * x + e * y + f) / w - v) ** 2
  })
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length) * target.scale
}

const accumulate = (
  normal: number[][],
  right: number[],
  { row, value }: { readonly row: readonly number[]; readonly value: number },
): void => {
  row.forEach((factor, i) => {
    right[i] = (right[i] ?? 0) + factor * value
    const line = normal[i]
    if (!line) return
    row.forEach((other, j) => {
      line[j] = (line[j] ?? 0) + factor * other
    })
  })
}

/** Centred and scaled to unit spread, without which the equations are badly conditioned. */
const normalised = (points: readonly Point[]): { readonly points: readonly Point[]; readonly scale: number } => {
  const [cx, cy] = centre(points)
  const scale = points.reduce((sum, [x, y]) => sum + Math.hypot(x - cx, y - cy), 0) / points.length || 1
  return { points: points.map(([x, y]): Point => [(x - cx) / scale, (y - cy) / scale]), scale }
}
