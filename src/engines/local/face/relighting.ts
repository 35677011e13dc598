import type { Measured } from '../../../decision/findings.ts'
import { fitPlane, type Sample } from '../../images/fit_plane.ts'
import { comparePatch, listSquare, medianOf, type Patch, toPatch } from '../geometry/patch.ts'
import type { Point } from '../geometry/pixels.ts'
import type { Expression } from './expression.ts'
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
const leastLikeness = 0.5
/** Contrast below which a patch is plain, as beyond the picture's edge: it is found everywhere. */
const minContrast = 1
/** Fewer patches than this measure nothing. */
const minPatches = 12

const offsets = listSquare(reach, sampleStep)
const acrosses = Float64Array.from(offsets, ([x]) => x)
const downs = Float64Array.from(offsets, ([, y]) => y)

/** The skin around a landmark. */
interface SkinPatch extends Patch {
  readonly at: Point
  /** The landmarks next to it. */
  readonly near: readonly number[]
}

function clampToSquare(at: number): number {
  return Math.min(uprightSide - 1.001, Math.max(0, at))
}

/** Reads the brightness between the pixels: at row and column, and so far to the next ones. */
function read(brightness: Float32Array, at: number, fx: number, fy: number): number {
  const upper = (brightness[at] as number) * (1 - fx) + (brightness[at + 1] as number) * fx
  const lower = (brightness[at + uprightSide] as number) * (1 - fx) + (brightness[at + uprightSide + 1] as number) * fx
  return upper * (1 - fy) + lower * fy
}

function readAt({ brightness }: UprightMap, x: number, y: number): number {
  const [px, py] = [clampToSquare(x), clampToSquare(y)]
  const [column, row] = [Math.floor(px), Math.floor(py)]
  return read(brightness, row * uprightSide + column, px - column, py - row)
}

function averageOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function cutPatch(face: UprightMap, spot: number): SkinPatch {
  const { points } = face
  const [x, y] = points[spot] ?? [0, 0]
  // Written out: for each of the spots every landmark is looked at.
  const far = new Float64Array(points.length)
  for (let index = 0; index < far.length; index++) {
    const [px, py] = points[index] as Point
    far[index] = (px - x) ** 2 + (py - y) ** 2
  }
  const farthest = far.toSorted()[neighbours - 1] ?? 0
  const near: number[] = []
  for (let index = 0; index < far.length; index++) if ((far[index] as number) <= farthest) near.push(index)
  return { at: [x, y], near, ...toPatch(Float64Array.from(offsets, ([dx, dy]) => readAt(face, x + dx, y + dy))) }
}

