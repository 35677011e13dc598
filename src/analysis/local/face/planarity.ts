import type { Measured } from '../../port.ts'
import { solve } from '../document/homography.ts'
import { homographyResidual, span } from './geometry.ts'
import { type Landmarks, pointAt } from './landmarks.ts'
import type { Point } from './pixels.ts'
import { livenessThreshold } from './thresholds.ts'
import { oval_height, type UprightFace } from './upright.ts'

/**
 * What the best homography from one picture's landmarks leaves of the other's, in eye distances. Towards the frontal
 * face, whose eyes give the unit: a turn would foreshorten it.
 */
export const flatResidual = (frontal: Landmarks, other: Landmarks): number => {
  const eyes = span(pointAt(frontal, 'left_eye_outer'), pointAt(frontal, 'right_eye_outer'))
  return homographyResidual(other.points, frontal.points) / eyes
}

/**
 * The smallest residual of the homographies from the selfie's landmarks to those of each turned frame, in eye distances
 * of the selfie: every turn must be a solid head's. Null where no turn was seen.
 */
export const planarityOf = (selfie: Landmarks | null, turns: readonly Landmarks[]): Measured | null => {
  if (!selfie || turns.length === 0) return null
  const residuals = turns.map(turn => flatResidual(selfie, turn))
  return { score: Math.min(...residuals), threshold: livenessThreshold.planarity }
}

const quadratic = ([x, y]: Point): readonly number[] => [1, x, y, x * x, x * y, y * y]

/** Root mean square of what the quadratic map with the least squared error leaves of `to`, in the unit of `to`. */
const quadraticResidual = (from: readonly Point[], to: readonly Point[]): number => {
  const scale = oval_height / 2
  const rows = from.map(([x, y]) => quadratic([x / scale - 1, y / scale - 1]))
  const residual = (axis: 0 | 1): number => {
    const normal = Array.from({ length: 6 }, () => new Array<number>(7).fill(0))
    rows.forEach((row, i) => {
      const equation = [...row, to[i]?.[axis] ?? 0]
      normal.forEach((target, r) => {
        equation.forEach((value, c) => {
          target[c] = (target[c] ?? 0) + (equation[r] ?? 0) * value
        })
      })
    })
    const weights = solve(normal)
    if (!weights) return Number.POSITIVE_INFINITY
    return rows.reduce((sum, row, i) => {
      const mapped = row.reduce((value, term, k) => value + term * (weights[k] ?? 0), 0)
      return sum + (mapped - (to[i]?.[axis] ?? 0)) ** 2
    }, 0)
  }
  return Math.sqrt((residual(0) + residual(1)) / from.length)
}

/**
 * How far a head that turned both ways is from anything that is bent smoothly: a print that is bent round or folded
 * turns its landmarks as no flat one does, but between its two sides a quadratic map carries nearly all of them. In half
 * heights of the face. Null without both turns.
 */
export const reliefOf = (left: UprightFace | null, right: UprightFace | null): Measured | null =>
  left && right
    ? { score: quadraticResidual(left.points, right.points) / (oval_height / 2), threshold: livenessThreshold.relief }
    : null
