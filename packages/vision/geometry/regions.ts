import type { PictureBox, PicturePoint, PictureQuad } from '@attestor/rules'
import type { Point } from './pixels.ts'

/** Size of a picture, in pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Rounds to a ten-thousandth of a picture's side, which is less than a pixel. */
function round(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

/** Undoes clockwise quarter turns of a picture. */
function turnBack({ x, y }: PicturePoint, quarterTurns: number): PicturePoint {
  return quarterTurns === 0 ? { x, y } : turnBack({ x: y, y: 1 - x }, quarterTurns - 1)
}

/** Converts a pixel of a picture that was turned clockwise by quarters into shares of the picture before. */
function toShares([x, y]: Point, { width, height }: PictureSize, quarterTurns = 0): PicturePoint {
  const place = turnBack({ x: x / width, y: y / height }, quarterTurns)
  return { x: round(place.x), y: round(place.y) }
}

/** Corners may be this far outside of a picture, in its sides: further out it can't be the photographed document. */
const maxOutside = 0.5

function isNear({ x, y }: PicturePoint): boolean {
  return [x, y].every(share => share >= -maxOutside && share <= 1 + maxOutside)
}

/** Converts corners into shares; null if one is far outside the picture. */
export function toQuad(
  corners: readonly [Point, Point, Point, Point],
  size: PictureSize,
  quarterTurns = 0,
): PictureQuad | null {
  const [a, b, c, d] = corners
  const quad: PictureQuad = [
    toShares(a, size, quarterTurns),
    toShares(b, size, quarterTurns),
    toShares(c, size, quarterTurns),
    toShares(d, size, quarterTurns),
  ]
  return quad.every(isNear) ? quad : null
}

/** Returns the box around some points, such as a face's landmarks, as far as it is in the picture. */
export function boundPoints(
  { points }: { readonly points: readonly Point[] },
  size: PictureSize,
  quarterTurns = 0,
): PictureBox {
  const places = points.map(point => toShares(point, size, quarterTurns))
  const clip = (share: number): number => Math.min(1, Math.max(0, share))
  const xs = places.map(({ x }) => clip(x))
  const ys = places.map(({ y }) => clip(y))
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: round(Math.max(...xs) - x), height: round(Math.max(...ys) - y) }
}
