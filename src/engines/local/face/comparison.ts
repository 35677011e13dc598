import type { FaceFindings, FaceTemplate } from '../../../decision/findings.ts'
import type { FalseMatchRate } from '../../port.ts'
import { faceSpace, measureFaceDistance } from './embedding.ts'
import type { FaceVectors } from './templates.ts'
import { faceDistances } from './thresholds.ts'

/** Between the two a comparison is inconclusive. */
export interface FaceLimits {
  /** At or below this distance two faces are one person's. */
  readonly accept_below: number
  /** Above it they are two persons'. */
  readonly reject_above: number
}

/** The limits of a false match rate in the space that a model names; today's for an unknown model. */
export function getFaceLimits(rate: FalseMatchRate, model: string = faceSpace.model): FaceLimits {
  const { accept_below, reject_above } = faceDistances[model === faceSpace.model ? 'current' : 'former']
  return { accept_below: accept_below[rate], reject_above }
}

/** A distance as a score from 0 to 1, one half at 0.58. */
function toSimilarity(distance: number): number {
  return 1 / (1 + Math.exp(18 * (distance - 0.58)))
}

type Compared = Pick<
  FaceFindings,
  'distance' | 'similarity' | 'reference_outdated' | 'reference_former' | 'accept_below' | 'reject_above'
>

/**
 * Compares the selfie's template with the reference's, in the reference's own space where that is one of an earlier
 * version. Null if one of them is missing; outdated if the reference's space is unknown.
 */
export function compareFaces(
  selfie: FaceVectors | null,
  reference: FaceTemplate | null,
  rate: FalseMatchRate,
): Compared {
  const own = [selfie?.template, selfie?.former].find(template => template && template.model === reference?.model)
  const limits = getFaceLimits(rate, reference?.model)
  const reference_former = own != null && own.model !== faceSpace.model
  const reference_outdated = selfie !== null && reference !== null && own == null
  if (!own || !reference) return { ...limits, distance: null, similarity: null, reference_outdated, reference_former }
  const distance = measureFaceDistance(own, reference)
  return {
    ...limits,
    distance,
    similarity: { score: toSimilarity(distance), threshold: toSimilarity(limits.accept_below) },
    reference_outdated,
    reference_former,
  }
}

/** A selfie without any face. */
export function createEmptyFaceFindings(engine: FaceFindings['engine'], rate: FalseMatchRate): FaceFindings {
  return {
    engine,
    faces_in_selfie: 0,
    face_width: null,
    usable: false,
    reference: null,
    ...compareFaces(null, null, rate),
    same_picture: false,
    template: null,
  }
}
