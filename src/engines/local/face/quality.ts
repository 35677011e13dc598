import type { QualityCheck } from '../../../decision/findings.ts'
import type { Appearance } from './appearance.ts'
import type { Expression } from './expression.ts'
import type { Face } from './faces.ts'
import { qualityThreshold as limit } from './thresholds.ts'

/** What the quality of a selfie is judged by. */
export interface MeasuredSelfie {
  readonly face: Face
  /** Mean absolute Laplacian of the aligned face. */
  readonly sharpness: number
  readonly expression: Expression
  readonly appearance: Appearance
}

type Limit = readonly [name: string, reason: QualityCheck['reason'], score: number, threshold: number]

const requireAtLeast = ([name, reason, score, threshold]: Limit): QualityCheck => ({
  name,
  reason,
  score,
  threshold,
  passes_when: 'at_least',
  passed: score >= threshold,
})

const requireAtMost = ([name, reason, score, threshold]: Limit): QualityCheck => ({
  name,
  reason,
  score,
  threshold,
  passes_when: 'at_most',
  passed: score <= threshold,
})

/** How light and how structured the eyes' surroundings are, the better one: a dark lens is neither. */
const measureEyeVisibility = ({ below_eyes, eye_contrast }: Appearance): number =>
  Math.max(...below_eyes) + 2 * Math.max(...eye_contrast)

/** Of two that stand beside each other, the smaller in the larger. */
const measureBalance = (pair: readonly [number, number]): number => Math.min(...pair) / (Math.max(...pair) || 1)

/** Everything that a selfie must be to be compared, each with its score. It is usable when every check passed. */
export const checkQuality = ({ face, sharpness, expression, appearance }: MeasuredSelfie): readonly QualityCheck[] => {
  const { colourfulness, lip_colour } = appearance
  const { yaw: turn, pitch, roll, eye_openings } = expression
  return [
    requireAtLeast(['face_width', 'TOO_SMALL', face.width, limit.min_width]),
    requireAtMost(['turn', 'TURNED_AWAY', Math.abs(turn), limit.max_turn]),
    requireAtMost(['pitch_up', 'TURNED_AWAY', pitch, limit.max_pitch]),
    requireAtLeast(['pitch_down', 'TURNED_AWAY', pitch, limit.min_pitch]),
    requireAtMost(['roll', 'TURNED_AWAY', Math.abs(roll), limit.max_roll]),
    requireAtLeast(['face_certainty', 'COVERED', face.landmarks.certainty, limit.min_certainty]),
    requireAtLeast(['mouth_contrast', 'COVERED', appearance.mouth_contrast, limit.min_mouth_contrast]),
    requireAtMost(['mouth_colour', 'COVERED', appearance.mouth_colour, limit.max_mouth_colour]),
    // Lips of a picture without colour have none either.
    ...(colourfulness < limit.min_colourfulness
      ? []
      : [requireAtLeast(['lip_colour', 'COVERED', lip_colour, limit.min_lip_colour])]),
    requireAtLeast(['eyes_seen', 'COVERED', measureEyeVisibility(appearance), limit.min_eyes_seen]),
    requireAtLeast(['eye_balance', 'COVERED', measureBalance(appearance.eye_contrast), limit.min_eye_balance]),
    requireAtLeast(['eye_opening', 'EYES_CLOSED', Math.max(...(eye_openings ?? [])), limit.min_eye_opening]),
    requireAtLeast(['sharpness', 'BLURRED', sharpness, limit.min_sharpness]),
  ]
}
