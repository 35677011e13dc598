import type { CaptureReference, DeclaredDocument, TransactionStatus } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { describeFeatures, listStepsAfter } from '../../features.ts'
import { readAdvice } from './advice.ts'
import type { TransactionDeps } from './deps.ts'
import { isCapturer, requireCapturer } from './device_checks.ts'
import { actorNow, parseConfig } from './rows.ts'
import { isRejected, sendCapture, sendFromDevice } from './send_capture.ts'
import {
  findWaitingFor,
  isCapturing,
  maxJournalEntries,
  reopenSession,
  requireCapturing,
  type Session,
} from './session.ts'
import { type DeviceFacts, type SignalsCall, toFactsCapture } from './signals.ts'
import { findMissingSteps, findNextStep, listSteps } from './steps.ts'

/** The response to `GET /`, without the media limits that the HTTP layer adds. */
export async function describeSession(deps: TransactionDeps, session: Session) {
  const { transaction_id, status, context, row } = session
  const config = parseConfig(row)
  const { locale, redirect_url, device_policy } = config
  const may_capture = isCapturer(session, context)
  const now = actorNow(deps, row)
  const described = { store: deps.store, transaction_id, status, context, config, may_capture, now }
  return {
    transaction_id,
    status,
    transaction_type: context.transaction_type,
    document_type: context.declared_document === 'UNDECLARED' ? null : context.declared_document,
    steps: [...listSteps(context), ...listStepsAfter(described)],
    ...(await describeFeatures(described)),
    next_step: isCapturing(session) ? findNextStep(context) : null,
    ...(await readAdvice(deps, session)),
    locale,
    // Whether the location can change the decision. A browser knows no simulated one.
    asks_location: device_policy.on_gps_ip_location_mismatch === 'REJECT',
    redirect_url,
    waiting_for: findWaitingFor(session),
    may_capture,
    version: row.version,
    expires_at: isoTimestamp(session.expires_at),
    server_time: isoTimestamp(now),
  }
}

export type SessionView = Awaited<ReturnType<typeof describeSession>>

/** A validated call of `POST /start`. */
export interface StartCall extends DeviceFacts {
  readonly document_type: DeclaredDocument
}

/** Idempotent: the facts of the first call stay. */
export async function startSession(deps: TransactionDeps, session: Session, call: StartCall): Promise<SessionView> {
  requireCapturer(session, session.context)
  if (session.status === 'INITIATED') return describeSession(deps, session)
  const { document_type: declared_document, ...deviceFacts } = call
  const capturing = toFactsCapture('facts', deviceFacts)
  const toEvent = (facts: CaptureReference) => ({ type: 'START', declared_document, facts }) as const
  try {
    const { status, version, step } = await sendCapture(deps, session, capturing, toEvent)
    return await describeSession(deps, { ...session, status, context: step.context, row: { ...session.row, version } })
  } catch (error) {
    const now = isRejected(error) ? await reopenSession(deps, session) : null
    if (now?.status !== 'INITIATED') throw error
    return describeSession(deps, now)
  }
}

/** The last call before completion wins. @throws {ApiError} `not_allowed_in_state` */
export async function putSignals(deps: TransactionDeps, session: Session, signals: SignalsCall): Promise<void> {
  requireCapturing(session)
  if (session.row.version >= maxJournalEntries)
    throw new ApiError('not_allowed_in_state', 'signals: were sent too often')
  const capturing = toFactsCapture('signals', signals)
  await sendCapture(deps, session, capturing, capture => ({ type: 'SIGNALS', capture }))
}

function isSubmitted(session: Session): boolean {
  return !isCapturing(session) && ['COMPLETED', 'PROCESSING', 'FINISHED'].includes(session.status)
}

/** Idempotent. @throws {ApiError} `not_allowed_in_state`, which names the missing steps */
export async function completeSession(deps: TransactionDeps, session: Session): Promise<{ submitted: true }> {
  requireCapturer(session, session.context)
  if (isSubmitted(session)) return { submitted: true }
  requireCapturing(session)
  const missing = findMissingSteps(session.context)
  if (missing.length > 0) throw new ApiError('not_allowed_in_state', `steps: ${missing.join(', ')} missing`)
  try {
    await sendFromDevice(deps, session, { type: 'COMPLETE' })
  } catch (error) {
    if (!isRejected(error) || !isSubmitted(await reopenSession(deps, session))) throw error
  }
  return { submitted: true }
}

/** `final` ends the transaction as FAILED/CANCELLED; without it the person may continue later. */
export async function cancelSession(
  deps: TransactionDeps,
  session: Session,
  final: boolean,
): Promise<{ status: TransactionStatus }> {
  if (!final || session.context.failure === 'CANCELLED') return { status: session.status }
  const { status } = await sendFromDevice(deps, session, { type: 'CANCEL' })
  return { status }
}
