import { getFrames } from './capture.ts'
import type { TransactionDeps } from './deps.ts'
import { createRemovalWrites, type SelectCaptures, sendFromDevice } from './send_capture.ts'
import { requireCapturing, type Session } from './session.ts'

/** Captures that a device may drop for a retake. */
export type DroppableKind = 'document_front' | 'document_back' | 'selfie' | 'liveness'

const dropEvents = {
  document_front: { event: 'FRONT_DROPPED', held: context => [context.front] },
  document_back: { event: 'BACK_DROPPED', held: context => [context.back] },
  selfie: { event: 'SELFIE_DROPPED', held: context => [context.selfie] },
  liveness: { event: 'CHALLENGE_DROPPED', held: getFrames },
} as const satisfies Record<DroppableKind, { readonly event: string; readonly held: SelectCaptures }>

/** Drops a capture for a retake. @throws {ApiError} `not_allowed_in_state`, also if there is none */
export const dropCapture = async (deps: TransactionDeps, session: Session, kind: DroppableKind): Promise<void> => {
  requireCapturing(session)
  const writes = createRemovalWrites(deps, dropEvents[kind].held)
  await sendFromDevice(deps, session, { type: dropEvents[kind].event }, writes)
}
