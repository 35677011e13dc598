import type { CapturePart } from '@attestor/rules'
import type { StepProgress } from '../../../machines/capture.ts'
import {
  countTakesLeft,
  isAnswered,
  isBackRequired,
  type TransactionContext,
  takesFace,
  takesPhotographs,
} from '../../../machines/transaction.ts'
import { type FeatureStep, listStepsBefore } from '../../features.ts'

export type CaptureStep = StepProgress['step']

/** The captures of a transaction: pictures, and those of features. */
export type CaptureKind = CaptureStep | FeatureStep

/** All steps of the transaction's type, in their order. */
export function listSteps(context: TransactionContext): readonly StepProgress[] {
  const askedAgain = context.resubmission?.parts ?? []
  const stateOf = (part: CapturePart | 'challenge', taken: boolean): StepProgress['state'] =>
    taken && !askedAgain.includes(part) ? 'captured' : 'missing'
  const picture = (step: CaptureStep, kind: CapturePart, required: boolean): StepProgress => ({
    step,
    required,
    state: stateOf(kind, context[kind] !== null),
    attempts_left: countTakesLeft(context, kind),
  })
  const liveness: StepProgress = {
    step: 'liveness',
    required: true,
    state: stateOf('challenge', isAnswered(context.challenge)),
    attempts_left: countTakesLeft(context, 'challenge'),
  }
  const face = takesFace(context) ? [picture('selfie', 'selfie', true), liveness] : []
  const pictures = takesPhotographs(context)
    ? [picture('document_front', 'front', true), picture('document_back', 'back', isBackRequired(context))]
    : []
  return [...listStepsBefore(context), ...pictures, ...face]
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
