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
import type { TransactionContext } from '../../../machines/transaction.ts'
import { asError } from '../../base/api_error.ts'
import { releaseBuffer } from '../../base/bytes.ts'
import { isoDate } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { DeadlineError, withDeadline } from '../../base/time.ts'
import { isDocument, isFrame } from '../../engines/sections.ts'
import { findingsParts } from '../captures/findings.ts'
import { toIdentityType } from '../transactions/age.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { type CaptureDeps, type GivenFeedback, nothingGiven, type StoredCapture } from '../transactions/feedback.ts'
import { type HeldCapture, listHeldCaptures } from '../transactions/held_captures.ts'
import { actorNow, parseConfig } from '../transactions/rows.ts'
import { findMissingSteps } from '../transactions/steps.ts'
import { type NewAdvice, type NewKept, readKeptFindings, storeKeptFindings } from './kept_findings.ts'
import { analyseLate, type LateCapture } from './late_captures.ts'
import { createTurns, type Turns } from './turns.ts'

export interface CaptureFeedbackOptions {
  readonly deps: TransactionDeps
  readonly log: Log
  /** Null without the role `analysis`. */
  readonly engine: AnalysisEngine | null
  /** Time that an upload waits for its feedback, in ms; with 0, captures are not analysed as they arrive. */
  readonly waitMs: number
}

/** Analyses captures as they arrive. */
export interface CaptureFeedbackGiver extends Pick<CaptureDeps, 'giveFeedback'> {
  /** Resolves when nothing of a transaction is being analysed any more. */
  settle(transaction_id: string): Promise<void>
  /** Resolves when no capture is being analysed. */
  idle(): Promise<void>
}

/**
 * Lists the findings of one capture that another one needs: a frame is judged against the selfie and the open mouth.
 */
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
  const { challenge } = context
  return {
    transaction_id,
    transaction_type: toIdentityType(context.transaction_type),
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
  { selfie, declared_document }: TransactionContext,
): CaptureFeedback {
  const declared = declared_document === 'UNDECLARED' ? null : declared_document
  if (isDocument(capture))
    return document ? judgeDocumentCapture(document, { awaitsBack, declared, today }) : noFeedback
  if (capture === 'selfie') return face ? judgeSelfieCapture(face) : noFeedback
  const n = Number(capture.replace('frame_', ''))
  return liveness ? judgeFrameCapture(liveness, { n, hasSelfie: selfie !== null }) : noFeedback
}

type AnalyseCapture = NonNullable<AnalysisEngine['analyseCapture']>

/** The findings in a capture, and the feedback for the person. */
interface Analysed extends Pick<NewKept, 'held' | 'kept'> {
  readonly feedback: CaptureFeedback
}

async function analyseStored(
  deps: TransactionDeps,
  analyseCapture: AnalyseCapture,
  stored: StoredCapture,
  patience: AbortSignal,
): Promise<Analysed> {
  const { session, context } = stored
  const held = listHeldCaptures(context)
  const request = await createRequest(deps, stored, held)
  const { findings, kept } = await analyseCapture(request, patience)
  const today = isoDate(actorNow(deps, session.row))
  return { held, kept, feedback: judgeCapture(findings, request, today, context) }
}

/** Test mode scripts its outcomes and analyses no images. */
function isScripted({ row }: StoredCapture['session']): boolean {
  return parseConfig(row).test !== null
}

/** Longest delay of an image's analysis: a person who films themselves has finished by then. */
const lateMs = 60_000

/** The parts that the analyses of a node's uploads share. */
interface FeedbackWork {
  readonly deps: TransactionDeps
  readonly waitMs: number
  readonly turns: Turns
  readonly analyse: (stored: StoredCapture, patience: AbortSignal) => Promise<Analysed>
}

/** A capture that was just stored, and how its upload is answered. */
interface Upload {
  readonly stored: StoredCapture
  readonly capture: HeldCapture
  readonly answer: (given: GivenFeedback) => void
  /** Ends the wait for the engine. */
  readonly patience: AbortSignal
}

