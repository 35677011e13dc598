import type { FaceFindings, FaceTemplate } from '@attestor/rules'
import type { FalseMatchRate } from '../port.ts'
import { type EmbeddingModel, measureFaceDistance } from './embedding.ts'

/** The limits by which a model's distance is read at one false match rate. */
export interface FaceLimits {
  /** At or below this distance two faces are one person's. */
  readonly accept_below: number
  /** Above this distance they are two persons'. Between the two a comparison is inconclusive. */
  readonly reject_above: number
}

export function getFaceLimits({ limits }: EmbeddingModel, rate: FalseMatchRate): FaceLimits {
  return { accept_below: limits.accept_below[rate], reject_above: limits.reject_above }
}

/**
 * Converts a distance into a score from 0 to 1, which is one half at the limit above which two faces are two persons'.
 */
function toSimilarity(distance: number, { reject_above }: FaceLimits): number {
  return 1 / (1 + Math.exp(18 * (distance - reject_above)))
}

type Compared = Pick<FaceFindings, 'distance' | 'similarity' | 'reference_outdated' | 'accept_below' | 'reject_above'>

/**
 * Compares two templates. The result is null if one of them is missing, and outdated if the reference is another
 * model's.
 */
export function compareFaces(
  selfie: FaceTemplate | null,
  reference: FaceTemplate | null,
  limits: FaceLimits,
): Compared {
  const reference_outdated = selfie !== null && reference !== null && selfie.model !== reference.model
  if (!selfie || !reference || reference_outdated)
    return { ...limits, distance: null, similarity: null, reference_outdated }
  const distance = measureFaceDistance(selfie, reference)
  return {
    ...limits,
    distance,
    similarity: { score: toSimilarity(distance, limits), threshold: toSimilarity(limits.accept_below, limits) },
    reference_outdated,
  }
}

/** Returns the findings in a selfie without any face. */
export function createEmptyFaceFindings(engine: FaceFindings['engine'], limits: FaceLimits): FaceFindings {
  return {
    engine,
    faces_in_selfie: 0,
    face_width: null,
    usable: false,
    reference: null,
    ...compareFaces(null, null, limits),
    same_picture: false,
    template: null,
  }
}
