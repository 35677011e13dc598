import type { CaptureFeedback } from '@attestor/rules'
import type { CaptureName } from '@attestor/vision'
import type { CaptureReference } from '../../../machines/transaction.ts'
import type { FindingsReference } from '../captures/findings.ts'
import type { TransactionDeps } from './deps.ts'
import { listHeldCaptures } from './held_captures.ts'
import { isCapturing, type Session } from './session.ts'
import type { CaptureStep } from './steps.ts'

/** The part of a capture's analysis that is kept for the person. */
export interface KeptAdvice extends CaptureFeedback {
  /** Time until which the analysis may still give advice, in epoch milliseconds; null once it has. */
  readonly pending_until: number | null
}

export function adviceOf(reference: CaptureReference): FindingsReference {
  return { reference, part: 'advice' }
}

interface StepAdvice extends CaptureFeedback {
  readonly step: CaptureStep
}

/** The advice of the captures' analyses, and the steps of which more may come. */
export interface SessionAdvice {
  readonly advice: readonly StepAdvice[]
  readonly pending: readonly CaptureStep[]
}

function toStep(capture: CaptureName): CaptureStep {
  return capture.startsWith('frame_') ? 'liveness' : (capture as CaptureStep)
}

function joinAdvice(step: CaptureStep, kept: readonly KeptAdvice[]): StepAdvice {
  return {
    step,
    warnings: [...new Set(kept.flatMap(({ warnings }) => warnings))],
    reasons: [...new Set(kept.flatMap(({ reasons }) => reasons))],
  }
}

/** Reads the advice about the captures that a session holds. @throws {UnreadableCaptureError} */
export async function readAdvice(deps: TransactionDeps, session: Session): Promise<SessionAdvice> {
  const held = isCapturing(session) ? listHeldCaptures(session.context) : []
  if (held.length === 0) return { advice: [], pending: [] }
  const found = await deps.captures.readFindings<KeptAdvice>(
    session.key,
    held.map(({ reference }) => adviceOf(reference)),
  )
  const steps = Map.groupBy(
    held.flatMap(({ capture, reference }) =>
      found.flatMap(one => (one.reference === reference ? [{ step: toStep(capture), kept: one.findings }] : [])),
    ),
    ({ step }) => step,
  )
  const now = deps.clock.now()
  const listed = [...steps].map(([step, kept]) => [step, kept.map(one => one.kept)] as const)
  return {
    advice: listed.map(([step, kept]) => joinAdvice(step, kept)).filter(({ warnings }) => warnings.length > 0),
    pending: listed.flatMap(([step, kept]) =>
      kept.some(({ pending_until }) => pending_until !== null && now < pending_until) ? [step] : [],
    ),
  }
}
