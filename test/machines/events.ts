import type { AnyEventObject } from 'xstate'
import type { DeliveryInput } from '../../machines/delivery.ts'
import type { TransactionInput, TransactionLimits } from '../../machines/transaction.ts'
import { deriveId } from '../../src/base/ids.ts'

/** Limits small enough that a few events exhaust them. Milliseconds, all different, so that no two are confused. */
export const limits: TransactionLimits = {
  ttl_ms: 3_600_000,
  capture_attempts: 2,
  challenge_attempts: 2,
  challenge_ms: 120_000,
  wallet: 'OFFER',
  wallet_ms: 180_000,
  attestation_ms: 90_000,
  analysis_attempts: 2,
  analysis_backoff_ms: 7_000,
  analysis_deadline_ms: 300_000,
  review_ms: 7_200_000,
  resubmissions: 1,
}

export const documentInput: TransactionInput = { transaction_type: 'DOCUMENT_AND_BIOMETRIC', limits }

export const deliveryInput: DeliveryInput = { schedule_ms: [0, 5_000, 400_000], has_turn: true }

function done(name: string, output: unknown): AnyEventObject {
  return {
    type: `xstate.done.actor.${name}`,
    output,
    actorId: name,
  }
}

function failed(name: string, code: string): AnyEventObject {
  return {
    type: `xstate.error.actor.${name}`,
    error: { code, message: 'for the test' },
    actorId: name,
  }
}

function timer(delay: string, state: string): AnyEventObject {
  return { type: `xstate.after.${delay}.${state}` }
}

const noCapture = '00000000-0000-0000-0000-000000000000'

/** Every event of the transaction chart, timers and job results included; `salt` makes each capture another one. */
export function transactionEvents(salt: number | string): readonly AnyEventObject[] {
  const capture = { capture_id: deriveId(noCapture, `${salt}`), digest: `digest-${salt}` }
  const frame = (challenge_id: string, position: number) => ({
    type: 'FRAME_CAPTURED',
    challenge_id,
    position,
    capture,
  })
  return [
    { type: 'START', declared_document: 'PASSPORT', facts: capture },
    { type: 'START', declared_document: 'ID_CARD', facts: capture },
    { type: 'DOCUMENT_CHANGED', declared_document: 'ID_CARD' },
    { type: 'DOCUMENT_CHANGED', declared_document: 'PASSPORT' },
    { type: 'SIGNALS', capture },
    { type: 'FRONT_CAPTURED', capture },
    { type: 'BACK_CAPTURED', capture },
    { type: 'SELFIE_CAPTURED', capture },
    { type: 'CHALLENGE_ISSUED', challenge_id: 'challenge', actions: ['TURN_LEFT', 'TURN_RIGHT'] },
    frame('challenge', 0),
    frame('challenge', 1),
    frame('challenge', 2),
    frame('another', 0),
    { type: 'CHIP_CHALLENGE_ISSUED', challenge_id: 'chip', nonce: '0102030405060708', expires_at: 0 },
    { type: 'CHIP_READ', challenge_id: null, capture },
    { type: 'CHIP_DROPPED' },
    { type: 'WALLET_REQUESTED', request_id: 'request', capture, expires_at: 0 },
    { type: 'WALLET_ANSWERED', request_id: 'request', capture },
    { type: 'WALLET_ANSWERED', request_id: 'another', capture },
    { type: 'WALLET_REFUSED', request_id: 'request', reason: 'UNREADABLE' },
    { type: 'WALLET_DROPPED' },
    { type: 'ATTESTATION_CHALLENGED', challenge_id: 'attestation', nonce: '0102030405060708', expires_at: 0 },
    { type: 'ATTESTED', challenge_id: 'attestation', capture },
    { type: 'ATTESTED', challenge_id: 'another', capture },
    { type: 'ATTESTATION_REFUSED', challenge_id: 'attestation', reason: 'is of another challenge' },
    { type: 'FRONT_DROPPED' },
    { type: 'BACK_DROPPED' },
    { type: 'SELFIE_DROPPED' },
    { type: 'CHALLENGE_DROPPED' },
    { type: 'HANDED_OFF' },
    { type: 'HANDED_BACK' },
    { type: 'COMPLETE' },
    { type: 'CANCEL' },
    { type: 'CANCEL', by: 'integrator', client_id: '01a1fca7-8a12-7284-bf28-0d0ce4c16fd2' },
    ...(['APPROVED', 'REJECTED'] as const).map(decision => ({
      type: 'REVIEWED',
      by: 'operator',
      operator_id: '01a1fca7-8a12-7284-bf28-0d0ce4c16fd3',
      decision,
      reason_sha256: 'a digest',
    })),
    timer('TTL', 'transaction.open'),
    timer('CHALLENGE_TTL', 'transaction.open.INITIATED.liveness.answering'),
    timer('WALLET_TTL', 'transaction.open.INITIATED.document.awaiting_wallet'),
    timer('ATTESTATION_TTL', 'transaction.open.INITIATED.attestation.challenged'),
    timer('ANALYSIS_DEADLINE', 'transaction.submitted.PROCESSING.under_analysis'),
    timer('ANALYSIS_BACKOFF', 'transaction.submitted.PROCESSING.under_analysis.backing_off'),
    timer('RESUBMISSION_DEADLINE', 'transaction.submitted.PROCESSING.awaiting_resubmission'),
    timer('REVIEW_DEADLINE', 'transaction.submitted.PROCESSING.awaiting_review'),
    done('admission', null),
    failed('admission', 'INTERNAL'),
    done('analysis', { decision: 'APPROVED' }),
    done('analysis', { decision: 'UNDETERMINED' }),
    done('analysis', { decision: 'REJECTED', resubmission: { parts: ['challenge'], expires_in_ms: 600_000 } }),
    failed('analysis', 'INTERNAL'),
    failed('analysis', 'CAPTURE_UNREADABLE'),
  ]
}

/** Every event of the delivery chart. */
export function deliveryEvents(): readonly AnyEventObject[] {
  return [
    { type: 'TURN' },
    { type: 'REDELIVER' },
    timer('RETRY', 'delivery.backing_off'),
    timer('RETRY', 'delivery.delayed'),
    done('attempt', { outcome: 'delivered', jitter: 0.5, retry_after_ms: null }),
    done('attempt', { outcome: 'failed', jitter: -1, retry_after_ms: null }),
    done('attempt', { outcome: 'failed', jitter: 1, retry_after_ms: 60_000 }),
    done('attempt', { outcome: 'failed', jitter: 0, retry_after_ms: 600_000 }),
    done('attempt', { outcome: 'gone', jitter: 0, retry_after_ms: null }),
    failed('attempt', 'INTERNAL'),
  ]
}

/** Events that no chart knows, and shapes that a hostile or older caller might send. */
export const strangeEvents: readonly AnyEventObject[] = [
  { type: 'NOTHING' },
  { type: '' },
  { type: '*' },
  { type: 'toString' },
  { type: '__proto__' },
  { type: 'xstate.init' },
  { type: 'xstate.stop' },
  { type: 'xstate.done.state.transaction.open' },
  { type: 'xstate.done.actor.' },
  { type: 'xstate.error.actor.nobody', error: null, actorId: 'nobody' },
  { type: 'xstate.after.TTL.elsewhere' },
]