/** How the landmarks around a patch move to another picture: along x and y `[by x, by y, offset]`. */
function fitAffine({ at, near }: SkinPatch, from: UprightMap, to: UprightMap) {
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

/** Of each shift along one axis and each sample of a patch, where it lies: the pixel before it, and how far beyond. */
interface Shifted {
  readonly before: Int32Array
  readonly beyond: Float64Array
}

function shiftAxis([byX, byY, offset]: readonly [number, number, number]): Shifted {
  const before = new Int32Array((2 * search + 1) * offsets.length)
  const beyond = new Float64Array(before.length)
  for (let i = 0; i < offsets.length; i++) {
    const at = byX * (acrosses[i] as number) + byY * (downs[i] as number) + offset
    for (let shift = -search; shift <= search; shift++) {
      const clamped = clampToSquare(at + shift)
      const pixel = Math.floor(clamped)
      const to = (shift + search) * offsets.length + i
      before[to] = pixel
      beyond[to] = clamped - pixel
    }
  }
  return { before, beyond }
}

/** Where a patch is most alike, of all shifts. */
function findBest(patch: SkinPatch, { brightness }: UprightMap, xs: Shifted, ys: Shifted) {
  const count = offsets.length
  const values = new Float64Array(count)
  let best = { likeness: Number.NEGATIVE_INFINITY, mean: 0 }
  for (let row = 0; row < ys.before.length; row += count) {
    for (let column = 0; column < xs.before.length; column += count) {
      for (let i = 0; i < count; i++) {
        const at = (ys.before[row + i] as number) * uprightSide + (xs.before[column + i] as number)
        values[i] = read(brightness, at, xs.beyond[column + i] as number, ys.beyond[row + i] as number)
      }
      const found = comparePatch(patch, values)
      if (found.likeness > best.likeness) best = found
    }
  }
  return best
}

/** Finds a patch in another picture; null where it is hidden or burnt out. */
function findPatch(patch: SkinPatch, from: UprightMap, to: UprightMap): Found | null {
  const [across, down] = fitAffine(patch, from, to)
  const area = across[0] * down[1] - across[1] * down[0]
  if (!(area > areas.least && area < areas.most)) return null
  const best = findBest(patch, to, shiftAxis(across), shiftAxis(down))
  if (Math.max(patch.mean, best.mean) > burntOut) return null
  return {
    at: [(2 * patch.at[0]) / uprightSide - 1, (2 * patch.at[1]) / uprightSide - 1],
    likeness: best.likeness,
    change: Math.log((best.mean + black) / (patch.mean + black)),
  }
}

/** A plane that is laid through changes of light, at places from -1 to 1: its slope across the picture, and what it leaves of them. Outliers, such as a shadow's edge, do not tip it. */
function layPlane(changes: readonly Sample[]): { readonly across: number; readonly left: number } {
  let kept = changes
  let left: readonly number[] = []
  let slope = 0
  for (let round = 0; round < 3; round++) {
    const [offset, across, down] = fitPlane(kept)
    left = changes.map(([x, y, change]) => Math.abs(change - across * x - down * y - offset))
    const usual = medianOf(left)
    kept = changes.filter((_, i) => (left[i] ?? 0) <= 3 * usual)
    slope = across
  }
  return { across: slope, left: medianOf(left) }
}

interface Change {
  readonly all: number
  readonly beyondPlane: number
}

function toChanges(seen: readonly Found[]): readonly Sample[] {
  return seen.map(({ at, change }): Sample => [...at, change])
}

/**
 * How unevenly the light on a face changed from one picture to another, and how unevenly beyond a slope across the
 * picture; `torn` where too few patches are found again, null where too little is seen of them.
 */
function measureChange(seen: readonly Found[]): Change | 'torn' | null {
  const changes = toChanges(seen.filter(({ likeness }) => likeness >= leastLikeness))
  if (changes.length < minPatches) return seen.length < minPatches ? null : 'torn'
  const middle = medianOf(changes.map(([, , change]) => change))
  return {
    all: medianOf(changes.map(([, , change]) => Math.abs(change - middle))),
    beyondPlane: layPlane(changes).left,
  }
}

/** A slope of the light is easily added, to a picture or by a screen: beyond it an honest face changes some 1.7 times less. */
const planeFactor = 1.7

/** How much it counts that the slope follows the head, as a slope a yaw, and up to which: alone it must not do. */
const followFactor = 0.15
const mostFollowed = 0.15
/** Sum of the squares of the yaws about their mean, below which nothing turns. */
const minTurned = 0.1

/** How unevenly the light changed in one picture. */
function measureUnevenness({ all, beyondPlane }: Change): number {
  return Math.min(all, planeFactor * beyondPlane)
}

/** A picture counts no more than so many times the weaker turn: landmarks that go astray in one of them are no light. */
const mostOfWeaker = 2

/** How unevenly the light changes in a face's pictures: 0 where its skin is never found again. */
function averageUnevenness(compared: readonly (Change | 'torn' | null)[], yaws: readonly number[]): number {
  const uneven = compared.map(change => (change === null || change === 'torn' ? null : measureUnevenness(change)))
  const turns = [Math.max(...yaws), Math.min(...yaws)].flatMap(yaw => uneven[yaws.indexOf(yaw)] ?? [])
  const most = mostOfWeaker * Math.min(...turns)
  const counted = uneven.flatMap(change => (change === null ? [] : [Math.min(change, most)]))
  return counted.length === 0 ? 0 : averageOf(counted)
}

/** A face, and how it is held. */
export interface PosedFace {
  readonly upright: UprightMap
  readonly expression: Pick<Expression, 'yaw'>
}

/** A face that turns to the picture's right is lit less there: the slope a yaw, of frames and selfie, which has none. */
function measureFollowing(turned: readonly { readonly yaw: number; readonly slope: number }[]): number {
  const yaw = averageOf(turned.map(frame => frame.yaw))
  const spread = turned.reduce((sum, frame) => sum + (frame.yaw - yaw) ** 2, 0)
  if (spread < minTurned) return 0
  const following = -turned.reduce((sum, frame) => sum + (frame.yaw - yaw) * frame.slope, 0) / spread
  return Math.min(mostFollowed, following)
}

/**
 * How the light on the skin changes from the selfie to the frames. A head that moves before a lamp or a window is lit
 * otherwise; one photograph that is bent into another pose takes its light along. Two signs are weighed together: how
 * unevenly it changes, in natural logarithms, mean of the frames, none of which counts more than twice the weaker turn; and
 * how its slope follows the head, as a cheek that turns away from the light behind the camera darkens. Null where nothing
 * was measured.
 */
export function measureRelighting(selfie: PosedFace | null, frames: readonly PosedFace[]): Measured | null {
  if (!selfie) return null
  const from = selfie.upright
  const patches = spots
    .map(spot => cutPatch(from, spot))
    .filter(({ mean, contrast }) => mean <= burntOut && contrast >= minContrast)
  const found = frames.map(({ upright }) => patches.flatMap(patch => findPatch(patch, from, upright) ?? []))
  const compared = found.map(measureChange)
  if (compared.every(change => change === null)) return null
  // Many a patch that is found badly still shows the slope, and a turned frame of a small face has few others.
  const slopes = found.flatMap((seen, i) =>
    seen.length < minPatches ? [] : [{ yaw: frames[i]?.expression.yaw ?? 0, slope: layPlane(toChanges(seen)).across }],
  )
  const following = measureFollowing([{ yaw: selfie.expression.yaw, slope: 0 }, ...slopes])
  const yaws = frames.map(({ expression }) => expression.yaw)
  const score = averageUnevenness(compared, yaws) + followFactor * following
  return { score, threshold: livenessThreshold.relighting }
}
