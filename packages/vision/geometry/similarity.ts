import { fitHomography, project } from './homography.ts'
import type { Point, Similarity } from './pixels.ts'

/**
 * Fits the similarity that carries `from` onto `to` with the least squared error (Umeyama 1991, without reflection).
 * Both lists are of one length, at least two points.
 */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Similarity {
  const [fx, fy] = findCentre(from)
  const [gx, gy] = findCentre(to)
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

/** Returns the mean of some points. */
function findCentre(points: readonly Point[]): Point {
  const [x, y] = points.reduce<[number, number]>(([sx, sy], [px, py]) => [sx + px, sy + py], [0, 0])
  return [x / points.length, y / points.length]
}

/** Measures the Euclidean distance of two points, in their unit. */
export function measureDistance([ax, ay]: Point, [bx, by]: Point): number {
  return Math.hypot(ax - bx, ay - by)
}

/**
 * Measures the root mean square of the residuals of the homography that best carries `from` onto `to`, in the unit of
 * `to`. A flat picture moves by a homography at any angle (Hartley and Zisserman, 2nd ed., 4.1), so its landmarks leave
 * almost nothing; a head has depth. Infinity if no homography fits.
 */
export function measureHomographyResidual(from: readonly Point[], to: readonly Point[]): number {
  const source = centrePoints(from)
  const target = centrePoints(to)
  const pairs = source.map((point, i) => ({ from: point, to: target[i] ?? point }))
  const h = fitHomography(pairs)
  if (!h) return Number.POSITIVE_INFINITY
  const squares = pairs.map(pair => measureDistance(project(h, ...pair.from), pair.to) ** 2)
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
}

/** Centres the points, so that the equations are well conditioned. */
function centrePoints(points: readonly Point[]): Point[] {
  const [cx, cy] = findCentre(points)
  return points.map(([x, y]): Point => [x - cx, y - cy])
}

/** An upright rectangle, by its edges. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

function measureArea([left, top, right, bottom]: Box): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top)
}

/** Measures the area that two boxes share, divided by that of the smaller one. */
export function measureSharedArea(one: Box, other: Box): number {
  const shared: Box = [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]
  return shared[0] < shared[2] ? measureArea(shared) / (Math.min(measureArea(one), measureArea(other)) || 1) : 0
}
