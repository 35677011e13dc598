import type { QualityCheck } from '../../port.ts'
import type { Appearance } from './appearance.ts'
import type { Expression } from './expression.ts'
import { qualityThreshold as limit } from './thresholds.ts'

/** What the quality of a selfie is judged by. */
export interface SelfieLook {
  /** Cheek to cheek in pixels. */
  readonly width: number
  /** Mean absolute Laplacian of the aligned face. */
  readonly sharpness: number
  readonly expression: Expression
  readonly appearance: Appearance
}

type Limit = readonly [name: string, reason: QualityCheck['reason'], score: number, threshold: number]

const least = ([name, reason, score, threshold]: Limit): QualityCheck => ({
  name,
  reason,
  score,
  threshold,
  passed: score >= threshold,
})

const most = ([name, reason, score, threshold]: Limit): QualityCheck => ({
  name,
  reason,
  score,
  threshold,
  passed: score <= threshold,
})

/** Everything that a selfie must be to be compared, each with its score. It is usable when every check passed. */
export const checkQuality = ({ width, sharpness, expression, appearance }: SelfieLook): readonly QualityCheck[] => {
  const { eye_contrast, eye_light } = appearance
  const balance = Math.min(...eye_contrast) / (Math.max(...eye_contrast) || 1)
  // Eyes without an opening are shut, or behind dark glasses.
  const why = Math.max(...eye_light) < limit.dark_eyes ? 'COVERED' : 'EYES_CLOSED'
  return [
    least(['face_width', 'TOO_SMALL', width, limit.min_width]),
    most(['turn', 'TURNED_AWAY', Math.abs(expression.turn), limit.max_turn]),
    most(['pitch_up', 'TURNED_AWAY', expression.pitch, limit.max_pitch]),
    least(['pitch_down', 'TURNED_AWAY', expression.pitch, limit.min_pitch]),
    most(['roll', 'TURNED_AWAY', Math.abs(expression.roll), limit.max_roll]),
    least(['mouth_contrast', 'COVERED', appearance.mouth_contrast, limit.min_mouth_contrast]),
    most(['mouth_colour', 'COVERED', appearance.mouth_colour, limit.max_mouth_colour]),
    least(['lip_colour', 'COVERED', appearance.lip_colour, limit.min_lip_colour]),
    most(['below_eyes_colour', 'COVERED', appearance.below_eyes_colour, limit.max_below_eyes_colour]),
    least(['eye_balance', 'COVERED', balance, limit.min_eye_balance]),
    least(['eye_opening', why, expression.eye_opening, limit.min_eye_opening]),
    least(['sharpness', 'BLURRED', sharpness, limit.min_sharpness]),
  ]
}
