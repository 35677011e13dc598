import type { EmbeddingModel } from './embedding.ts'
import type { MeasuredLimit, MeasuredLoss } from './thresholds.ts'

/** Counts pairs of pictures of one person, of both halves: the one on which limits were set loses more. */
function ofPairs(lost: number, below: number): MeasuredLoss {
  return { set: 'unseen_faces', people: 396, tried: 1362, lost, below }
}

/** The distances that decide, with their cost: pairs of pictures of one person, and challenges. */
export const measuredDistances = {
  acceptAtHundredth: { limit: 0.55, loss: ofPairs(8, 1.15) },
  acceptAtThousandth: { limit: 0.45, loss: ofPairs(31, 3.21) },
  acceptAtTenThousandth: { limit: 0.4, loss: ofPairs(49, 4.72) },
  reject: { limit: 0.65, loss: ofPairs(0, 0.22) },
  /** `lost` are pairs of two pictures that are reported as one. */
  samePicture: { limit: 0.05, loss: { set: 'unseen_faces', people: 25, tried: 950, lost: 5, below: 1.23 } },
  continuity: { limit: 0.55, loss: { set: 'people_in_video', people: 66, tried: 834, lost: 0, below: 0.36 } },
  nearest: { limit: 0.45, loss: { set: 'people_in_video', people: 55, tried: 163, lost: 0, below: 1.84 } },
} as const satisfies Readonly<Record<string, MeasuredLimit>>

/**
 * MobileFaceNet (Chen and others, 2018), trained with ArcFace's loss by the authors of sirius-ai/MobileFaceNet_TF
 * (Apache-2.0): 192 numbers. Faces are laid on ArcFace's template of 112 pixels (insightface, face_align.py), which is
 * not mirrored: `points` begin at the picture's left.
 */
export const mobileFaceNet: EmbeddingModel = {
  name: 'mobilefacenet-192',
  side: 112,
  colours: 'RGB',
  mean: 127.5,
  divisor: 128,
  points: [
    [38.29, 51.7],
    [73.53, 51.5],
    [56.03, 71.74],
    [41.55, 92.37],
    [70.73, 92.2],
  ],
  // Measured on 52 webcam pictures, one of each person of nvlong21/face_anti_spoofing: 95 % upright have 56 or more, on
  // their head 58 at most.
  uprightLength: 60,
  limits: {
    accept_below: {
      '0.01': measuredDistances.acceptAtHundredth.limit,
      '0.001': measuredDistances.acceptAtThousandth.limit,
      '0.0001': measuredDistances.acceptAtTenThousandth.limit,
    },
    reject_above: measuredDistances.reject.limit,
    same_picture: measuredDistances.samePicture.limit,
    continuity: measuredDistances.continuity.limit,
    nearest: measuredDistances.nearest.limit,
    // At 0.35, 0.40, 0.45, 0.55 and 0.65 these give some 3.6, 1.5, 1.5, 1.2 and 1.1 times the measured rate
    // (lab/bench/results/unseen-faces.md).
    strangers: { mean: 1, deviation: 0.165 },
  },
}
