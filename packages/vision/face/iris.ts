import { cutSquare, type Point, type Similarity } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import type { FaceModels } from './face_models.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/** The openings of the picture's left and right eye. */
export type EyeOpenings = readonly [left: number, right: number]

/** Side of the network's input in pixels. */
const inputSide = 64
/** The crop's side in widths of the eye (MediaPipe, iris_landmark_landmarks_and_roi: 2.3). */
const cropMargin = 2.3
/**
 * Number of coordinates that the network returns for an eye: x, y and z of 71 points of its contour and 5 of its iris.
 */
const numbersPerEye = 76 * 3

/** The contour's points: both corners, and the lids from the outer to the inner corner, upper and lower in pairs. */
const outerCorner = 0
const innerCorner = 8
const lidPairs = [1, 2, 3, 4, 5, 6, 7].map(lower => [lower + 8, lower] as const)

/** Cuts the level square around an eye. */
function cutEye(pixels: RgbImage, [from, to]: readonly [Point, Point]): Float32Array {
  const scale = (measureDistance(from, to) * cropMargin) / inputSide
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0])
  const a = scale * Math.cos(angle)
  const b = scale * Math.sin(angle)
  const half = (inputSide - 1) / 2
  const x = (from[0] + to[0]) / 2
  const y = (from[1] + to[1]) / 2
  const square: Similarity = { a, b, tx: x - a * half + b * half, ty: y - b * half - a * half }
  return cutSquare(pixels, square, inputSide, [0, 1])
}

function mirrorSquare(square: Float32Array): Float32Array {
  return square.map((_, i) => {
    const row = Math.floor(i / (3 * inputSide))
    const column = Math.floor(i / 3) % inputSide
    return square[3 * (row * inputSide + inputSide - 1 - column) + (i % 3)] ?? 0
  })
}

/** Returns the mean gap of the lids over the eye's width, in the crop's own coordinates. */
function measureOpening(contour: ArrayLike<number>): number {
  const point = (index: number): Point => [contour[3 * index] ?? 0, contour[3 * index + 1] ?? 0]
  const gaps = lidPairs.map(([upper, lower]) => measureDistance(point(upper), point(lower)))
  return (
    gaps.reduce((sum, gap) => sum + gap, 0) /
    gaps.length /
    (measureDistance(point(outerCorner), point(innerCorner)) || 1)
  )
}

/**
 * Measures the opening of each eye by MediaPipe's iris network: the lids' mean gap over the eye's width, the picture's
 * left eye first. It sees a lid that FaceMesh's own landmarks hardly do. Photographs of 15 people (the Yale faces):
 * shut eyes below 0.15; open ones above, except one of 103.
 */
export async function measureEyeOpenings(
  models: FaceModels,
  pixels: RgbImage,
  landmarks: Landmarks,
): Promise<EyeOpenings> {
  const at = (name: Parameters<typeof getPoint>[1]): Point => getPoint(landmarks, name)
  const left = cutEye(pixels, [at('left_eye_outer'), at('left_eye_inner')])
  // The network was trained on eyes whose outer corner is on the left.
  const right = mirrorSquare(cutEye(pixels, [at('right_eye_inner'), at('right_eye_outer')]))
  const eyes = new Float32Array(2 * left.length)
  eyes.set(left)
  eyes.set(right, left.length)
  const [contours = new Float32Array()] = await models.iris(eyes)
  return [measureOpening(contours.subarray(0, numbersPerEye)), measureOpening(contours.subarray(numbersPerEye))]
}
