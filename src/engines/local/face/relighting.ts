import type { Measured } from '../../../decision/findings.ts'
import { fitPlane, type Sample } from '../../images/fit_plane.ts'
import type { Point } from '../geometry/pixels.ts'
import { livenessThreshold } from './thresholds.ts'
import { black, type UprightMap, uprightSide } from './upright.ts'

/** Landmarks of skin that no action of a challenge hides or moves much: forehead, nose, cheeks, jaw and chin. */
const spots = [
  50, 280, 205, 425, 101, 330, 36, 266, 117, 346, 118, 347, 123, 352, 187, 411, 207, 427, 151, 9, 108, 337, 69, 299,
  104, 333, 67, 297, 197, 195, 5, 4, 164, 199, 214, 434, 147, 376, 213, 433, 192, 416, 116, 345, 6, 168, 122, 351, 45,
  275, 10, 109, 338, 200, 208, 428, 211, 431, 142, 371, 203, 423,
] as const

/** Of the square's pixels: half the side of a patch, between two of its samples, and how far landmarks may be wrong. */
const reach = 6
const sampleStep = 2
const search = 3
const neighbours = 16
/** Of 255: a burnt-out patch says nothing of the light. */
const burntOut = 240
/** Correlation with the selfie's patch from which on a patch was found again. Where a face is torn, landmarks lie elsewhere. */
const leastLikeness = 0.8
/** Fewer patches than this measure nothing. */
const minPatches = 12

const offsets: readonly Point[] = Array.from(
  { length: (reach / sampleStep) * 2 + 1 },
  (_, i) => i * sampleStep - reach,
).flatMap((y, _, all) => all.map((x): Point => [x, y]))
const shifts: readonly Point[] = Array.from({ length: 2 * search + 1 }, (_, i) => i - search).flatMap((y, _, all) =>
  all.map((x): Point => [x, y]),
)

/** The skin around a landmark: its samples, less their mean. */
interface Patch {
  readonly at: Point
  readonly near: readonly number[]
  readonly mean: number
  readonly samples: readonly number[]
  /** Root of the sum of their squares. */
  readonly contrast: number
}

function read({ brightness }: UprightMap, x: number, y: number): number {
  const px = Math.min(uprightSide - 1.001, Math.max(0, x))
  const py = Math.min(uprightSide - 1.001, Math.max(0, y))
  const at = Math.floor(py) * uprightSide + Math.floor(px)
  const fx = px - Math.floor(px)
  const fy = py - Math.floor(py)
  const upper = (brightness[at] as number) * (1 - fx) + (brightness[at + 1] as number) * fx
  const lower = (brightness[at + uprightSide] as number) * (1 - fx) + (brightness[at + uprightSide + 1] as number) * fx
  return upper * (1 - fy) + lower * fy
}

function averageOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function cutPatch(face: UprightMap, spot: number): Patch {
  const [x, y] = face.points[spot] ?? [0, 0]
  const near = face.points
    .map(([px, py], index) => ({ index, far: Math.hypot(px - x, py - y) }))
    .sort((one, other) => one.far - other.far)
    .slice(0, neighbours)
    .map(({ index }) => index)
  const values = offsets.map(([dx, dy]) => read(face, x + dx, y + dy))
  const mean = averageOf(values)
  const samples = values.map(value => value - mean)
  return { at: [x, y], near, mean, samples, contrast: Math.hypot(...samples) }
}

/** How the landmarks around a patch move to another picture: along x and y `[by x, by y, offset]`. */
function fitAffine({ at, near }: Patch, from: UprightMap, to: UprightMap) {
  const fitAxis = (axis: 0 | 1) => {
    const samples = near.map((index): Sample => {
      const [x, y] = from.points[index] ?? [0, 0]
      return [x - at[0], y - at[1], to.points[index]?.[axis] ?? 0]
    })
    const [offset, byX, byY] = fitPlane(samples)
    return [byX, byY, offset] as const
  }
  return [fitAxis(0), fitAxis(1)] as const
}

/** Seen too much from the side, or beyond the outline: the patch's area in the other picture. */
const areas = { least: 0.35, most: 2.5 } as const

/** A patch in another picture, where it is found best. */
interface Found {
  /** In half sides of the square from its middle. */
  readonly at: Point
  /** Correlation with the selfie's patch. */
  readonly likeness: number
  /** The logarithm of how much brighter it is. */
  readonly change: number
}

