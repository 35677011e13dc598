import type { EmbeddingModel } from './embedding.ts'

/**
 * MobileFaceNet (Chen and others, 2018), trained with ArcFace's loss by the authors of sirius-ai/MobileFaceNet_TF
 * (Apache-2.0): 192 numbers. It is set on ArcFace's template in 112 pixels (insightface, face_align.py), which shows the
 * mirror-free picture: `points` begin at its left.
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
  // Of 52 webcam pictures, one of each person of nvlong21/face_anti_spoofing: 95 % upright have 56 or more, on their head 58 at most.
  uprightLength: 60,
  limits: {
    accept_below: { '0.01': 0.55, '0.001': 0.45, '0.0001': 0.4 },
    reject_above: 0.65,
    same_picture: 0.05,
    continuity: 0.55,
    nearest: 0.45,
    // bench/results/unseen-faces.md: at 0.35, 0.40, 0.45, 0.55 and 0.65 some 3.6, 1.5, 1.5, 1.2 and 1.1 times the measured rate.
    strangers: { mean: 1, deviation: 0.165 },
  },
}
