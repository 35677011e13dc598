import type { Measured } from '../../../decision/findings.ts'
import { downsample, type RgbImage } from '../../images/raster.ts'
import { comparePatch, listSquare, medianOf, type Patch, toPatch } from '../geometry/patch.ts'
import { halvePicture, type Point } from '../geometry/pixels.ts'
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

const offsets = listSquare(reach)

/** Keeps of a picture what shows whether it stays when the face turns. */
export function toScene(pixels: RgbImage, { points }: Landmarks): Scene {
  // Its half is there already, where it was cut from, and has a quarter of the pixels.
  const isLarge = Math.max(pixels.width, pixels.height) > 3 * sceneSide
  const { data, width, height } = downsample(isLarge ? halvePicture(pixels) : pixels, sceneSide)
  const [wide, high] = [width / pixels.width, height / pixels.height]
  const brightness = new Uint8Array(width * height)
  for (let i = 0; i < brightness.length; i++)
    brightness[i] = 0.299 * (data[3 * i] ?? 0) + 0.587 * (data[3 * i + 1] ?? 0) + 0.114 * (data[3 * i + 2] ?? 0) + 0.5
  return { brightness, width, height, points: points.map(([x, y]): Point => [x * wide, y * high]) }
}

/** The brightness around a place; null where the picture ends. */
function readAround({ brightness, width, height }: Scene, [x, y]: Point, spacing: number): Float64Array | null {
  const half = reach * spacing
  if (x < half || y < half || x + half > width - 1 || y + half > height - 1) return null
  const values = new Float64Array(offsets.length)
  offsets.forEach(([dx, dy], i) => {
    values[i] = brightness[Math.round(y + dy * spacing) * width + Math.round(x + dx * spacing)] as number
  })
  return values
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

/** In pixels, the longer side of the scenes that are laid over each other; of it, how far a picture may have moved. */
const coarseSide = 60
const mostMoved = 0.13
/** Correlation of what is behind from which on it was found again, and the least of it that must still be seen. */
const leastFound = 0.7
const leastSeen = 0.4

function measureSquare({ width, height }: Scene): number {
  return Math.max(1, Math.round(Math.max(width, height) / coarseSide))
}

/** A scene, each of its places the mean of a square of so many pixels. */
function shrink({ brightness, width, height }: Scene, square: number) {
  const [columns, rows] = [Math.floor(width / square), Math.floor(height / square)]
  const values = new Float32Array(columns * rows)
  for (let y = 0; y < rows * square; y++) {
    for (let x = 0; x < columns * square; x++) {
      const at = Math.floor(y / square) * columns + Math.floor(x / square)
      values[at] = (values[at] ?? 0) + (brightness[y * width + x] ?? 0)
    }
  }
  return { values, columns, rows }
}

/** The places of a shrunk scene that a head, its hair and its neck do not cover: 1, others 0. */
function coverHead({ points }: Scene, square: number, { columns, rows }: { columns: number; rows: number }) {
  const xs = points.map(([x]) => x / square)
  const ys = points.map(([, y]) => y / square)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const high = bottom - top
  const half = 0.85 * Math.max(right - left, 0.75 * high)
  return Uint8Array.from({ length: columns * rows }, (_, i) => {
    const aside = Math.abs((i % columns) - (left + right) / 2) > half
    const y = Math.floor(i / columns)
    return Number(aside || y < top - 0.35 * high || y > bottom + 0.1 * high)
  })
}

/** How far, in pixels, what is behind the head moved from one scene to another of its size: [0, 0] where that is not seen. */
function findMove(from: Scene, to: Scene): Point {
  const square = measureSquare(from)
  const [one, other] = [shrink(from, square), shrink(to, square)]
  const { columns } = one
  const [behind, behindOther] = [coverHead(from, square, one), coverHead(to, square, one)]
  // Every other place says enough.
  const places = Array.from(behind.keys()).filter(i => behind[i] === 1 && i % 2 === 0)
  const xs = places.map(i => i % columns)
  const most = Math.round((mostMoved * Math.max(from.width, from.height)) / square)
  const correlateAt = (dx: number, dy: number): number => {
    let [seen, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0]
    for (let n = 0; n < places.length; n++) {
      const i = places[n] as number
      const x = (xs[n] as number) + dx
      const at = i + dy * columns + dx
      if (x < 0 || x >= columns || behindOther[at] !== 1) continue
      const value = one.values[i] as number
      const moved = other.values[at] as number
      seen++
      a += value
      b += moved
      aa += value * value
      bb += moved * moved
      ab += value * moved
    }
    if (seen < leastSeen * places.length) return -1
    return (seen * ab - a * b) / Math.sqrt((seen * aa - a * a) * (seen * bb - b * b) + 1)
  }
  let best = leastFound
  let found: Point = [0, 0]
  for (let dy = -most; dy <= most; dy++) {
    for (let dx = -most; dx <= most; dx++) {
      const likeness = correlateAt(dx, dy)
      if (likeness <= best) continue
      best = likeness
      found = [dx * square, dy * square]
    }
  }
  return found
}

/** What a turned face does not cover of places that are moved. */
interface Compared {
  readonly turned: Scene
  readonly face: readonly Point[]
  readonly patches: readonly (readonly [at: Point, before: Patch])[]
  readonly spacing: number
}

function compareAt({ turned, face, patches, spacing }: Compared, [dx, dy]: Point): readonly number[] {
  const likenesses = patches.flatMap(([[x, y], before]) => {
    const place: Point = [x + dx, y + dy]
    const after = isWithin(face, place) ? null : readAround(turned, place, spacing)
    return after ? [comparePatch(before, after).likeness] : []
  })
  return likenesses.length < minPatches ? [] : [medianOf(likenesses)]
}

/**
 * The median correlation of the selfie's patches around the face with the same places of a turned frame, which the turned
 * face does not cover. The frame is first laid over the selfie by what is behind the head: nobody holds still, and who moves the
 * whole photo would be found by nothing. Null where too few patches show anything, or the pictures differ in size.
 */
function measureTurn(selfie: Scene, turned: Scene, spacing: number): number | null {
  if (selfie.width !== turned.width || selfie.height !== turned.height) return null
  const face = outline.map((index): Point => turned.points[index] ?? [0, 0])
  const patches = listRing(selfie).flatMap(place => {
    const values = readAround(selfie, place, spacing)
    const before = values && toPatch(values)
    return before && before.contrast >= plain * Math.sqrt(offsets.length) ? [[place, before] as const] : []
  })
  const [x, y] = findMove(selfie, turned)
  const near = measureSquare(selfie) >> 1
  const around = Array.from({ length: 2 * near + 1 }, (_, i) => i - near)
  const kept = around.flatMap(dy =>
    around.flatMap(dx => compareAt({ turned, face, patches, spacing }, [x + dx, y + dy])),
  )
  return kept.length === 0 ? null : Math.max(...kept)
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
