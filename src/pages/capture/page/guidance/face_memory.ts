import type { Expression } from '../../../../engines/local/face/expression.ts'

/** What earlier pictures showed, which later ones are measured against, as the service does. */
export interface FaceMemory {
  selfie: Expression | null
  /** The frame that answered an open mouth. */
  mouth: Expression | null
}
