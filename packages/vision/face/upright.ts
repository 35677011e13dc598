import { applySimilarity, cutSquare, type Point, type Similarity } from '../geometry/pixels.ts'
import { fitSimilarity } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/** Side of the square in pixels; the face's oval fills four fifths of its height. */
export const uprightSide = 128
const ovalShare = 0.8

/** Height of the face's oval in the square, in its pixels. */
export const ovalHeight = ovalShare * uprightSide

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number]

/** This is added to every brightness: otherwise noise would dominate the ratios of a nearly black picture. */
export const black = 12

/** A face set upright at one size, independent of the picture's: small enough to be kept for comparisons. */
export interface UprightFace {
  /** RGB, 0–255, three floats a pixel, rows from the top. */
  readonly rgb: Float32Array
  /** FaceMesh's landmarks in the square's pixels. */
  readonly points: readonly Point[]
}

/** The parts of an upright face that later comparisons need. */
export interface UprightMap extends Pick<UprightFace, 'points'> {
  /** Brightness of each pixel, 0 to 255, rows from the top. */
  readonly brightness: Float32Array
}

/**
 * Returns the map into a square that is as large as the face's height, which a turn does not foreshorten, and level
 * with the line of its eyes.
 */
function squareAroundLandmarks(landmarks: Landmarks): Similarity {
  const { a, b } = fitSimilarity(
    [
      [0, 0],
      [1, 0],
    ],
    [getPoint(landmarks, 'left_eye_outer'), getPoint(landmarks, 'right_eye_outer')],
  )
  const eyes = Math.hypot(a, b) || 1
  const ux = a / eyes
  const uy = b / eyes
  const top = getPoint(landmarks, 'forehead')
  const bottom = getPoint(landmarks, 'chin')
  const height = (bottom[1] - top[1]) * ux - (bottom[0] - top[0]) * uy
  const scale = Math.max(1, height) / ovalHeight
  const centre: Point = [(top[0] + bottom[0]) / 2, (top[1] + bottom[1]) / 2]
  const sa = ux * scale
  const sb = uy * scale
  const half = uprightSide / 2
  return { a: sa, b: sb, tx: centre[0] - sa * half + sb * half, ty: centre[1] - sb * half - sa * half }
}

/** Cuts a face out of its picture, upright. */
export function cutUprightFace(pixels: RgbImage, landmarks: Landmarks): UprightFace {
  const square = squareAroundLandmarks(landmarks)
  const norm = square.a ** 2 + square.b ** 2
  const ia = square.a / norm
  const ib = -square.b / norm
  const back: Similarity = {
    a: ia,
    b: ib,
    tx: -(ia * square.tx - ib * square.ty),
    ty: -(ib * square.tx + ia * square.ty),
  }
  return {
    rgb: cutSquare(pixels, square, uprightSide),
    points: landmarks.points.map(point => applySimilarity(back, point)),
  }
}

/** Returns the luma of Rec. 601. */
function toLuma(rgb: Float32Array, at: number): number {
  return 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0)
}

function clampToSquare(value: number): number {
  return Math.min(uprightSide - 1, Math.max(0, Math.round(value)))
}

/** Returns a brightness for use in ratios: it is never 0. */
export function toBrightness([r, g, b]: Colour): number {
  return 0.299 * r + 0.587 * g + 0.114 * b + black
}

/** Returns the brightness at a place of the square, 0–255. */
export function readBrightness({ rgb }: UprightFace, [x, y]: Point): number {
  return toLuma(rgb, 3 * (clampToSquare(y) * uprightSide + clampToSquare(x)))
}

export function toUprightMap({ rgb, points }: UprightFace): UprightMap {
  return {
    points,
    brightness: Float32Array.from({ length: uprightSide ** 2 }, (_, i) => toLuma(rgb, 3 * i)),
  }
}

/** Returns the mean colour around a landmark, of a square that reaches so many pixels to each side. */
export function readColour({ rgb, points }: UprightFace, index: number, reach = 2): Colour {
  const [px, py] = points[index] ?? [0, 0]
  const sum: [number, number, number] = [0, 0, 0]
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const at = 3 * (clampToSquare(py + y) * uprightSide + clampToSquare(px + x))
      for (const c of [0, 1, 2] as const) sum[c] += (rgb[at + c] ?? 0) / (2 * reach + 1) ** 2
    }
  }
  return sum
}
