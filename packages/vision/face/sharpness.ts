import { cutSquare, measureSharpness, type Point } from '../geometry/pixels.ts'
import { fitSimilarity } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/**
 * Side of the square in which a face's sharpness is measured, in pixels, so that its size in the picture hardly
 * matters.
 */
const side = 150

/**
 * The places in that square of the corners of the eyes and the base of the nose: dlib's mean face
 * (image_transforms/interpolation.h).
 */
const parts = [
  ['right_eye_outer', [110.96, 42.35]],
  ['right_eye_inner', [89.61, 43.9]],
  ['left_eye_outer', [37.06, 42.37]],
  ['left_eye_inner', [58.41, 43.91]],
  ['nose_base', [74.01, 83.78]],
] as const satisfies readonly (readonly [Parameters<typeof getPoint>[1], Point])[]

/** Returns the mean absolute Laplacian of the face set upright. */
export function measureFaceSharpness(pixels: RgbImage, landmarks: Landmarks): number {
  const square = fitSimilarity(
    parts.map(([, place]) => place),
    parts.map(([name]) => getPoint(landmarks, name)),
  )
  return measureSharpness(cutSquare(pixels, square, side), side)
}