/** Resolves with null once the time is up, or if the engine has no time. */
async function analyseInTime(
  { deps, waitMs }: FeedbackWork,
  work: (signal: AbortSignal) => Promise<Analysed>,
  patience: AbortSignal,
): Promise<Analysed | null> {
  try {
    return await withDeadline(deps.clock, waitMs, work, patience)
  } catch (error) {
    if (error instanceof EngineUnavailableError || error instanceof DeadlineError || patience.aborted) return null
    throw error
  }
}

/** Answers an upload in time: with its feedback, or else with the promise of feedback that the session gets later. */
async function giveFeedback(work: FeedbackWork, { stored, capture, answer, patience }: Upload): Promise<void> {
  const { deps, turns, analyse } = work
  const { session } = stored
  // The engine may go on for longer than the upload waits.
  const release = (): void => releaseBuffer(stored.content)
  const keep = (analysed: Analysed | null, advice: Omit<NewAdvice, 'capture'>): Promise<void> =>
    storeKeptFindings(deps, session, {
      held: analysed?.held ?? [],
      kept: analysed?.kept ?? {},
      news: { capture, ...advice },
    })
  const finish = (analysed: Analysed | null, isLate: boolean): Promise<void> =>
    keep(analysed, { advice: { ...(analysed?.feedback ?? noFeedback), pending_until: null }, isLate })
  let underWay = Promise.reject<Analysed>(new EngineUnavailableError('the capture waits'))
  const begin = (signal: AbortSignal): Promise<Analysed> => {
    underWay.catch(() => {})
    underWay = analyse(stored, signal)
    underWay.then(release, release)
    return underWay
  }
  const analysed = await analyseInTime(work, begin, patience)
  if (analysed !== null) {
    await finish(analysed, false)
    answer({ ...analysed.feedback, pending: false })
    return
  }
  const until = deps.clock.now() + lateMs
  await keep(null, { advice: { ...noFeedback, pending_until: until }, isLate: false })
  answer({ ...noFeedback, pending: true })
  const late: LateCapture = { session, capture, until }
  const analyseAgain = (error: unknown): Promise<Analysed | null> => {
    if (!(error instanceof EngineUnavailableError)) throw error
    return turns.take(session.account_id, () => analyseLate(deps, late, analyse, patience), patience)
  }
  let found: Analysed | null = null
  try {
    found = await underWay.catch(analyseAgain)
  } finally {
    await finish(found, true)
  }
}

function findHeld({ context, capture }: StoredCapture): HeldCapture | null {
  return listHeldCaptures(context).find(one => one.capture === capture) ?? null
}

export function createCaptureFeedback({ deps, log, engine, waitMs }: CaptureFeedbackOptions): CaptureFeedbackGiver {
  const analyseCapture = engine?.analyseCapture ?? null
  const running = new Map<Promise<unknown>, { readonly transaction_id: string; readonly patience: AbortController }>()
  const settle = async (concerns: (transaction_id: string) => boolean): Promise<void> => {
    const concerned = [...running].filter(([, { transaction_id }]) => concerns(transaction_id))
    for (const [, { patience }] of concerned) patience.abort()
    await Promise.allSettled(concerned.map(([work]) => work))
  }
  const work = analyseCapture && {
    deps,
    waitMs,
    turns: createTurns({ maxWaiting: 256, maxOfOwner: 64 }),
    analyse: (stored: StoredCapture, patience: AbortSignal) => analyseStored(deps, analyseCapture, stored, patience),
  }
  return {
    async giveFeedback(stored) {
      const capture = findHeld(stored)
      if (work === null || waitMs === 0 || capture === null || isScripted(stored.session)) {
        releaseBuffer(stored.content)
        return nothingGiven
      }
      const { transaction_id } = stored.session
      const patience = new AbortController()
      const answered = Promise.withResolvers<GivenFeedback>()
      const upload = { stored, capture, answer: answered.resolve, patience: patience.signal }
      const given = giveFeedback(work, upload).catch((error: unknown) => {
        // The analysis of the whole transaction looks at this capture again.
        const message = 'a capture was not analysed'
        log.warn({ transaction_id, capture: stored.capture, error: asError(error).message }, message)
        answered.resolve(nothingGiven)
      })
      const tracked = given.finally(() => running.delete(tracked))
      running.set(tracked, { transaction_id, patience })
      return answered.promise
    },
    settle: transaction_id => settle(id => id === transaction_id),
    idle: () => settle(() => true),
  }
}