/** Finds a patch in another picture; null where it is hidden or burnt out. */
function findPatch(patch: Patch, from: UprightMap, to: UprightMap): Found | null {
  const [[a, b, x], [c, d, y]] = fitAffine(patch, from, to)
  const area = a * d - b * c
  if (!(area > areas.least && area < areas.most)) return null
  let best = Number.NEGATIVE_INFINITY
  let mean = 0
  for (const [sx, sy] of shifts) {
    let sum = 0
    let squares = 0
    let both = 0
    offsets.forEach(([dx, dy], i) => {
      const value = read(to, a * dx + b * dy + x + sx, c * dx + d * dy + y + sy)
      sum += value
      squares += value * value
      both += value * (patch.samples[i] ?? 0)
    })
    const likeness = both / Math.sqrt(squares - (sum * sum) / offsets.length + 1e-9)
    if (likeness <= best) continue
    best = likeness
    mean = sum / offsets.length
  }
  if (Math.max(patch.mean, mean) > burntOut) return null
  return {
    at: [(2 * patch.at[0]) / uprightSide - 1, (2 * patch.at[1]) / uprightSide - 1],
    likeness: best / patch.contrast,
    change: Math.log((mean + black) / (patch.mean + black)),
  }
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** What a plane that is laid through the changes of light, at places from -1 to 1, leaves of them; outliers, such as a shadow's edge, do not tip it. */
function measureBeyondPlane(changes: readonly Sample[]): number {
  let kept = changes
  let left: readonly number[] = []
  for (let round = 0; round < 3; round++) {
    const [offset, along, down] = fitPlane(kept)
    left = changes.map(([x, y, change]) => Math.abs(change - along * x - down * y - offset))
    const usual = medianOf(left)
    kept = changes.filter((_, i) => (left[i] ?? 0) <= 3 * usual)
  }
  return medianOf(left)
}

interface Change {
  readonly all: number
  readonly beyondPlane: number
  readonly likenesses: readonly number[]
}

/**
 * How unevenly the light on a face changed from one picture to another, and how unevenly beyond a slope across the
 * picture; `torn` where too few patches are found again, null where too little is seen of them.
 */
function measureChange(seen: readonly Found[]): Change | 'torn' | null {
  const changes = seen
    .filter(({ likeness }) => likeness >= leastLikeness)
    .map(({ at, change }): Sample => [...at, change])
  if (changes.length < minPatches) return seen.length < minPatches ? null : 'torn'
  const middle = medianOf(changes.map(([, , change]) => change))
  return {
    all: medianOf(changes.map(([, , change]) => Math.abs(change - middle))),
    beyondPlane: measureBeyondPlane(changes),
    likenesses: seen.map(({ likeness }) => likeness),
  }
}

/** A slope of the light is easily added, to a picture or by a screen: beyond it an honest face changes some 1.7 times less. */
const planeFactor = 1.7

/** How much the skin's structure counts, which one photograph keeps as well: its correlation from 1 downwards. */
const structureFactor = 0.05

/**
 * How unevenly the light on the skin changes from the selfie to the frames, in natural logarithms, mean of the frames, and
 * a little of how its structure changes. A head that moves before a lamp or a window is lit otherwise; one photograph
 * that is bent into another pose takes its light along. 0 where no frame's skin is the selfie's, null where nothing was
 * measured.
 */
export function measureRelighting(selfie: UprightMap | null, frames: readonly UprightMap[]): Measured | null {
  if (!selfie) return null
  const patches = spots.map(spot => cutPatch(selfie, spot)).filter(({ mean }) => mean <= burntOut)
  const compared = frames.map(frame => measureChange(patches.flatMap(patch => findPatch(patch, selfie, frame) ?? [])))
  const changes = compared.filter(change => change !== null && change !== 'torn')
  if (changes.length === 0)
    return compared.includes('torn') ? { score: 0, threshold: livenessThreshold.relighting } : null
  const all = averageOf(changes.map(change => change.all))
  const beyondPlane = averageOf(changes.map(change => change.beyondPlane))
  const structure = 1 - medianOf(changes.flatMap(({ likenesses }) => likenesses))
  const score = Math.min(all, planeFactor * beyondPlane) + structureFactor * structure
  return { score, threshold: livenessThreshold.relighting }
}
