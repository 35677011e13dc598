import type { Expression } from '../../../../engines/local/face/expression.ts'
import type { MeasuredSelfie } from '../../../../engines/local/face/quality.ts'

/** What earlier pictures showed, which later ones are measured against, as the service does. */
export interface FaceMemory {
  selfie: MeasuredSelfie | null
  /** The frame that answered an open mouth. */
  mouth: Expression | null
}
