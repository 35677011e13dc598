import type { FaceTemplate, LivenessAction, Measured, PictureBox } from '@attestor/rules'
import { listHalves } from '../geometry/pixels.ts'
import { boundPoints } from '../geometry/regions.ts'
import { decodeImage } from '../images/decode_image.ts'
import { releasePixels } from '../images/release_pixels.ts'
import type { Models } from '../models.ts'
import type { EncodedImage } from '../port.ts'
import { type Appearance, measureAppearance } from './appearance.ts'
import { type Expression, measureExpression } from './expression.ts'
import { countPersons, type Face, measureSecondFace } from './faces.ts'
import { findUprightFaces, type UprightFaces } from './find_upright.ts'
import { measureEyeOpenings } from './iris.ts'
import { isPortraitOfDocument } from './portrait_of_document.ts'
import { measurePresence } from './presence.ts'
import { measureFaceSharpness } from './sharpness.ts'
import { type Thumbnail, toThumbnail } from './surroundings.ts'
import { cutUprightFace, toUprightMap, type UprightMap } from './upright.ts'

/** The longer side to which a picture of a face is shrunk. In pixels. */
const faceSide = 1280

/** The widest face of a selfie or of a frame, with its measurements. */
export interface SeenFace {
  readonly face: Face
  /** Number of persons before the camera. */
  readonly persons: number
  /** Width of the second widest face as a share of the widest's, beside the share from which on it is a person. */
  readonly secondFace: Measured
  readonly template: FaceTemplate
  /** Whether the face is the portrait of a document; false for a frame, in which nobody looks for it. */
  readonly onDocument: boolean
  /** Certainty of a passive liveness model; null for a frame, or if there is no model. */
  readonly presence: Measured | null
  readonly appearance: Appearance
  readonly expression: Expression
  /** Mean absolute Laplacian of the upright face. */
  readonly sharpness: number
  /** Size of the decoded picture, such as `960x1280`. */
  readonly size: string
  /** The face in the picture. */
  readonly region: PictureBox
}

/** A face with the large parts of it that a comparison with others needs. */
export interface ComparedFace extends SeenFace {
  readonly upright: UprightMap
  readonly thumbnail: Thumbnail
}

/**
 * Reads the widest face of a picture: of a frame that answers an action, or of a selfie if `answers` is null. The
 * picture may lie on its side, or on its head. Null if there is no face. Rejects with `UnreadableImageError`.
 */
export async function readFace(
  models: Models,
  image: EncodedImage,
  answers: LivenessAction | null = null,
): Promise<ComparedFace | null> {
  const picture = await decodeImage(image, faceSide)
  const made = [picture]
  try {
    const found = await findUprightFaces(models, picture, made)
    if (found === null) return null
    const onDocument = answers === null && (await isPortraitOfDocument(image, found.pixels, found.faces[0]))
    return { ...(await measureFace(models, found, answers)), onDocument }
  } finally {
    // V8 would otherwise search its heap again and again for garbage that makes up for these pixels.
    for (const { data } of made.flatMap(pixels => listHalves(pixels))) releasePixels(data)
  }
}

async function measureFace(
  models: Models,
  { faces, template, pixels, quarterTurns }: UprightFaces,
  answers: LivenessAction | null,
): Promise<Omit<ComparedFace, 'onDocument'>> {
  const [face] = faces
  const { landmarks } = face
  const upright = cutUprightFace(pixels, landmarks)
  const appearance = measureAppearance(upright)
  // Only a blink needs the eyes of a frame.
  const hasEyes = answers === null || answers === 'BLINK'
  const eyes = hasEyes ? await measureEyeOpenings(models, pixels, landmarks) : null
  return {
    face,
    persons: countPersons(faces),
    secondFace: measureSecondFace(faces),
    template,
    presence:
      answers === null && models.passiveLiveness ? await measurePresence(models.passiveLiveness, pixels, face) : null,
    upright: toUprightMap(upright),
    thumbnail: toThumbnail(pixels, landmarks),
    appearance,
    expression: measureExpression(landmarks, appearance, eyes),
    sharpness: measureFaceSharpness(pixels, landmarks),
    size: `${pixels.width}x${pixels.height}`,
    region: boundPoints(landmarks, pixels, quarterTurns),
  }
}
