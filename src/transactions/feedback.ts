import type { CaptureReference, TransactionContext } from '../../machines/transaction.ts'
import type { CaptureFeedback } from '../decision/capture_feedback.ts'
import type { CaptureName } from '../engines/port.ts'
import type { TransactionDeps } from './deps.ts'
import type { Session } from './session.ts'

/** A capture that was just stored. */
export interface StoredCapture {
  readonly session: Session
  /** After it was stored. */
  readonly context: TransactionContext
  readonly capture: CaptureName
  readonly content: Uint8Array
}

/** What the device side needs. */
export interface CaptureDeps extends TransactionDeps {
  /** Analyses a capture for a bounded time. Never rejects: without a finding there is nothing to say. */
  readonly giveFeedback: (stored: StoredCapture) => Promise<CaptureFeedback>
}

export interface HeldCapture {
  readonly capture: CaptureName
  readonly reference: CaptureReference
}

/** The images of a transaction by their names. */
export const listHeldCaptures = ({ front, back, selfie, challenge }: TransactionContext): readonly HeldCapture[] => {
  const frames = (challenge?.frames ?? []).map((frame, n) => [`frame_${n}`, frame] as const)
  const named = [['document_front', front] as const, ['document_back', back] as const, ['selfie', selfie] as const]
  return [...named, ...frames].flatMap(([capture, reference]) => (reference === null ? [] : [{ capture, reference }]))
}
