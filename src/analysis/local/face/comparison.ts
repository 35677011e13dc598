import type { FaceEvidence, FaceTemplate, Measured } from '../../port.ts'
import { embeddingModel } from '../models.ts'
import { faceDistance } from './embedding.ts'
import { faceThreshold } from './thresholds.ts'

/** A distance as a score from 0 to 1, one half at 0.58. */
export const similarity = (distance: number): number => 1 / (1 + Math.exp(18 * (distance - 0.58)))

/** Compares the selfie's template with the reference's; what is missing is null. */
export const compareFaces = (
  selfie: FaceTemplate | null,
  reference: FaceTemplate | null,
): { readonly distance: number | null; readonly similarity: Measured | null; readonly outdated: boolean } => {
  const outdated = reference !== null && reference.model !== embeddingModel
  if (!selfie || !reference || outdated) return { distance: null, similarity: null, outdated }
  const distance = faceDistance(selfie, reference)
  return {
    distance,
    similarity: { score: similarity(distance), threshold: similarity(faceThreshold.accept_below) },
    outdated,
  }
}

/** A selfie without any face. */
export const noFace = (engine: FaceEvidence['engine']): FaceEvidence => ({
  engine,
  faces_in_selfie: 0,
  face_width: null,
  usable: false,
  reference: null,
  distance: null,
  accept_below: faceThreshold.accept_below,
  reject_above: faceThreshold.reject_above,
  similarity: null,
  same_picture: false,
  reference_outdated: false,
  template: null,
})
