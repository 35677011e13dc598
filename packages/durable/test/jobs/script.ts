import type { TransactionEvent } from '../../../../machines/transaction.ts'
import type { LanePolicy } from '../../jobs/handler.ts'

export const leaseMs = 9_000
export const pollMs = 60_000

/** The output of each queue's job when it succeeds. */
export const outputs: Readonly<Record<string, unknown>> = {
  admission: null,
  analysis: { decision: 'APPROVED' },
  attempt: { outcome: 'delivered', jitter: 0, retry_after_ms: null },
}

const capture = { capture_id: '00000000-0000-4000-8000-000000000000', digest: 'd' }

/** The events that take a BIOMETRIC_ONLY transaction from CREATED to COMPLETED. */
export const untilComplete: readonly [TransactionEvent, ...TransactionEvent[]] = [
  { type: 'START', declared_document: 'UNDECLARED', facts: capture },
  { type: 'SELFIE_CAPTURED', capture },
  { type: 'CHALLENGE_ISSUED', challenge_id: 'c', actions: ['TURN_LEFT'], expires_at: 0 },
  { type: 'FRAME_CAPTURED', challenge_id: 'c', position: 0, capture },
  { type: 'COMPLETE' },
]

/** Serves every lane while there are free handlers. */
export const everyLane: LanePolicy = {
  share: ({ lanes, free }) => ({
    portions: lanes.map(({ lane }) => ({ lane, limit: free })),
    again_at: Math.min(...lanes.map(({ ready_at }) => ready_at)),
  }),
  admits: () => true,
}
