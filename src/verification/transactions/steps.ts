import type { TransactionContext } from '../../../machines/transaction.ts'

export type CaptureStep = 'document_front' | 'document_back' | 'selfie' | 'liveness'

export interface StepState {
  readonly step: CaptureStep
  readonly required: boolean
  readonly state: 'missing' | 'captured'
  readonly attempts_left: number
}

function isBackRequired(context: TransactionContext): boolean {
  return context.declared_document !== 'PASSPORT' && context.declared_document !== 'UNDECLARED'
}

/** All steps of the transaction's type, in their order. */
export function listSteps(context: TransactionContext): readonly StepState[] {
  const { takes, limits, challenge } = context
  const state = (taken: boolean): StepState['state'] => (taken ? 'captured' : 'missing')
  const picture = (step: CaptureStep, kind: 'front' | 'back' | 'selfie', required: boolean): StepState => ({
    step,
    required,
    state: state(context[kind] !== null),
    attempts_left: limits.capture_attempts - takes[kind],
  })
  const liveness: StepState = {
    step: 'liveness',
    required: true,
    state: state(challenge?.frames.every(frame => frame !== null) === true),
    attempts_left: limits.challenge_attempts - takes.challenge,
  }
  const face = [picture('selfie', 'selfie', true), liveness]
  return context.transaction_type === 'BIOMETRIC_ONLY'
    ? face
    : [picture('document_front', 'front', true), picture('document_back', 'back', isBackRequired(context)), ...face]
}

export function findMissingSteps(context: TransactionContext): readonly CaptureStep[] {
  return listSteps(context)
    .filter(({ required, state }) => required && state === 'missing')
    .map(({ step }) => step)
}

/** The next step for the person; null if nothing required is missing. */
export function findNextStep(context: TransactionContext): CaptureStep | null {
  return findMissingSteps(context)[0] ?? null
}
