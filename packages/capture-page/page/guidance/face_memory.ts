import type { Expression, MeasuredSelfie } from '@attestor/vision/guidance'

/** What earlier pictures showed, which later ones are measured against, as the service does. */
export interface FaceMemory {
  selfie: MeasuredSelfie | null
  /** The frame that answered an open mouth. */
  mouth: Expression | null
}
