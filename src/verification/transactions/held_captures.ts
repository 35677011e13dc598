import type { CaptureName } from '@attestor/vision'
import type { CaptureReference, TransactionContext } from '../../../machines/transaction.ts'

export interface HeldCapture {
  readonly capture: CaptureName
  readonly reference: CaptureReference
}

/** The images of a transaction by their names. */
export function listHeldCaptures({ front, back, selfie, challenge }: TransactionContext): readonly HeldCapture[] {
  const frames = (challenge?.frames ?? []).map((frame, n) => [`frame_${n}`, frame] as const)
  const named = [['document_front', front] as const, ['document_back', back] as const, ['selfie', selfie] as const]
  return [...named, ...frames].flatMap(([capture, reference]) => (reference === null ? [] : [{ capture, reference }]))
}
