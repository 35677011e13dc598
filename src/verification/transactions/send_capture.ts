import type { ActorState, Statement } from 'durable-xstate-sql'
import type { CaptureReference, TransactionEvent } from '../../../machines/transaction.ts'
import { toApiError } from '../../base/api_error.ts'
import type { NewCapture } from '../captures/new_capture.ts'
import type { DeviceCall, TransactionActor, UploadedImage } from './actor.ts'
import type { TransactionDeps } from './deps.ts'
import { reopenSession, type Session } from './session.ts'

/** A capture to store. */
export interface NewSessionCapture extends Omit<NewCapture, 'account_id' | 'transaction_id'> {
  readonly image?: UploadedImage
}

/** Whether the chart rejected the event; nothing has changed then. */
export function isRejected(error: unknown): boolean {
  return toApiError(error)?.code === 'not_allowed_in_state'
}

interface CaptureOptions extends Omit<DeviceCall, 'device'> {
  readonly writes?: readonly Statement[]
}

/**
 * Sends an event of the session's device. Its commit deletes the captures that the event replaces or drops.
 * @throws {ApiError} `not_allowed_in_state`, also where another device has taken the capture over
 */
export function sendFromDevice(
  deps: TransactionDeps,
  { transaction_id, device, row }: Session,
  event: TransactionEvent,
  { writes = [], ...checked }: CaptureOptions = {},
): Promise<ActorState<TransactionActor>> {
  return deps.host.send(deps.definition, transaction_id, event, {
    procedure: { name: 'acceptFromDevice', params: { device, ...checked } },
    writes,
    known: row,
  })
}

/**
 * One commit stores the capture's row and sends the event that refers to it. So neither a crash nor an error leaves an
 * image that no snapshot names, except an object in a bucket, which is deleted later.
 * @throws {ApiError} `not_allowed_in_state`, `gone` if the transaction was erased, `unusable_capture` for an image that
 * is held already, `unavailable`
 */
export async function sendCapture(
  deps: TransactionDeps,
  session: Session,
  { image, ...capture }: NewSessionCapture,
  toEvent: (reference: CaptureReference) => TransactionEvent,
): Promise<ActorState<TransactionActor>> {
  const { account_id, transaction_id, row } = session
  const hasOwnKey = row.capture_key !== null
  const owned = { account_id, transaction_id, ...capture, ...(hasOwnKey ? { digest: 'KEYED' as const } : {}) }
  const { reference, usableUntil, writes } = await deps.captures.prepare(session.key, owned)
  try {
    return await sendFromDevice(deps, session, toEvent(reference), { ...(image && { image }), usableUntil, writes })
  } catch (error) {
    if (isRejected(error)) await reopenSession(deps, session)
    throw error
  }
}
