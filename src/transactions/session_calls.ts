import type { CaptureReference, DeclaredDocument } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp, wait } from '../base/clock.ts'
import type { ResultData } from '../decision/judge.ts'
import type { TransactionConfig } from './config.ts'
import type { TransactionDeps } from './deps.ts'
import { isTerminal } from './definition.ts'
import { actorNow } from './rows.ts'
import { isRejected, sendCapture } from './send_capture.ts'
import { reopenSession, requireCapturing, type Session } from './session.ts'
import { type DeviceFacts, toFactsCapture, type SignalsCall } from './signals.ts'
import { findMissingSteps, findNextStep, type CaptureStep, type StepState, listSteps } from './steps.ts'
import { readResult } from './transactions.ts'

/** decisions.md, "Device side": `GET /`, but for the media limits that the front door knows. */
export interface SessionView {
  readonly transaction_id: string
  readonly status: string
  readonly transaction_type: string
  readonly steps: readonly StepState[]
  readonly next_step: CaptureStep | null
  /** The person's language, as the integrator named it: for whatever speaks to them. */
  readonly locale: string | null
  readonly expires_at: string
  readonly server_time: string
}

/** What the transaction looks like from the device. */
export const describeSession = (deps: TransactionDeps, session: Session): SessionView => ({
  transaction_id: session.transaction_id,
  status: session.status,
  transaction_type: session.context.transaction_type,
  steps: listSteps(session.context),
  next_step: session.status === 'INITIATED' ? findNextStep(session.context) : null,
  locale: (JSON.parse(session.row.config) as TransactionConfig).locale ?? null,
  expires_at: isoTimestamp(session.expires_at),
  server_time: isoTimestamp(actorNow(deps, session.row)),
})

/** A checked call of `POST /start`. */
export interface StartCall extends DeviceFacts {
  readonly document_type: DeclaredDocument
}

/** spec, "SDK starts the session on the device". Idempotent: what the first call told stays. */
export const startSession = async (deps: TransactionDeps, session: Session, call: StartCall): Promise<SessionView> => {
  if (session.status === 'INITIATED') return describeSession(deps, session)
  const { document_type: declared_document, ...told } = call
  const capturing = toFactsCapture('facts', told)
  const eventOf = (facts: CaptureReference) => ({ type: 'START', declared_document, facts }) as const
  try {
    const { status, step } = await sendCapture(deps, session, capturing, eventOf)
    return describeSession(deps, { ...session, status, context: step.context })
  } catch (error) {
    const now = isRejected(error) ? await reopenSession(deps, session) : null
    if (now?.status !== 'INITIATED') throw error
    return describeSession(deps, now)
  }
}

/** Every other call of a device is bounded by its takes; each of these is an entry of the journal for good, too. */
const maxJournalEntries = 2000

/** The last write before completion wins. @throws {ApiError} `not_allowed_in_state` */
export const putSignals = async (deps: TransactionDeps, session: Session, signals: SignalsCall): Promise<void> => {
  requireCapturing(session)
  if (session.row.version >= maxJournalEntries) throw new ApiError('not_allowed_in_state', 'signals: were told too often')
  const capturing = toFactsCapture('signals', signals)
  await sendCapture(deps, session, capturing, capture => ({ type: 'SIGNALS', capture }))
}

const isSubmitted = ({ status }: Session): boolean => ['COMPLETED', 'PROCESSING', 'FINISHED'].includes(status)

/** spec, "User finishes capture". The same answer when repeated. @throws {ApiError} `not_allowed_in_state` naming what is missing */
export const completeSession = async (deps: TransactionDeps, session: Session): Promise<{ submitted: true }> => {
  if (isSubmitted(session)) return { submitted: true }
  requireCapturing(session)
  const missing = findMissingSteps(session.context)
  if (missing.length > 0) throw new ApiError('not_allowed_in_state', `steps: ${missing.join(', ')} missing`)
  try {
    await deps.host.send(deps.definition, session.transaction_id, { type: 'COMPLETE' })
  } catch (error) {
    if (!isRejected(error) || !isSubmitted(await reopenSession(deps, session))) throw error
  }
  return { submitted: true }
}

/** What the result screen may know: never scores, never why. */
export interface SessionResult {
  readonly status: string
  readonly outcome: ResultData['decision'] | null
}

const readSessionResult = async (deps: TransactionDeps, session: Session): Promise<SessionResult> => {
  const { status, row } = await reopenSession(deps, session)
  return { status, outcome: (await readResult(deps, row))?.decision ?? null }
}

/** Another node's commit is not heard here; it is seen after this long. */
const rereadMs = 1000

/** Long poll: answers as soon as the transaction has ended, at the latest after `wait_ms`. */
export const waitForResult = async (
  deps: TransactionDeps,
  session: Session,
  wait_ms: number,
  signal: AbortSignal,
): Promise<SessionResult> => {
  const until = deps.clock.monotonic() + wait_ms
  for (;;) {
    const heard = new AbortController()
    const forget = deps.host.subscribe(actor => {
      if (actor.id === session.transaction_id && isTerminal(actor.status)) heard.abort('ended')
    })
    try {
      const result = await readSessionResult(deps, session)
      const left = until - deps.clock.monotonic()
      if (isTerminal(result.status) || left <= 0 || signal.aborted) return result
      await wait(deps.clock, Math.min(left, rereadMs), AbortSignal.any([heard.signal, signal]))
    } finally {
      forget()
    }
  }
}

/** `final` ends the transaction as FAILED/CANCELLED; otherwise the person may come back. */
export const cancelSession = async (
  deps: TransactionDeps,
  session: Session,
  final: boolean,
): Promise<{ status: string }> => {
  if (!final || session.context.failure === 'CANCELLED') return { status: session.status }
  const { status } = await deps.host.send(deps.definition, session.transaction_id, { type: 'CANCEL' })
  return { status }
}
