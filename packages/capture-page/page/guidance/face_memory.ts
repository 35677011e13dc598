import type { Expression, MeasuredSelfie } from '@attestor/vision/guidance'

/** Measurements of earlier pictures, with which later ones are compared, as the service does. */
export interface FaceMemory {
  selfie: MeasuredSelfie | null
  /** The frame that answered an open mouth. */
  mouth: Expression | null
}
