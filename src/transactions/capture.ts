import type { CapturePart, CaptureReference, TransactionContext, TransactionEvent } from '../../machines/transaction.ts'
import { ApiError, toApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { drawUuid } from '../base/random.ts'
import { keyedDigests, prepareDigest } from '../captures/digest.ts'
import type { CaptureFeedback, FeedbackCode } from '../decision/capture_feedback.ts'
import type { LivenessAction, SelfieFault } from '../decision/findings.ts'
import type { CaptureName } from '../engines/port.ts'
import type { CheckedImage } from '../images/check_image.ts'
import type { WarningCode } from '../images/warnings.ts'
import { drawActions, requireNewImages } from './challenge.ts'
import type { TransactionDeps } from './deps.ts'
import { requireNewFace } from './device_checks.ts'
import type { CaptureDeps } from './feedback.ts'
import { actorNow } from './rows.ts'
import { sendCapture, sendFromDevice } from './send_capture.ts'
import { reopenSession, requireCapturing, type Session } from './session.ts'
import { type CaptureStep, findNextStep } from './steps.ts'

/** An image that was uploaded and is not checked yet. */
export interface UncheckedImage {
  readonly content: Uint8Array
  /** Decodes the whole image, which is costly: call it last. @throws {ApiError} */
  readonly check: () => Promise<CheckedImage>
}

export interface CaptureResponse {
  readonly accepted: true
  /** Each code once. */
  readonly warnings: readonly (WarningCode | FeedbackCode)[]
  /** Why a selfie can't be compared. */
  readonly reasons: readonly SelfieFault[]
  readonly next_step: CaptureStep | null
  readonly attempts_left: number
}

const captureEvents: Readonly<Record<CapturePart, 'FRONT_CAPTURED' | 'BACK_CAPTURED' | 'SELFIE_CAPTURED'>> = {
  front: 'FRONT_CAPTURED',
  back: 'BACK_CAPTURED',
  selfie: 'SELFIE_CAPTURED',
}

const countTakesLeft = (context: TransactionContext, kind: CapturePart | 'challenge'): number => {
  const { capture_attempts, challenge_attempts } = context.limits
  return (kind === 'challenge' ? challenge_attempts : capture_attempts) - context.takes[kind]
}

/** What the person could do better, by the quality of the image, and by an engine's findings in it. */
interface Advice {
  readonly warnings: readonly WarningCode[]
  readonly feedback: CaptureFeedback
}

const toCaptureResponse = (
  context: TransactionContext,
  kind: CapturePart | 'challenge',
  { warnings, feedback }: Advice,
): CaptureResponse => ({
  accepted: true,
  warnings: [...new Set([...warnings, ...feedback.warnings])],
  reasons: feedback.reasons,
  next_step: findNextStep(context),
  attempts_left: countTakesLeft(context, kind),
})

/** Stores a side of the document or the selfie. @throws {ApiError} `not_allowed_in_state`, also if no attempt is left */
export const takePicture = async (
  deps: CaptureDeps,
  session: Session,
  kind: CapturePart,
  { content, check }: UncheckedImage,
): Promise<CaptureResponse> => {
  requireCapturing(session)
  const name: CaptureName = kind === 'selfie' ? 'selfie' : `document_${kind}`
  if (countTakesLeft(session.context, kind) <= 0)
    throw new ApiError('not_allowed_in_state', `${name}: no attempts left`)
  if (kind !== 'selfie' && session.context.transaction_type === 'BIOMETRIC_ONLY')
    throw new ApiError('not_allowed_in_state', `${name}: this transaction needs no document`)
  await prepareDigest(content)
  const face = kind === 'selfie' ? { digests: keyedDigests(session.key, content), position: null } : undefined
  if (face !== undefined) requireNewFace(session.context, face)
  const { media_type, warnings } = await check()
  const image = { kind: name, media_type, content, face }
  const { step } = await sendCapture(deps, session, image, capture => ({ type: captureEvents[kind], capture }))
  const feedback = await deps.giveFeedback({ session, context: step.context, capture: name, content })
  return toCaptureResponse(step.context, kind, { warnings, feedback })
}

/** A challenge is used once; its random id serves as the nonce. */
export interface IssuedChallenge {
  readonly challenge_id: string
  readonly actions: readonly LivenessAction[]
  readonly expires_at: string
  /** A device's own clock may be wrong. */
  readonly server_time: string
  readonly attempts_left: number
}

/** Issues a challenge. An earlier one becomes void with its frames. @throws {ApiError} `not_allowed_in_state` */
export const issueChallenge = async (deps: TransactionDeps, session: Session): Promise<IssuedChallenge> => {
  requireCapturing(session)
  if (countTakesLeft(session.context, 'challenge') <= 0)
    throw new ApiError('not_allowed_in_state', 'liveness: no attempts left')
  const challenge_id = drawUuid()
  const actions = drawActions(session, deps.challengeActionCount)
  const now = actorNow(deps, session.row)
  const expires_at = now + session.context.limits.challenge_ms
  const event: TransactionEvent = { type: 'CHALLENGE_ISSUED', challenge_id, actions, expires_at }
  const { step } = await sendFromDevice(deps, session, event)
  const attempts_left = countTakesLeft(step.context, 'challenge')
  const times = { expires_at: isoTimestamp(expires_at), server_time: isoTimestamp(now) }
  return { challenge_id, actions, ...times, attempts_left }
}

export interface FramePosition {
  readonly challenge_id: string
  readonly position: number
}

const isFrameHeld = (
  { context, key }: Session,
  { challenge_id, position }: FramePosition,
  content: Uint8Array,
): boolean => {
  const held = context.challenge?.challenge_id === challenge_id ? context.challenge.frames[position] : null
  return held != null && keyedDigests(key, content).includes(held.digest)
}

/** Returns the findings about a stored frame. */
const answerFrame = async (
  deps: CaptureDeps,
  stored: { readonly session: Session; readonly context: TransactionContext; readonly position: number },
  content: Uint8Array,
  warnings: readonly WarningCode[],
): Promise<CaptureResponse> => {
  const { session, context, position } = stored
  const feedback = await deps.giveFeedback({ session, context, capture: `frame_${position}`, content })
  return toCaptureResponse(context, 'challenge', { warnings, feedback })
}

/**
 * Stores the frame that shows the action at `position`. Frames may arrive in any order and concurrently: the phone knows
 * all actions from the start, so the order would prove nothing. The same bytes get the same response again, so that a
 * phone may retry after a lost response, even that to the last frame.
 * @throws {ApiError} `gone` for a challenge that is void, `unusable_capture` for an image that was used before
 */
export const takeFrame = async (
  deps: CaptureDeps,
  session: Session,
  { challenge_id, position }: FramePosition,
  { content, check }: UncheckedImage,
): Promise<CaptureResponse> => {
  requireCapturing(session)
  const framePosition = { challenge_id, position }
  await prepareDigest(content)
  const { challenge } = session.context
  if (isFrameHeld(session, framePosition, content))
    return answerFrame(deps, { session, context: session.context, position }, content, [])
  if (challenge?.challenge_id !== challenge_id || actorNow(deps, session.row) >= challenge.expires_at)
    throw new ApiError('gone', 'challenge_id: the challenge is not open')
  if (position >= challenge.frames.length) throw new ApiError('not_found', 'n: the challenge has no such action')
  const toEvent = (capture: CaptureReference) => ({ type: 'FRAME_CAPTURED', ...framePosition, capture }) as const
  try {
    await requireNewImages(deps, session, content)
    const { media_type, warnings } = await check()
    const image = {
      kind: 'liveness',
      media_type,
      content,
      face: { digests: keyedDigests(session.key, content), position },
    }
    const { step } = await sendCapture(deps, session, image, toEvent)
    return await answerFrame(deps, { session, context: step.context, position }, content, warnings)
  } catch (error) {
    // A concurrent call may have stored the same frame.
    const now = toApiError(error) !== null ? await reopenSession(deps, session) : null
    if (now?.status !== 'INITIATED' || !isFrameHeld(now, framePosition, content)) throw error
    return answerFrame(deps, { session: now, context: now.context, position }, content, [])
  }
}
