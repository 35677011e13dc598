import type { FaceEvidence, FaceTemplate, Measured } from '../../port.ts'
import { embeddingModel } from '../models.ts'
import { faceDistance } from './embedding.ts'

/**
 * Thresholds on dlib's distance. Measured between photographed passports and other photos of their holders: no false
 * match at `reject_above`, 2.6–3.9 % of honest ones above `accept_below`. Bias between groups was not measured.
 */
export const faceThreshold = {
  accept_below: 0.5,
  reject_above: 0.6,
  /**
   * Two different pictures of one person hardly come this near, and their landmarks differ by more than a homography:
   * 0.011–0.025 of the eye distance between pictures of one synthetic person, 0.002–0.012 between copies of one picture.
   */
  same_picture: 0.2,
  same_picture_residual: 0.01,
  /** A narrower face has too little detail for its distance to mean anything. */
  min_width_pixels: 80,
  /** A selfie turned further than this share of the way to a cheek compares badly. */
  max_turn: 0.6,
  /** Mean absolute Laplacian of the aligned face below which it is blurred. */
  min_sharpness: 1.5,
} as const

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
