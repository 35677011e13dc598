import {
  type CaptureFeedback,
  type EngineFindings,
  judgeDocumentCapture,
  judgeFrameCapture,
  judgeSelfieCapture,
  noFeedback,
} from '@attestor/rules'
import {
  type AnalysisEngine,
  type CaptureName,
  type CaptureRequest,
  type EncodedImage,
  EngineUnavailableError,
  type KeptFor,
} from '@attestor/vision'
import { asError } from '../../base/api_error.ts'
import { isoDate } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { DeadlineError, withDeadline } from '../../base/time.ts'
import { isDocument, isFrame } from '../../engines/sections.ts'
import { findingsParts } from '../captures/findings.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import type { CaptureDeps, StoredCapture } from '../transactions/feedback.ts'
import { type HeldCapture, listHeldCaptures } from '../transactions/held_captures.ts'
import { actorNow, parseConfig } from '../transactions/rows.ts'
import { findMissingSteps } from '../transactions/steps.ts'
import { readKeptFindings, storeKeptFindings } from './kept_findings.ts'

export interface CaptureFeedbackOptions {
  readonly deps: TransactionDeps
  readonly log: Log
  /** Null without the role `analysis`. */
  readonly engine: AnalysisEngine | null
  /** How long an upload waits for its feedback; with 0, captures are not analysed as they arrive. */
  readonly waitMs: number
}

/** Analyses captures as they arrive. */
export interface CaptureFeedbackGiver extends Pick<CaptureDeps, 'giveFeedback'> {
  /** Resolves when nothing of a transaction is being analysed any more. */
  settle(transaction_id: string): Promise<void>
  /** Resolves when no capture is being analysed. */
  idle(): Promise<void>
}

/** What is of use of the findings in another capture: a frame is judged against the selfie and the open mouth. */
export function listUsefulParts(
  actions: readonly string[],
  capture: CaptureName,
  other: CaptureName,
): readonly KeptFor[] {
  if (other === capture || (isDocument(capture) && isDocument(other))) return findingsParts
  const mouth: CaptureName = `frame_${actions.indexOf('OPEN_MOUTH')}`
  return isFrame(capture) && (other === 'selfie' || other === mouth) ? ['capture'] : []
}

async function createRequest(
  deps: TransactionDeps,
  { session, context, capture, content }: StoredCapture,
  held: readonly HeldCapture[],
): Promise<CaptureRequest> {
  const { transaction_id, account_id, key } = session
  const missing = findMissingSteps(context)
  const wanted = held.map(other => ({
    ...other,
    parts: listUsefulParts(context.challenge?.actions ?? [], capture, other.capture),
  }))
  const sides = held.filter(other => isDocument(capture) && isDocument(other.capture) && other.capture !== capture)
  const getContent = await deps.captures.read(
    key,
    sides.map(({ reference }) => reference),
  )
  const getImage = (name: CaptureName): EncodedImage | null => {
    const side = sides.find(other => other.capture === name)
    if (name === capture) return content
    return side ? getContent(side.reference) : null
  }
  const { challenge, transaction_type } = context
  return {
    transaction_id,
    transaction_type,
    account_id,
    capture,
    awaits_back: capture === 'document_front' && missing.includes('document_back'),
    document_front: getImage('document_front'),
    document_back: getImage('document_back'),
    selfie: getImage('selfie'),
    challenge:
      challenge === null || !isFrame(capture)
        ? null
        : {
            actions: challenge.actions,
            frames: challenge.frames.map((_, n) => getImage(`frame_${n}`)),
            attempts: context.takes.challenge,
          },
    enrolled_face: null,
    kept: await readKeptFindings(deps, key, wanted),
  }
}

function judgeCapture(
  { document, face, liveness }: EngineFindings,
  { capture, awaits_back: awaitsBack }: CaptureRequest,
  today: string,
  hasSelfie: boolean,
): CaptureFeedback {
  if (isDocument(capture)) return document ? judgeDocumentCapture(document, { awaitsBack, today }) : noFeedback
  if (capture === 'selfie') return face ? judgeSelfieCapture(face) : noFeedback
  const n = Number(capture.replace('frame_', ''))
  return liveness ? judgeFrameCapture(liveness, { n, hasSelfie }) : noFeedback
}

type AnalyseCapture = NonNullable<AnalysisEngine['analyseCapture']>

async function analyseStored(
  deps: TransactionDeps,
  analyseCapture: AnalyseCapture,
  stored: StoredCapture,
  patience: AbortSignal,
): Promise<CaptureFeedback> {
  const { session, context } = stored
  const held = listHeldCaptures(context)
  const request = await createRequest(deps, stored, held)
  const { findings, kept } = await analyseCapture(request, patience)
  await storeKeptFindings(deps, session, held, kept)
  return judgeCapture(findings, request, isoDate(actorNow(deps, session.row)), context.selfie !== null)
}

/** Test mode scripts its outcomes and analyses no images. */
function isScripted({ row }: StoredCapture['session']): boolean {
  return parseConfig(row).test !== null
}

export function createCaptureFeedback({ deps, log, engine, waitMs }: CaptureFeedbackOptions): CaptureFeedbackGiver {
  const analyseCapture = engine?.analyseCapture ?? null
  const running = new Map<Promise<unknown>, string>()
  const track = <T>(transaction_id: string, work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => running.delete(tracked))
    running.set(tracked, transaction_id)
    return tracked
  }
  const settle = async (concerns: (transaction_id: string) => boolean): Promise<void> => {
    await Promise.allSettled([...running].flatMap(([work, transaction_id]) => (concerns(transaction_id) ? [work] : [])))
  }
  return {
    async giveFeedback(stored) {
      if (analyseCapture === null || waitMs === 0 || isScripted(stored.session)) return noFeedback
      const { transaction_id } = stored.session
      const analyse = (signal: AbortSignal): Promise<CaptureFeedback> =>
        track(transaction_id, analyseStored(deps, analyseCapture, stored, signal))
      return withDeadline(deps.clock, waitMs, analyse).catch((error: unknown) => {
        // The analysis of the whole transaction looks at this capture again.
        if (!(error instanceof EngineUnavailableError || error instanceof DeadlineError))
          log.warn(
            { transaction_id, capture: stored.capture, error: asError(error).message },
            'a capture was not analysed',
          )
        return noFeedback
      })
    },
    settle: transaction_id => settle(id => id === transaction_id),
    idle: () => settle(() => true),
  }
}
