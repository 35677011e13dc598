import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { type CaptureInput, captureMachine } from '../../machines/capture.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { type TransactionContext, type TransactionInput, transactionMachine } from '../../machines/transaction.ts'
import { madeOnce } from '../made_once.ts'
import { captureEvents, captureSummary } from './capture_events.ts'
import { deliveryEvents, deliveryInput, documentInput, limits, transactionEvents } from './events.ts'
import { type GeneratedPath, generatePaths } from './paths.ts'

/** The charts, the code that walks them, and all that these import. */
const sources = ['machines/*.ts', 'test/machines/*.ts', 'packages/{durable,rules}/**/*.ts', 'src/base/*.ts']

/** Whether the chip is the only capture. It does not affect the others, so paths distinguish it only before them. */
function hasChipAlone({ chip, front, selfie, signals, challenge }: TransactionContext): boolean {
  return chip != null && front === null && selfie === null && signals === null && challenge === null
}

/** Whether pictures wait for the outcome of a request to a wallet. */
function hasBoth({ wallet_request, wallet, front, selfie, signals, challenge }: TransactionContext): boolean {
  const isAlone = selfie === null && signals === null && challenge === null
  return isAlone && wallet_request !== null && wallet === null && front !== null
}

function summary(context: TransactionContext): unknown {
  const { declared_document, challenge, analysis_attempt, resubmission } = context
  const frames = challenge?.frames.filter(frame => frame !== null).length
  return [declared_document, frames, analysis_attempt, resubmission?.parts, hasChipAlone(context), hasBoth(context)]
}

const transactionInputs: readonly TransactionInput[] = [documentInput, { transaction_type: 'BIOMETRIC_ONLY', limits }]

/**
 * Whether a path goes on after an event. An attestation does not affect captures: paths walk through it before any of
 * them, and only begin it in each other state.
 */
function attestsAlone({ context }: AnyMachineSnapshot, { type }: AnyEventObject): boolean {
  const { front, selfie, signals, chip, challenge, attestation_challenge, takes } = context as TransactionContext
  const isOfAttestation = type === 'ATTESTED' || type.startsWith('ATTESTATION_') || type.includes('ATTESTATION_TTL')
  const isFirst = [front, selfie, signals, chip, challenge].every(one => one === null)
  if (isOfAttestation) return isFirst && (type !== 'ATTESTATION_CHALLENGED' || takes.attestation === 0)
  return attestation_challenge === null
}

/** The paths of a transaction that the tests choose from, of either type. */
export function transactionPaths(): readonly GeneratedPath[] {
  return madeOnce('transaction_paths', sources, () =>
    transactionInputs.flatMap(input =>
      generatePaths(transactionMachine as AnyStateMachine, input, transactionEvents('a'), summary, attestsAlone),
    ),
  )
}

/** The paths of a delivery, whether it has to wait for its turn or not. */
export function deliveryPaths(): readonly GeneratedPath[] {
  return [true, false].flatMap(has_turn =>
    generatePaths(
      deliveryMachine as AnyStateMachine,
      { ...deliveryInput, has_turn },
      deliveryEvents(),
      ({ attempt }: { attempt: number }) => attempt,
    ),
  )
}

const captureInputs: readonly CaptureInput[] = [
  { is_desktop: true, by_handoff: false, has_code: false, is_embedded: true },
  { is_desktop: false, by_handoff: true, has_code: true, is_embedded: false },
]

/** The paths of a person through the capture page, in a frame on a desktop or on a phone that was handed the capture. */
export function capturePaths(): readonly GeneratedPath[] {
  return madeOnce('capture_paths', sources, () =>
    captureInputs.flatMap(input =>
      generatePaths(captureMachine as AnyStateMachine, input, captureEvents, captureSummary),
    ),
  )
}
