import type { FaceTemplate } from '@attestor/rules'
import { rotateQuarter } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { Models } from '../models.ts'
import { embedFace } from './embedding.ts'
import { type Face, findFaces } from './faces.ts'
import { getPoint } from './landmarks.ts'

/** A face whose eyes are further from level, in degrees, lies on its side or on its head. */
const maxRoll = 45

/**
 * FaceMesh is this sure of faces that are upright. Of 75 frames of people in colour video that were turned onto their
 * heads it was of 8.
 */
const sureCertainty = 0.999

/** The people of a picture, beside that picture turned so that they are upright. */
export interface UprightFaces {
  readonly faces: readonly [Face, ...Face[]]
  readonly template: FaceTemplate
  /** Length of the template before it is scaled to one; 0 for a face that is not level. */
  readonly length: number
  readonly pixels: RgbImage
  /** Number of quarters by which the original picture is turned clockwise. */
  readonly quarterTurns: number
}

function isLevel({ landmarks }: Face): boolean {
  const [x, y] = getPoint(landmarks, 'left_eye_outer')
  const [x2, y2] = getPoint(landmarks, 'right_eye_outer')
  return (Math.abs(Math.atan2(y2 - y, x2 - x)) * 180) / Math.PI <= maxRoll
}

/** Ranks a found face: level and sure before level before any, and then by the length of its template. */
function isBetter(one: UprightFaces, other: UprightFaces): boolean {
  const [sure, otherSure] = [one, other].map(
    ({ faces: [face], length }) => length > 0 && face.landmarks.certainty >= sureCertainty,
  )
  return sure === otherSure ? one.length > other.length : sure === true
}

/**
 * Finds the people of a picture whose camera may not have recorded its orientation. BlazeFace and FaceMesh take one in
 * two faces that stand on their head for upright ones. FaceMesh is less sure of them, and their template is shorter: see
 * `uprightLength`. So the first of the four turns counts that is surely upright by both, otherwise the best one. Null
 * without a face. Every picture that is made is added to `made`.
 */
export async function findUprightFaces(
  models: Models,
  picture: RgbImage,
  made: RgbImage[],
): Promise<UprightFaces | null> {
  const { uprightLength } = models.embedding.model
  let best: UprightFaces | null = null
  let pixels = picture
  for (let quarterTurns = 0; quarterTurns < 4; quarterTurns++) {
    if (quarterTurns > 0) {
      pixels = rotateQuarter(pixels)
      made.push(pixels)
    }
    const [face, ...others] = await findFaces(models, pixels)
    if (face === undefined) continue
    const { template, length } = await embedFace(models.embedding, pixels, face.landmarks)
    const found = {
      faces: [face, ...others],
      template,
      length: isLevel(face) ? length : 0,
      pixels,
      quarterTurns,
    } as const
    const isSure = uprightLength === undefined || (length >= uprightLength && face.landmarks.certainty >= sureCertainty)
    if (isSure && isLevel(face)) return found
    if (best === null || isBetter(found, best)) best = found
  }
  return best
}
