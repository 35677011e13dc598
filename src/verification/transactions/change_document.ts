import type { DeclaredDocument } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import type { TransactionDeps } from './deps.ts'
import { sendFromDevice } from './send_capture.ts'
import { maxJournalEntries, reopenSession, requireCapturing, type Session } from './session.ts'
import { describeSession, type SessionView } from './session_calls.ts'

/**
 * Declares another type of document and drops the captures of the previous one; their attempts stay counted. Declaring
 * the same type again changes nothing, so that a call may be repeated after a lost response.
 * @throws {ApiError} `not_allowed_in_state`
 */
export async function changeDocument(
  deps: TransactionDeps,
  session: Session,
  declared_document: DeclaredDocument,
): Promise<SessionView> {
  requireCapturing(session)
  const { context, row } = session
  if (context.transaction_type === 'BIOMETRIC_ONLY')
    throw new ApiError('not_allowed_in_state', 'document_type: this transaction needs no document')
  if (context.declared_document === declared_document) return describeSession(deps, session)
  if (row.version >= maxJournalEntries)
    throw new ApiError('not_allowed_in_state', 'document_type: was changed too often')
  await sendFromDevice(deps, session, { type: 'DOCUMENT_CHANGED', declared_document })
  return describeSession(deps, await reopenSession(deps, session))
}
