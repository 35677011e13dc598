import type { ReplayFingerprint } from '@attestor/rules'
import { applySimilarity, type Point } from '../geometry/pixels.ts'
import { fitSimilarity } from '../geometry/similarity.ts'
import { landmarkIndex } from './landmarks.ts'
import { type UprightMap, uprightSide } from './upright.ts'

/** FaceMesh's indices of landmarks that neither a blink nor the mouth moves. */
const stillLandmarks = [
  10, 109, 338, 151, 9, 8, 168, 6, 197, 195, 5, 4, 1, 2, 98, 327, 50, 280, 101, 330, 117, 346, 234, 454, 127, 356, 172,
  397, 136, 365, 148, 377, 152,
]

/** A face ready to be compared with others. */
export interface Comparable {
  /** The landmarks of `stillLandmarks`, and then the eyes' outer corners, in the square's pixels. */
  readonly points: readonly Point[]
  /** 0 to 255 each, rows from the top. */
  readonly brightness: ArrayLike<number>
}

/** Makes a face ready to be compared with others. */
export function toComparable(face: UprightMap): Comparable {
  return {
    points: [...stillLandmarks, landmarkIndex.left_eye_outer, landmarkIndex.right_eye_outer].map(
      index => face.points[index] ?? [0, 0],
    ),
    brightness: face.brightness,
  }
}

export const comparedColumns = 26

/** Forehead, nose and cheeks about the middle of the eyes' line, in eye distances; eyes and mouth may differ. */
const comparedPoints: readonly Point[] = [
  -0.67, -0.6, -0.53, -0.46, -0.39, -0.32, -0.25, -0.18, 0.22, 0.29, 0.36, 0.43, 0.5,
].flatMap(y => Array.from({ length: comparedColumns }, (_, i): Point => [-0.85 + 0.068 * i, y]))

function interpolate(brightness: ArrayLike<number>, x: number, y: number): number {
  const edge = uprightSide - 1.001
  const px = Math.min(edge, Math.max(0, x))
  const py = Math.min(edge, Math.max(0, y))
  const left = Math.floor(px)
  const at = Math.floor(py) * uprightSide + left
  const fx = px - left
  const fy = py - Math.floor(py)
  const below = at + uprightSide
  const upper = (brightness[at] ?? 0) * (1 - fx) + (brightness[at + 1] ?? 0) * fx
  const lower = (brightness[below] ?? 0) * (1 - fx) + (brightness[below + 1] ?? 0) * fx
  return upper * (1 - fy) + lower * fy
}

/** Measures one minus Pearson's correlation: 0 for two lists that differ only in brightness and contrast. */
function measureDecorrelation(one: Float64Array, other: Float64Array): number {
  let m = 0
  let n = 0
  for (let i = 0; i < one.length; i++) {
    m += (one[i] as number) / one.length
    n += (other[i] as number) / one.length
  }
  let both = 0
  let first = 0
  let second = 0
  for (let i = 0; i < one.length; i++) {
    const a = (one[i] as number) - m
    const b = (other[i] as number) - n
    both += a * b
    first += a * a
    second += b * b
  }
  return 1 - both / (Math.sqrt(first * second) || 1)
}

const steps = [-0.9, 0, 0.9]
const shifts: readonly Point[] = steps.flatMap(y => steps.map((x): Point => [x, y]))

/** Returns the compared points in the square's pixels. */
function toSquarePoints({ points }: Comparable): readonly Point[] {
  const eyes: readonly Point[] = [
    [-0.5, 0],
    [0.5, 0],
  ]
  const eyeFrame = fitSimilarity(eyes, points.slice(stillLandmarks.length))
  return comparedPoints.map(place => applySimilarity(eyeFrame, place))
}

/** Samples the brightness of the compared points. */
export function sampleFace(face: Comparable): Float64Array {
  return Float64Array.from(toSquarePoints(face), ([x, y]) => interpolate(face.brightness, x, y))
}

/**
 * Measures the difference of two pictures of a face in the parts that an expression leaves alone, laid over each other
 * as well as a similarity can: nearly 0 for a picture and its copy, re-encoded, lightened or darkened; 2 at most.
 */
export function measureDifference(one: Comparable, other: Comparable): number {
  const over = fitSimilarity(one.points.slice(0, stillLandmarks.length), other.points.slice(0, stillLandmarks.length))
  const spots = toSquarePoints(one)
  const here = sampleFace(one)
  const mapped = spots.map(spot => applySimilarity(over, spot))
  return Math.min(
    ...shifts.map(([dx, dy]) => {
      const there = Float64Array.from(mapped, ([x, y]) => interpolate(other.brightness, x + dx, y + dy))
      return measureDecorrelation(here, there)
    }),
  )
}

/**
 * A fingerprint reaches this far beyond the compared points, in pixels: so much two copies' landmarks and `shifts` may
 * differ.
 */
const margin = 3

/**
 * Cuts out the part of a face that `measureDifference` reads, which is kept to find a copy of it in a later
 * transaction.
 */
export function toFingerprint(face: Comparable): ReplayFingerprint {
  const spots = toSquarePoints(face)
  const [left = 0, top = 0, right = 0, bottom = 0] = [Math.min, Math.max].flatMap(extreme =>
    ([0, 1] as const).map(axis => {
      const edge = extreme(...spots.map(spot => spot[axis]))
      return Math.min(uprightSide - 1, Math.max(0, Math.round(edge) + (extreme === Math.min ? -margin : margin)))
    }),
  )
  const width = right - left + 1
  const height = bottom - top + 1
  const bytes = Uint8Array.from({ length: width * height }, (_, i) =>
    Math.round(face.brightness[(top + Math.floor(i / width)) * uprightSide + left + (i % width)] ?? 0),
  )
  return {
    points: face.points.flat().map(value => Math.round(value * 100) / 100),
    box: [left, top, width, height],
    brightness: Buffer.from(bytes).toString('base64'),
  }
}

/** Converts a replay fingerprint into a face to compare with; it is black outside of its rectangle. */
export function fromFingerprint({
  points,
  box: [left = 0, top = 0, width = 0],
  brightness,
}: ReplayFingerprint): Comparable {
  const square = new Uint8Array(uprightSide ** 2)
  Buffer.from(brightness, 'base64').forEach((value, i) => {
    square[(top + Math.floor(i / width)) * uprightSide + left + (i % width)] = value
  })
  const pairs = Array.from({ length: points.length / 2 }, (_, i): Point => [points[2 * i] ?? 0, points[2 * i + 1] ?? 0])
  return { points: pairs, brightness: square }
}
