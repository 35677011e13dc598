import type { LivenessAction, Measured, PictureBox } from '../../../decision/findings.ts'
import { decodeImage } from '../../images/decode_image.ts'
import type { EncodedImage } from '../../port.ts'
import { measureSharpness } from '../geometry/pixels.ts'
import { boundPoints } from '../geometry/regions.ts'
import type { Models } from '../models.ts'
import { type Appearance, measureAppearance } from './appearance.ts'
import type { FaceSpace } from './embedding.ts'
import { type Expression, measureExpression } from './expression.ts'
import { chipSide } from './face_chip.ts'
import { countPersons, type Face, findFaces, measureSecondFace } from './faces.ts'
import { measureEyeOpenings } from './iris.ts'
import { cutFace, cutFrame, type FaceCuts, type FaceVectors } from './templates.ts'
import { cutUprightFace, toUprightMap, type UprightMap } from './upright.ts'

/** The longer side to which a picture of a face is shrunk. In pixels. */
const faceSide = 1280

/** The widest face of a selfie or of a frame, with its measurements. */
export interface FacePicture {
  readonly face: Face
  /** Persons before the camera. */
  readonly persons: number
  /** Width of the second widest face as a share of the widest's, and from which share on it is a person. */
  readonly secondFace: Measured
  readonly cuts: FaceCuts
  readonly upright: UprightMap
  readonly appearance: Appearance
  readonly expression: Expression
  /** Mean absolute Laplacian of the aligned face. */
  readonly sharpness: number
  /** Of the decoded picture, such as `960x1280`. */
  readonly size: string
  /** The face in the picture. */
  readonly region: PictureBox
}

/** A face that was seen, without what only a comparison with others needs, which is large. */
export type SeenFace = Omit<FacePicture, 'cuts' | 'upright'>

/** A face that can be compared with others. */
export interface ComparedFace extends SeenFace, Pick<FacePicture, 'upright'> {
  readonly vectors: FaceVectors
}

/** Why a face is read: to judge an action, or to compare it, in an earlier space too where `former` names one. */
export type Purpose = { readonly answers: LivenessAction } | { readonly former: FaceSpace | null }

/** Reads the widest face of a picture; null where there is none. Rejects with `UnreadableImageError`. */
export async function readFace(
  models: Models,
  image: EncodedImage,
  purpose: Purpose = { former: null },
): Promise<FacePicture | null> {
  const pixels = await decodeImage(image, faceSide)
  const faces = findFaces(models, pixels)
  const [face] = faces
  if (!face) return null
  const { landmarks } = face
  const frame = 'answers' in purpose
  const cuts = frame ? cutFrame(pixels, landmarks) : cutFace(pixels, landmarks, purpose.former)
  const upright = cutUprightFace(pixels, landmarks)
  const appearance = measureAppearance(upright)
  // Only a blink needs the eyes of a frame.
  const eyes = frame && purpose.answers !== 'BLINK' ? null : measureEyeOpenings(models, pixels, landmarks)
  return {
    face,
    persons: countPersons(faces),
    secondFace: measureSecondFace(faces),
    cuts,
    upright: toUprightMap(upright),
    appearance,
    expression: measureExpression(landmarks, appearance, eyes),
    sharpness: measureSharpness(cuts.straight, chipSide),
    size: `${pixels.width}x${pixels.height}`,
    region: boundPoints(landmarks, pixels),
  }
}
