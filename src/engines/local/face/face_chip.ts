import type { RgbImage } from '../../images/raster.ts'
import { cutSquare, type Point } from '../geometry/pixels.ts'
import { fitSimilarity } from '../geometry/similarity.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/** The side of a chip in pixels. */
export const chipSide = 150
/** dlib's chips show a quarter of the face's size around it. */
const chipPadding = 0.25
/** dlib's mean face of five points (image_transforms/interpolation.h): eye corners, and the base of the nose. */
const meanFace: readonly Point[] = [
  [0.8595674595992, 0.2134981538014],
  [0.6460604764104, 0.2289674387677],
  [0.1205750620789, 0.2137274526848],
  [0.3340850613712, 0.2290642403242],
  [0.4901123135679, 0.6277975316475],
]

const chipFace = meanFace.map(
  ([x, y]): Point => [
    ((chipPadding + x) / (2 * chipPadding + 1)) * chipSide,
    ((chipPadding + y) / (2 * chipPadding + 1)) * chipSide,
  ],
)

/**
 * How much higher the face is in today's chips than dlib's mean face, in pixels of the chip: dlib's own landmarks put
 * the corners of the eyes lower than FaceMesh's.
 */
export const faceLift = 4

/** The face set upright on dlib's mean face: 150 by 150 RGB floats, 0–255. */
export function cutFaceChip(pixels: RgbImage, landmarks: Landmarks, lift: number): Float32Array {
  const face = (['right_eye_outer', 'right_eye_inner', 'left_eye_outer', 'left_eye_inner', 'nose_base'] as const).map(
    name => getPoint(landmarks, name),
  )
  const lifted = chipFace.map(([x, y]): Point => [x, y - lift])
  return cutSquare(pixels, fitSimilarity(lifted, face), chipSide)
}

/** The chip's mirror image. */
export function mirrorChip(chip: Float32Array): Float32Array {
  const mirrored = new Float32Array(chip.length)
  for (let from = 0; from < chip.length; from += 3) {
    const column = (from / 3) % chipSide
    mirrored.set(chip.subarray(from, from + 3), from + 3 * (chipSide - 1 - 2 * column))
  }
  return mirrored
}
