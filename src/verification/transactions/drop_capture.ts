import { featureDrops, featureSteps } from '../../features.ts'
import type { TransactionDeps } from './deps.ts'
import { sendFromDevice } from './send_capture.ts'
import { requireCapturing, type Session } from './session.ts'

/** Captures that a device may drop for a retake. */
export const droppableKinds = ['document_front', 'document_back', ...featureSteps, 'selfie', 'liveness'] as const

export type DroppableKind = (typeof droppableKinds)[number]

const dropEvents = {
  document_front: 'FRONT_DROPPED',
  document_back: 'BACK_DROPPED',
  ...featureDrops,
  selfie: 'SELFIE_DROPPED',
  liveness: 'CHALLENGE_DROPPED',
} as const satisfies Record<DroppableKind, string>

/** Drops a capture for a retake. @throws {ApiError} `not_allowed_in_state`, also if there is none */
export async function dropCapture(deps: TransactionDeps, session: Session, kind: DroppableKind): Promise<void> {
  requireCapturing(session)
  await sendFromDevice(deps, session, { type: dropEvents[kind] })
}
