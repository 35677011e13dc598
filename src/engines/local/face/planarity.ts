import type { Measured } from '../../../decision/findings.ts'
import { leastSquares } from '../../least_squares.ts'
import type { Point } from '../geometry/pixels.ts'
import { measureDistance, measureHomographyResidual } from '../geometry/similarity.ts'
import { getPoint, type Landmarks } from './landmarks.ts'
import { livenessThreshold } from './thresholds.ts'
import { ovalHeight, type UprightMap } from './upright.ts'

/**
 * The residual of the best homography from one picture's landmarks to the other's, in eye distances. It maps to the
 * frontal face, whose eyes give the unit: a turn would foreshorten it.
 */
export function measureFlatResidual(frontal: Landmarks, other: Landmarks): number {
  const eyes = measureDistance(getPoint(frontal, 'left_eye_outer'), getPoint(frontal, 'right_eye_outer'))
  return measureHomographyResidual(other.points, frontal.points) / eyes
}

/**
 * The smallest residual of the homographies from the selfie's landmarks to those of each turned frame, in eye distances
 * of the selfie: every turn must be a solid head's. Null where no turn was seen.
 */
export function measurePlanarity(selfie: Landmarks | null, turns: readonly Landmarks[]): Measured | null {
  if (!selfie || turns.length === 0) return null
  const residuals = turns.map(turn => measureFlatResidual(selfie, turn))
  return { score: Math.min(...residuals), threshold: livenessThreshold.planarity }
}

/** Cubic along the eyes' line and linear across it: any movement of a sheet of paper is close to such a map. */
function sheetTerms([x, y]: Point): readonly number[] {
  return [1, x, x * x, x ** 3, y, x * y]
}

/**
 * Root mean square of the residuals along the eyes' line, in half heights of the face, of the sheet's map that best
 * carries `from` onto `to`.
 */
function measureSheetResidual({ points: from }: UprightMap, { points: to }: UprightMap): number {
  const scale = ovalHeight / 2
  const rows = from.map(([x, y]) => sheetTerms([x / scale - 1, y / scale - 1]))
  const places = to.map(([x]) => x / scale)
  const weights = leastSquares(rows.map((row, i) => [...row, places[i] ?? 0]))
  if (!weights) return Number.POSITIVE_INFINITY
  const squares = rows.map((row, i) => {
    const mapped = row.reduce((value, term, k) => value + term * (weights[k] ?? 0), 0)
    return (mapped - (places[i] ?? 0)) ** 2
  })
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
}

/**
 * How far a head that turned both ways is from a sheet, mean of both turns, in half heights of the face. A bent or
 * folded print moves its landmarks as no flat one does, but points above each other stay above each other; a nose moves
 * away from the points above and below it. Null without a selfie and both turns.
 */
export function measureRelief(
  selfie: UprightMap | null,
  left: UprightMap | null,
  right: UprightMap | null,
): Measured | null {
  if (!selfie || !left || !right) return null
  const score = (measureSheetResidual(selfie, left) + measureSheetResidual(selfie, right)) / 2
  return { score, threshold: livenessThreshold.relief }
}
