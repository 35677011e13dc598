import type { EngineName, FaceFindings, FaceTemplate } from '../../../decision/findings.ts'
import type { AnalysisRequest, FalseMatchRate } from '../../port.ts'
import { compareFaces, createEmptyFaceFindings } from './comparison.ts'
import { measureFaceDistance } from './embedding.ts'
import type { Landmarks } from './landmarks.ts'
import { measureFlatResidual } from './planarity.ts'
import { checkQuality } from './quality.ts'
import type { ComparedFace } from './read_face.ts'
import type { FaceVectors } from './templates.ts'
import { faceThreshold } from './thresholds.ts'

/** A document's portrait, as far as a selfie is compared with it. */
export interface ComparedPortrait {
  readonly landmarks: Landmarks
  readonly vectors: FaceVectors
}

/** What is compared, and how strictly. */
export interface Comparison {
  readonly engine: EngineName
  readonly rate: FalseMatchRate
  readonly selfie: ComparedFace | null
  readonly portrait: ComparedPortrait | null
}

const checkSamePicture = (
  selfie: ComparedFace,
  portrait: ComparedPortrait,
): Pick<FaceFindings, 'same_picture' | 'picture_distance' | 'picture_residual'> => {
  const [one, other] = [selfie.vectors.template, portrait.vectors.template]
  if (!one || !other) return { same_picture: false }
  const distance = measureFaceDistance(one, other)
  const residual = measureFlatResidual(selfie.face.landmarks, portrait.landmarks)
  const { samePicture, samePictureResidual } = faceThreshold
  return {
    same_picture: distance <= samePicture && residual <= samePictureResidual,
    picture_distance: { score: distance, threshold: samePicture },
    picture_residual: { score: residual, threshold: samePictureResidual },
  }
}

/** What the selfie is compared with; null where there is none. */
const chooseReference = (request: AnalysisRequest, portrait: ComparedPortrait | null): FaceTemplate | null =>
  request.transaction_type === 'BIOMETRIC_ONLY' ? request.enrolled_face : (portrait?.vectors.template ?? null)

/** What the selfie shows, and how far it is from the document's portrait or from the enrolled face. */
export const createFaceFindings = (
  request: AnalysisRequest,
  { engine, rate, selfie, portrait }: Comparison,
): FaceFindings => {
  const enrolled = request.transaction_type === 'BIOMETRIC_ONLY'
  const reference = chooseReference(request, portrait)
  const compared = {
    ...createEmptyFaceFindings(engine, rate),
    ...compareFaces(selfie?.vectors ?? null, reference, rate),
    reference: reference === null ? null : enrolled ? 'ENROLLED_FACE' : 'DOCUMENT',
  } as const
  if (!selfie) return compared
  const quality = checkQuality(selfie)
  const usable = quality.every(({ passed }) => passed)
  return {
    ...compared,
    faces_in_selfie: selfie.persons,
    second_face: selfie.secondFace,
    face_width: Math.round(selfie.face.width),
    usable,
    quality,
    ...(enrolled || portrait === null ? {} : checkSamePicture(selfie, portrait)),
    template: usable ? selfie.vectors.template : null,
  }
}
