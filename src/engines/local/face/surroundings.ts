import type { Measured } from '../../../decision/findings.ts'
import { downsample, type RgbImage } from '../../images/raster.ts'
import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import type { Landmarks } from './landmarks.ts'
import { livenessThreshold } from './thresholds.ts'

/** A whole picture, small, as its camera saw it: not set upright by the face. */
export interface Scene {
  /** 0 to 255 each, rows from the top. */
  readonly brightness: Uint8Array
  readonly width: number
  readonly height: number
  /** FaceMesh's landmarks in the scene's pixels. */
  readonly points: readonly Point[]
}

/** The longer side of a scene, in pixels. */
const sceneSide = 320

/** FaceMesh's outline of the face, but for jaw and chin: a neck keeps still when its head turns. */
const outline = [93, 234, 127, 162, 21, 54, 103, 67, 109, 10, 338, 297, 332, 284, 251, 389, 356, 454, 323] as const

/** Where patches lie around the face: so many times as far from its middle as the outline. */
const rings = [1.12, 1.25] as const
/** In widths of the face: half the side of a patch, as so many steps between its samples. */
const step = 1 / 64
const reach = 4
/** Standard deviation of brightness, 0–255, below which a patch is plain: noise would decide. */
const plain = 8
/** Fewer patches than this measure nothing. */
const minPatches = 8

const offsets: readonly Point[] = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach).flatMap((y, _, all) =>
  all.map((x): Point => [x, y]),
)

/** Keeps of a picture what shows whether it stays when the face turns. */
export function toScene(pixels: RgbImage, { points }: Landmarks): Scene {
  const { data, width, height } = downsample(pixels, sceneSide)
  const [wide, high] = [width / pixels.width, height / pixels.height]
  return {
    brightness: Uint8Array.from({ length: width * height }, (_, i) =>
      Math.round(0.299 * (data[3 * i] ?? 0) + 0.587 * (data[3 * i + 1] ?? 0) + 0.114 * (data[3 * i + 2] ?? 0)),
    ),
    width,
    height,
    points: points.map(([x, y]): Point => [x * wide, y * high]),
  }
}

/** The samples around a place, less their mean; null where the picture ends. */
function cutPatch({ brightness, width, height }: Scene, [x, y]: Point, spacing: number): readonly number[] | null {
  const half = reach * spacing
  if (x < half || y < half || x + half > width - 1 || y + half > height - 1) return null
  const values = offsets.map(
    ([dx, dy]) => brightness[Math.round(y + dy * spacing) * width + Math.round(x + dx * spacing)] ?? 0,
  )
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map(value => value - mean)
}

function correlate(one: readonly number[], other: readonly number[]): number {
  const both = one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
  return both / (Math.hypot(...one) * Math.hypot(...other) + 1e-9)
}

function isWithin(polygon: readonly Point[], [x, y]: Point): boolean {
  return polygon.reduce((inside, [ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length] ?? [ax, ay]
    const crosses = ay > y !== by > y && x < ax + ((bx - ax) * (y - ay)) / (by - ay)
    return crosses ? !inside : inside
  }, false)
}

function listRing({ points }: Scene): readonly Point[] {
  const at = (index: number): Point => points[index] ?? [0, 0]
  const middle: Point = [(at(234)[0] + at(454)[0]) / 2, (at(10)[1] + at(152)[1]) / 2]
  return rings.flatMap(far =>
    outline.map(index => {
      const [x, y] = at(index)
      return [middle[0] + (x - middle[0]) * far, middle[1] + (y - middle[1]) * far] as const
    }),
  )
}

/**
 * The median correlation of the selfie's patches around the face with the same places of a turned frame, which the turned
 * face does not cover. Null where too few of them show anything, or the pictures differ in size.
 */
function measureTurn(selfie: Scene, turned: Scene, spacing: number): number | null {
  if (selfie.width !== turned.width || selfie.height !== turned.height) return null
  const face = outline.map((index): Point => turned.points[index] ?? [0, 0])
  const likenesses = listRing(selfie).flatMap(place => {
    const [before, after] = [cutPatch(selfie, place, spacing), cutPatch(turned, place, spacing)]
    if (!before || !after || isWithin(face, place)) return []
    return Math.hypot(...before) < plain * Math.sqrt(before.length) ? [] : [correlate(before, after)]
  })
  if (likenesses.length < minPatches) return null
  return likenesses.sort((one, other) => one - other)[likenesses.length >> 1] ?? null
}

/**
 * How much of what is around the face stays where it was while the face turns, -1 to 1, of the turn that keeps less. Hair
 * and ears turn with a head; a face that is laid over a photo turns alone. Null where no turn could be compared.
 */
export function measureSurroundings(selfie: Scene | null, turns: readonly Scene[]): Measured | null {
  if (!selfie) return null
  const [left, right] = [selfie.points[234], selfie.points[454]]
  if (!left || !right) return null
  const spacing = measureDistance(left, right) * step
  const kept = turns.flatMap(turned => measureTurn(selfie, turned, spacing) ?? [])
  return kept.length === 0 ? null : { score: Math.min(...kept), threshold: livenessThreshold.surroundings }
}
