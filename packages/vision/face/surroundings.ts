import type { Measured } from '@attestor/rules'
import { comparePatch, medianOf, type Patch, toPatch } from '../geometry/patch.ts'
import { halvePicture, type Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import { downsample, type RgbImage } from '../images/raster.ts'
import type { Landmarks } from './landmarks.ts'
import { livenessThreshold } from './thresholds.ts'

/** A whole picture, small, as its camera saw it: it is not set upright by the face. */
export interface Thumbnail {
  /** Brightness of each pixel, 0 to 255, rows from the top. */
  readonly brightness: Uint8Array
  readonly width: number
  readonly height: number
  /** FaceMesh's landmarks in the thumbnail's pixels. */
  readonly points: readonly Point[]
}

/** The longer side of a thumbnail, in pixels. */
const thumbnailSide = 320

/** FaceMesh's outline of the face, but for jaw and chin: a neck keeps still when its head turns. */
const outline = [93, 234, 127, 162, 21, 54, 103, 67, 109, 10, 338, 297, 332, 284, 251, 389, 356, 454, 323] as const

/** Patches lie on these rings around the face, so many times as far from its middle as the outline. */
const rings = [1.12, 1.25] as const
/** Distance of a patch's samples, in widths of the face; a patch is `reach` such steps wide to each side. */
const step = 1 / 64
const reach = 4
/** Standard deviation of brightness, 0–255, below which a patch is plain: noise would decide its correlation. */
const plain = 8
/** Fewer patches than this measure nothing. */
const minPatches = 8

const patchSide = 2 * reach + 1

/** Keeps the parts of a picture that show whether it stays when the face turns. */
export function toThumbnail(pixels: RgbImage, { points }: Landmarks): Thumbnail {
  // The half is there already, as the face was cut out of it, and has a quarter of the pixels.
  const isLarge = Math.max(pixels.width, pixels.height) > 3 * thumbnailSide
  const { data, width, height } = downsample(isLarge ? halvePicture(pixels) : pixels, thumbnailSide)
  const [wide, high] = [width / pixels.width, height / pixels.height]
  const brightness = new Uint8Array(width * height)
  for (let i = 0; i < brightness.length; i++)
    brightness[i] = 0.299 * (data[3 * i] ?? 0) + 0.587 * (data[3 * i + 1] ?? 0) + 0.114 * (data[3 * i + 2] ?? 0) + 0.5
  return { brightness, width, height, points: points.map(([x, y]): Point => [x * wide, y * high]) }
}

/** Returns the brightness around a place; null if the picture ends there. */
function readAround({ brightness, width, height }: Thumbnail, [x, y]: Point, spacing: number): Float64Array | null {
  const half = reach * spacing
  if (x < half || y < half || x + half > width - 1 || y + half > height - 1) return null
  const values = new Float64Array(patchSide ** 2)
  const columns = new Int32Array(patchSide)
  for (let i = 0; i < patchSide; i++) columns[i] = Math.round(x + (i - reach) * spacing)
  for (let j = 0, to = 0; j < patchSide; j++) {
    const row = Math.round(y + (j - reach) * spacing) * width
    for (let i = 0; i < patchSide; i++) values[to++] = brightness[row + (columns[i] as number)] as number
  }
  return values
}

function isWithin(polygon: readonly Point[], [x, y]: Point): boolean {
  return polygon.reduce((inside, [ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length] ?? [ax, ay]
    const crosses = ay > y !== by > y && x < ax + ((bx - ax) * (y - ay)) / (by - ay)
    return crosses ? !inside : inside
  }, false)
}

function listRing({ points }: Thumbnail): readonly Point[] {
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
 * The longer side, in pixels, of the thumbnails that are laid over each other, and the share of it by which a picture may
 * have moved.
 */
const coarseSide = 60
const mostMoved = 0.13
/** The least correlation by which the background is found again, and the least share of it that must still be seen. */
const leastFound = 0.7
const leastSeen = 0.4

function measureSquare({ width, height }: Thumbnail): number {
  return Math.max(1, Math.round(Math.max(width, height) / coarseSide))
}

/**
 * A thumbnail in which each place is the sum of a square of so many pixels, and marks the places that a head, its hair and
 * its neck leave free.
 */
interface Coarse {
  readonly values: Float64Array
  /** 1 for a place of the background, 0 for the others. */
  readonly behind: Uint8Array
  readonly columns: number
  readonly rows: number
}

function shrink({ brightness, width, height }: Thumbnail, square: number): Omit<Coarse, 'behind'> {
  const [columns, rows] = [Math.floor(width / square), Math.floor(height / square)]
  const values = new Float64Array(columns * rows)
  for (let y = 0; y < rows * square; y++) {
    const to = Math.floor(y / square) * columns
    for (let column = 0, at = y * width; column < columns; column++) {
      let sum = 0
      for (let i = 0; i < square; i++) sum += brightness[at++] as number
      values[to + column] = (values[to + column] as number) + sum
    }
  }
  return { values, columns, rows }
}

function toCoarse(thumbnail: Thumbnail, square: number): Coarse {
  const { values, columns, rows } = shrink(thumbnail, square)
  const xs = thumbnail.points.map(([x]) => x / square)
  const ys = thumbnail.points.map(([, y]) => y / square)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const high = bottom - top
  const half = 0.85 * Math.max(right - left, 0.75 * high)
  const behind = new Uint8Array(columns * rows)
  for (let y = 0, at = 0; y < rows; y++) {
    const beyond = y < top - 0.35 * high || y > bottom + 0.1 * high
    for (let x = 0; x < columns; x++) behind[at++] = Number(beyond || Math.abs(x - (left + right) / 2) > half)
  }
  return { values, behind, columns, rows }
}

/** Returns the places behind the head alone, with so wide an empty margin that they can be read at any move. */
function widen({ values, behind, columns, rows }: Coarse, margin: number): Pick<Coarse, 'values' | 'behind'> {
  const wide = columns + 2 * margin
  const padded = {
    values: new Float64Array(wide * (rows + 2 * margin)),
    behind: new Uint8Array(wide * (rows + 2 * margin)),
  }
  for (let i = 0; i < behind.length; i++) {
    if (behind[i] === 0) continue
    const at = (Math.floor(i / columns) + margin) * wide + (i % columns) + margin
    padded.behind[at] = 1
    padded.values[at] = values[i] as number
  }
  return padded
}

/** Places of a thumbnail, and the index of each in another one that is widened. */
interface Placed {
  readonly values: Float64Array
  readonly starts: Int32Array
}

/** Returns the correlation of places with those of a widened thumbnail at this offset; -1 if too few are seen. */
function correlateAt({ values, starts }: Placed, moved: Pick<Coarse, 'values' | 'behind'>, shift: number): number {
  const { values: others, behind } = moved
  let seen = 0
  let a = 0
  let b = 0
  let aa = 0
  let bb = 0
  let ab = 0
  // The sums are written out, without branches: places that are not background count as nothing. The numbers are whole,
  // so that no sum is rounded.
  for (let n = 0; n < values.length; n++) {
    const at = (starts[n] as number) + shift
    const counts = behind[at] as number
    const value = (values[n] as number) * counts
    const after = others[at] as number
    seen += counts
    a += value
    b += after
    aa += value * value
    bb += after * after
    ab += value * after
  }
  if (seen < leastSeen * values.length) return -1
  return (seen * ab - a * b) / Math.sqrt((seen * aa - a * a) * (seen * bb - b * b) + 1)
}

/** Returns the move of the background from one thumbnail to another of its size, in places; [0, 0] if it is not seen. */
function findMove(one: Coarse, other: Coarse, most: number): Point {
  const { columns, behind } = one
  const wide = columns + 2 * most
  const moved = widen(other, most)
  // Every other place is enough.
  const places: number[] = []
  for (let i = 0; i < behind.length; i += 2) if (behind[i] === 1) places.push(i)
  const starts = Int32Array.from(places, i => (Math.floor(i / columns) + most) * wide + (i % columns) + most)
  const placed = { values: Float64Array.from(places, i => one.values[i] as number), starts }
  let best = leastFound
  let found: Point = [0, 0]
  for (let dy = -most; dy <= most; dy++) {
    for (let dx = -most; dx <= most; dx++) {
      const likeness = correlateAt(placed, moved, dy * wide + dx)
      if (likeness <= best) continue
      best = likeness
      found = [dx, dy]
    }
  }
  return found
}

/** The selfie's patches, with the turned frame and the outline of its face, which covers some of them. */
interface Compared {
  readonly turned: Thumbnail
  readonly face: readonly Point[]
  readonly patches: readonly (readonly [at: Point, before: Patch])[]
  readonly spacing: number
}

function compareAt({ turned, face, patches, spacing }: Compared, [dx, dy]: Point): readonly number[] {
  const likenesses = patches.flatMap(([[x, y], before]) => {
    const place: Point = [x + dx, y + dy]
    const after = isWithin(face, place) ? null : readAround(turned, place, spacing)
    return after ? [comparePatch(before, after)] : []
  })
  return likenesses.length < minPatches ? [] : [medianOf(likenesses)]
}

/** A selfie, prepared for the comparison of turned frames with it. */
interface Compare {
  readonly selfie: Thumbnail
  readonly spacing: number
  readonly square: number
  readonly coarse: Coarse
  readonly patches: Compared['patches']
}

function prepare(selfie: Thumbnail, spacing: number): Compare {
  const square = measureSquare(selfie)
  const patches = listRing(selfie).flatMap(place => {
    const values = readAround(selfie, place, spacing)
    const before = values && toPatch(values)
    return before && before.contrast >= plain * patchSide ? [[place, before] as const] : []
  })
  return { selfie, spacing, square, coarse: toCoarse(selfie, square), patches }
}

/**
 * Returns the median correlation of the selfie's patches around the face with the same places of a turned frame, as far
 * as the turned face does not cover them. The frame is first laid over the selfie by its background: nobody holds
 * still, and an attacker who moves the whole photo would otherwise not be found. Null if too few patches show anything,
 * or if the pictures differ in size.
 */
function measureTurn({ selfie, spacing, square, coarse, patches }: Compare, turned: Thumbnail): number | null {
  if (selfie.width !== turned.width || selfie.height !== turned.height) return null
  const face = outline.map((index): Point => turned.points[index] ?? [0, 0])
  const most = Math.round((mostMoved * Math.max(selfie.width, selfie.height)) / square)
  const [x, y] = findMove(coarse, toCoarse(turned, square), most)
  const near = square >> 1
  const around = Array.from({ length: 2 * near + 1 }, (_, i) => i - near)
  const kept = around.flatMap(dy =>
    around.flatMap(dx => compareAt({ turned, face, patches, spacing }, [x * square + dx, y * square + dy])),
  )
  return kept.length === 0 ? null : Math.max(...kept)
}

/**
 * Measures the share of the face's surroundings that stays in place while the face turns, -1 to 1, at the turn that
 * keeps less. Hair and ears turn with a head; a face that is laid over a photo turns alone. Null if no turn could be
 * compared.
 */
export function measureSurroundings(selfie: Thumbnail | null, turns: readonly Thumbnail[]): Measured | null {
  if (!selfie) return null
  const [left, right] = [selfie.points[234], selfie.points[454]]
  if (!left || !right) return null
  const prepared = prepare(selfie, measureDistance(left, right) * step)
  const kept = turns.flatMap(turned => measureTurn(prepared, turned) ?? [])
  return kept.length === 0 ? null : { score: Math.min(...kept), threshold: livenessThreshold.surroundings }
}
