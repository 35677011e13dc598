import type { FaceTemplate, LivenessAction, Measured } from '../../port.ts'
import { faceDistance } from './embedding.ts'
import { homographyResidual, span } from './geometry.ts'
import { type Landmarks, pointAt } from './landmarks.ts'

/** What a face does in one picture, from its landmarks, free of the head's tilt and of its size. */
export interface Expression {
  /** Nose between the cheeks: -1 at the picture's left cheek, 1 at its right one, beyond them in a profile. */
  readonly turn: number
  /** Height of the eyes' opening over their width, mean of both. */
  readonly eyes_open: number
  /** Gap of the inner lips over the mouth's width. */
  readonly mouth_open: number
  /** Where the nose's tip is between the eyes' line (0) and the chin (1): smaller when looking up. */
  readonly nose_height: number
}

/** The selfie or one frame of a challenge, as far as liveness cares. */
export interface LookedAt {
  readonly landmarks: Landmarks
  readonly template: FaceTemplate
}

/**
 * Thresholds; those of turn, planarity and continuity were measured on photographs: with both turns none of 62 tilted
 * photos passed and 2.5 % of honest turns were lost. A video replay or an injected stream passes all of them.
 */
export const livenessThreshold = {
  /** A turn takes the nose half way from the middle to a cheek. */
  turn: 0.5,
  /** Eyes are shut at this share of how far they were open in the selfie; at rest it stays above 0.89. */
  blink: 0.75,
  /** The mouth is open at this gap, and at least this much more than in the selfie. */
  mouth: 0.25,
  mouth_rise: 0.12,
  /** The nose rises by this share of the way from chin to eyes. */
  look_up: 0.08,
  /** Residual of the best homography in eye distances; a flat picture stays below. */
  planarity: 0.05,
  /** Distance of a frame's face to the selfie's; more is another person. */
  continuity: 0.62,
} as const

/** Measures a face. */
export const expressionOf = (landmarks: Landmarks): Expression => {
  const at = (name: Parameters<typeof pointAt>[1]) => pointAt(landmarks, name)
  const [left, right] = [at('left_cheek'), at('right_cheek')]
  const [leftEye, rightEye] = [at('left_eye_outer'), at('right_eye_outer')]
  // Along the line of the eyes, so that a tilted head measures like an upright one.
  const length = span(leftEye, rightEye) || 1
  const [ux, uy] = [(rightEye[0] - leftEye[0]) / length, (rightEye[1] - leftEye[1]) / length]
  const along = ([x, y]: readonly [number, number]): number => x * ux + y * uy
  const down = ([x, y]: readonly [number, number]): number => y * ux - x * uy
  const eye = (side: 'left' | 'right'): number =>
    span(at(`${side}_eye_top`), at(`${side}_eye_bottom`)) /
    (span(at(`${side}_eye_outer`), at(`${side}_eye_inner`)) || 1)
  const nose = along(at('nose_tip'))
  const eyeLine = (down(leftEye) + down(rightEye)) / 2
  return {
    turn: (2 * nose - along(left) - along(right)) / (along(right) - along(left) || 1),
    eyes_open: (eye('left') + eye('right')) / 2,
    mouth_open: span(at('upper_lip'), at('lower_lip')) / (span(at('mouth_left'), at('mouth_right')) || 1),
    nose_height: (down(at('nose_tip')) - eyeLine) / (down(at('chin')) - eyeLine || 1),
  }
}

/**
 * Whether a frame shows what was asked for. A picture is not mirrored: a person's own left is the picture's right.
 * Without a selfie's face to compare with, null for what is judged by comparison.
 */
export const showsAction = (action: LivenessAction, frame: Expression, selfie: Expression | null): boolean | null => {
  const limit = livenessThreshold
  if (action === 'TURN_LEFT') return frame.turn >= limit.turn
  if (action === 'TURN_RIGHT') return frame.turn <= -limit.turn
  if (!selfie) return null
  if (action === 'BLINK') return frame.eyes_open <= limit.blink * selfie.eyes_open
  if (action === 'OPEN_MOUTH') {
    return frame.mouth_open >= limit.mouth && frame.mouth_open >= selfie.mouth_open + limit.mouth_rise
  }
  return frame.nose_height <= selfie.nose_height - limit.look_up
}

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
export const planarityOf = (selfie: LookedAt | null, turns: readonly LookedAt[]): Measured | null => {
  if (!selfie || turns.length === 0) return null
  const residuals = turns.map(turn => flatResidual(selfie.landmarks, turn.landmarks))
  return { score: Math.min(...residuals), threshold: livenessThreshold.planarity }
}

/** The largest distance of a frame's face to the selfie's. Null where there is nothing to compare. */
export const continuityOf = (selfie: LookedAt | null, frames: readonly LookedAt[]): Measured | null => {
  if (!selfie || frames.length === 0) return null
  const distances = frames.map(frame => faceDistance(frame.template, selfie.template))
  return { score: Math.max(...distances), threshold: livenessThreshold.continuity }
}
