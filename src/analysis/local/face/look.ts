import type { EncodedImage, FaceTemplate, Measured } from '../../port.ts'
import type { Models } from '../models.ts'
import { type Appearance, appearanceOf } from './appearance.ts'
import { chipSide, embed, faceChip } from './embedding.ts'
import { type Expression, expressionOf } from './expression.ts'
import { countPersons, type Face, findFaces, secondFace } from './faces.ts'
import { decode, sharpness, UnreadableImage } from './pixels.ts'
import { type UprightFace, uprightFace } from './upright.ts'

/** The longer side to which a picture of a face is shrunk. In pixels. */
const face_side = 1280

/** All that is kept of a selfie or of a frame of a challenge. */
export interface FacePicture {
  readonly face: Face
  /** People before the camera. */
  readonly persons: number
  /** Width of the second widest face in that of the widest, 0 for none, and from where on it is a person. */
  readonly second_face: Measured
  readonly template: FaceTemplate
  readonly upright: UprightFace
  readonly appearance: Appearance
  readonly expression: Expression
  /** Mean absolute Laplacian of the aligned face. */
  readonly sharpness: number
  /** Of the picture as it was looked at, such as `960x1280`. */
  readonly size: string
}

/** What was decoded; null where the image can't be. */
export const orNull = async <T>(decoding: Promise<T>): Promise<T | null> => {
  try {
    return await decoding
  } catch (error) {
    if (error instanceof UnreadableImage) return null
    throw error
  }
}

/** Looks at the widest face of a picture; null where there is none. */
export const lookAtFace = async (models: Models, image: EncodedImage): Promise<FacePicture | null> => {
  const pixels = await orNull(decode(image, face_side))
  const faces = pixels ? findFaces(models, pixels) : []
  const [face] = faces
  if (!pixels || !face) return null
  const chip = faceChip(pixels, face.landmarks)
  const upright = uprightFace(pixels, face.landmarks)
  const appearance = appearanceOf(upright)
  return {
    face,
    persons: countPersons(faces),
    second_face: secondFace(faces),
    template: embed(models, chip),
    upright,
    appearance,
    expression: expressionOf(face.landmarks, appearance),
    sharpness: sharpness(chip, chipSide),
    size: `${pixels.width}x${pixels.height}`,
  }
}
