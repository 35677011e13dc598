import { applySimilarity, cutSquare, type Point, type Similarity } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { Detection } from './detector.ts'
import type { FaceModels } from './face_models.ts'

/** FaceMesh's 468 landmarks of one face, in the picture's pixels. */
export interface Landmarks {
  readonly points: readonly Point[]
  /** The network's own certainty that there is a face, 0 to 1. */
  readonly certainty: number
}

/** Some of FaceMesh's landmarks (MediaPipe's canonical face model). Left and right are the picture's. */
export const landmarkIndex = {
  left_eye_outer: 33,
  left_eye_inner: 133,
  left_eye_top: 159,
  left_eye_bottom: 145,
  right_eye_inner: 362,
  right_eye_outer: 263,
  right_eye_top: 386,
  right_eye_bottom: 374,
  nose_tip: 1,
  nose_base: 2,
  left_cheek: 234,
  right_cheek: 454,
  forehead: 10,
  chin: 152,
  upper_lip: 13,
  lower_lip: 14,
  mouth_left: 78,
  mouth_right: 308,
  mouth_outer_left: 61,
  mouth_outer_right: 291,
} as const

const inputSide = 192
/** MediaPipe's own margin around the detector's box; the second look uses the landmarks' box. */
const detectionMargin = 1.5
const landmarkMargin = 1.5

/** Returns one landmark by its name. */
export function getPoint({ points }: Landmarks, name: keyof typeof landmarkIndex): Point {
  return points[landmarkIndex[name]] ?? [0, 0]
}

/** Returns the level square around some box, as a similarity from FaceMesh's input to the picture. */
function squareAroundFace(box: { centre: Point; side: number }, [left, right]: readonly [Point, Point]): Similarity {
  const angle = Math.atan2(right[1] - left[1], right[0] - left[0])
  const scale = box.side / inputSide
  const a = scale * Math.cos(angle)
  const b = scale * Math.sin(angle)
  const half = (inputSide - 1) / 2
  return { a, b, tx: box.centre[0] - a * half + b * half, ty: box.centre[1] - b * half - a * half }
}

async function runMesh(models: FaceModels, pixels: RgbImage, square: Similarity): Promise<Landmarks> {
  const [mesh = [], [certainty = 0] = []] = await models.mesh(cutSquare(pixels, square, inputSide, [0, 1]))
  const points = Array.from({ length: mesh.length / 3 }, (_, i) =>
    applySimilarity(square, [mesh[3 * i] ?? 0, mesh[3 * i + 1] ?? 0]),
  )
  return { points, certainty }
}

/**
 * Finds the landmarks of a detected face. Two looks: the second starts from the first's own landmarks, which steadies
 * turned and tilted faces.
 */
export async function findLandmarks(models: FaceModels, pixels: RgbImage, detection: Detection): Promise<Landmarks> {
  const box = {
    centre: [detection.left + detection.width / 2, detection.top + detection.height / 2] as const,
    side: Math.max(detection.width, detection.height) * detectionMargin,
  }
  return followLandmarks(models, pixels, await runMesh(models, pixels, squareAroundFace(box, detection.eyes)))
}

/** Finds the landmarks of a face near their places in an earlier look, or in the frame before. */
export function followLandmarks(models: FaceModels, pixels: RgbImage, before: Landmarks): Promise<Landmarks> {
  const xs = before.points.map(([x]) => x)
  const ys = before.points.map(([, y]) => y)
  const left = Math.min(...xs)
  const right = Math.max(...xs)
  const top = Math.min(...ys)
  const bottom = Math.max(...ys)
  const eyes = [getPoint(before, 'left_eye_outer'), getPoint(before, 'right_eye_outer')] as const
  const side = Math.max(right - left, bottom - top) * landmarkMargin
  return runMesh(models, pixels, squareAroundFace({ centre: [(left + right) / 2, (top + bottom) / 2], side }, eyes))
}
