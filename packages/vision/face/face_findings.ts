import type { ChipComparison, EngineName, FaceFindings, FaceTemplate, QualityCheck } from '@attestor/rules'
import type { AnalysisRequest, FalseMatchRate } from '../port.ts'
import { compareFaces, createEmptyFaceFindings, getFaceLimits } from './comparison.ts'
import { type EmbeddingModel, measureFaceDistance } from './embedding.ts'
import type { Landmarks } from './landmarks.ts'
import { measureFlatResidual } from './planarity.ts'
import { checkQuality } from './quality.ts'
import type { ComparedFace, SeenFace } from './read_face.ts'
import { toComparable, toFingerprint } from './repetition.ts'
import { faceThreshold, qualityThreshold } from './thresholds.ts'

/** A document's portrait, as far as a selfie is compared with it. */
export interface ComparedPortrait {
  readonly landmarks: Landmarks
  readonly template: FaceTemplate
}

/** The engine that compares, its network, and the rate of false matches. */
export interface Comparer {
  readonly engine: EngineName
  readonly model: EmbeddingModel
  readonly rate: FalseMatchRate
}

/** The faces of a transaction that are compared. */
export interface Comparison extends Comparer {
  readonly selfie: ComparedFace | null
  readonly portrait: ComparedPortrait | null
  /** The portrait in the document's chip. */
  readonly chipPortrait: ComparedPortrait | null
}

function checkSamePicture(
  selfie: ComparedFace,
  portrait: ComparedPortrait,
  { same_picture }: EmbeddingModel['limits'],
): Pick<FaceFindings, 'same_picture' | 'picture_distance' | 'picture_residual'> {
  const distance = measureFaceDistance(selfie.template, portrait.template)
  const residual = measureFlatResidual(selfie.face.landmarks, portrait.landmarks)
  const { samePictureResidual } = faceThreshold
  return {
    same_picture: distance <= same_picture && residual <= samePictureResidual,
    picture_distance: { score: distance, threshold: same_picture },
    picture_residual: { score: residual, threshold: samePictureResidual },
  }
}

function compareWithChip(selfie: ComparedFace, portrait: ComparedPortrait, { model, rate }: Comparer): ChipComparison {
  const { distance, similarity } = compareFaces(selfie.template, portrait.template, getFaceLimits(model, rate))
  return { distance, similarity, ...checkSamePicture(selfie, portrait, model.limits) }
}

/** Returns the template with which the selfie is compared; null if there is none. */
function chooseReference(request: AnalysisRequest, portrait: ComparedPortrait | null): FaceTemplate | null {
  return request.transaction_type === 'BIOMETRIC_ONLY' ? request.enrolled_face : (portrait?.template ?? null)
}

/** The number of documents that the face is on must be none. */
function checkNoDocument({ onDocument }: SeenFace): QualityCheck {
  const [score, threshold] = [Number(onDocument), qualityThreshold.maxDocuments]
  return { name: 'document', reason: 'DOCUMENT', score, threshold, passes_when: 'at_most', passed: score <= threshold }
}

/** Returns the findings in the selfie alone, without a comparison. */
export function createSelfieFindings({ engine, model, rate }: Comparer, selfie: SeenFace | null): FaceFindings {
  const empty = createEmptyFaceFindings(engine, getFaceLimits(model, rate))
  if (!selfie) return empty
  const quality = [checkNoDocument(selfie), ...checkQuality(selfie)]
  return {
    ...empty,
    faces_in_selfie: selfie.persons,
    second_face: selfie.secondFace,
    face_width: Math.round(selfie.face.width),
    usable: quality.every(({ passed }) => passed),
    quality,
    regions: { selfie: { face: selfie.region } },
  }
}

/** Returns the findings in the selfie, with its distance from the document's portrait or from the enrolled face. */
export function createFaceFindings(
  request: AnalysisRequest,
  { selfie, portrait, chipPortrait, ...comparer }: Comparison,
): FaceFindings {
  const enrolled = request.transaction_type === 'BIOMETRIC_ONLY'
  const reference = chooseReference(request, portrait)
  const own = createSelfieFindings(comparer, selfie)
  return {
    ...own,
    strangers: comparer.model.limits.strangers ?? null,
    ...compareFaces(selfie?.template ?? null, reference, getFaceLimits(comparer.model, comparer.rate)),
    reference: reference === null ? null : enrolled ? 'ENROLLED_FACE' : 'DOCUMENT',
    ...(selfie === null || enrolled || portrait === null
      ? {}
      : checkSamePicture(selfie, portrait, comparer.model.limits)),
    chip: selfie && chipPortrait && compareWithChip(selfie, chipPortrait, comparer),
    fingerprint: selfie && toFingerprint(toComparable(selfie.upright)),
    template: selfie && own.usable ? selfie.template : null,
  }
}
