import type { QualityCheck } from '@attestor/rules'
import type { Appearance } from './appearance.ts'
import type { Expression } from './expression.ts'
import type { Face } from './faces.ts'
import { qualityThreshold as limit } from './thresholds.ts'

/** The measurements by which the quality of a selfie is judged. */
export interface MeasuredSelfie {
  readonly face: Face
  /** Mean absolute Laplacian of the aligned face. */
  readonly sharpness: number
  readonly expression: Expression
  readonly appearance: Appearance
}

type Limit = readonly [name: string, reason: QualityCheck['reason'], score: number, threshold: number]

function requireAtLeast([name, reason, score, threshold]: Limit): QualityCheck {
  return {
    name,
    reason,
    score,
    threshold,
    passes_when: 'at_least',
    passed: score >= threshold,
  }
}

function requireAtMost([name, reason, score, threshold]: Limit): QualityCheck {
  return {
    name,
    reason,
    score,
    threshold,
    passes_when: 'at_most',
    passed: score <= threshold,
  }
}

/**
 * Lists every requirement of a selfie to be compared, each with its score. The selfie is usable if every check passed.
 */
export function checkQuality({ face, sharpness, expression, appearance }: MeasuredSelfie): readonly QualityCheck[] {
  const { colourfulness, lipColour } = appearance
  const { yaw: turn, pitch, roll, eyeOpenings } = expression
  return [
    requireAtLeast(['face_width', 'TOO_SMALL', face.width, limit.minWidth]),
    requireAtMost(['turn', 'TURNED_AWAY', Math.abs(turn), limit.maxYaw]),
    requireAtMost(['pitch_up', 'TURNED_AWAY', pitch, limit.maxPitch]),
    requireAtMost(['roll', 'TURNED_AWAY', Math.abs(roll), limit.maxRoll]),
    requireAtLeast(['face_certainty', 'COVERED', face.landmarks.certainty, limit.minCertainty]),
    requireAtLeast(['mouth_contrast', 'COVERED', appearance.mouthContrast, limit.minMouthContrast]),
    // In a picture without colour the lips have none either.
    ...(colourfulness < limit.minColourfulness
      ? []
      : [requireAtLeast(['lip_colour', 'COVERED', lipColour, limit.minLipColour])]),
    requireAtLeast(['eyes_seen', 'COVERED', appearance.eyesSeen, limit.minEyesSeen]),
    requireAtMost(['lens_colour', 'COVERED', appearance.lensColour, limit.maxLensColour]),
    requireAtLeast(['eye_opening', 'EYES_CLOSED', Math.max(...(eyeOpenings ?? [])), limit.minEyeOpening]),
    requireAtLeast(['sharpness', 'BLURRED', sharpness, limit.minSharpness]),
  ]
}
