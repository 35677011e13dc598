import type { AnalysisRequest, Evidence } from '../port.ts'

/** What the pool sends to a child: one analysis at a time, by structured clone (images are not copied into text). */
export interface Question {
  readonly id: number
  readonly request: AnalysisRequest
}

/** What a child says: that its models are warm, which stage of an analysis begins, or its end. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'evidence'; readonly id: number; readonly evidence: Evidence }
  | { readonly kind: 'stage'; readonly id: number; readonly stage: string }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }

/** A child's argument: read the printed text too. */
export const with_visual_zone = '--visual-zone'
