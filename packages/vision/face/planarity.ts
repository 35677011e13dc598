import type { Measured } from '@attestor/rules'
import { measureDistance, measureHomographyResidual } from '../geometry/similarity.ts'
import { getPoint, type Landmarks } from './landmarks.ts'
import { livenessThreshold } from './thresholds.ts'

/**
 * Measures the residual of the best homography from one picture's landmarks to the other's, in eye distances. It maps
 * to the frontal face, whose eyes give the unit: a turn would foreshorten it.
 */
export function measureFlatResidual(frontal: Landmarks, other: Landmarks): number {
  const eyes = measureDistance(getPoint(frontal, 'left_eye_outer'), getPoint(frontal, 'right_eye_outer'))
  return measureHomographyResidual(other.points, frontal.points) / eyes
}

/**
 * Measures the smallest residual of the homographies from the selfie's landmarks to those of each turned frame, in eye
 * distances of the selfie: every turn must be a solid head's. Null if no turn was seen.
 */
export function measurePlanarity(selfie: Landmarks | null, turns: readonly Landmarks[]): Measured | null {
  if (!selfie || turns.length === 0) return null
  const residuals = turns.map(turn => measureFlatResidual(selfie, turn))
  return { score: Math.min(...residuals), threshold: livenessThreshold.planarity }
}
