import type { CaptureFeedback, CapturePart, FeedbackCode } from '@attestor/rules'
import type { CaptureName, CheckedImage, WarningCode } from '@attestor/vision'
import type { Receipt } from '../../../machines/capture.ts'
import {
  type CaptureReference,
  countTakesLeft,
  type TransactionContext,
  type TransactionEvent,
} from '../../../machines/transaction.ts'
import { ApiError, toApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { drawUuid } from '../../base/random.ts'
import type { CaptureKind } from '../../database/words.ts'
import { keyedDigests, prepareDigest } from '../captures/digest.ts'
import type { UploadedImage } from './actor.ts'
import { drawActions, requireNewImages } from './challenge.ts'
import type { TransactionDeps } from './deps.ts'
import { addSignature, isHeld, requireNewImage } from './device_checks.ts'
import type { CaptureDeps, GivenFeedback } from './feedback.ts'
import { actorNow } from './rows.ts'
import { sendCapture, sendFromDevice } from './send_capture.ts'
import { isCapturing, reopenSession, requireCapturing, type Session } from './session.ts'
import { requireNewNonce } from './signatures.ts'
import { type CaptureStep, findNextStep } from './steps.ts'

/** An image that was uploaded and is not checked yet. */
export interface UncheckedImage {
  readonly content: Uint8Array
  /** The nonce of its signature, which was verified; null: it came without one. */
  readonly signed: string | null
  /**
   * Decodes the whole image, which is costly: call it last. A repeated upload uses up no attempt, so that it counts
   * against the limit of refused images. @throws {ApiError}
   */
  readonly check: (isRepeated?: boolean) => Promise<CheckedImage>
}

export interface CaptureResponse extends Receipt {
  readonly accepted: true
  /** Each code once. */
  readonly warnings: readonly (WarningCode | FeedbackCode)[]
  readonly reasons: CaptureFeedback['reasons']
  readonly pending: boolean
  readonly next_step: CaptureStep | null
}

const captureKinds: Readonly<Record<CapturePart | 'challenge', CaptureKind>> = {
  front: 'document_front',
  back: 'document_back',
  selfie: 'selfie',
  challenge: 'liveness',
}

const captureEvents: Readonly<Record<CapturePart, 'FRONT_CAPTURED' | 'BACK_CAPTURED' | 'SELFIE_CAPTURED'>> = {
  front: 'FRONT_CAPTURED',
  back: 'BACK_CAPTURED',
  selfie: 'SELFIE_CAPTURED',
}

/** Advice for the person, from the quality of the image, and from an engine's findings in it. */
interface Advice {
  readonly warnings: readonly WarningCode[]
  readonly feedback: GivenFeedback
}

/** Leaves out advice about the document if the image shows a face and no document. */
function selectWarnings({ warnings, feedback }: Advice): CaptureResponse['warnings'] {
  const isFace = feedback.reasons.includes('FACE')
  const own = warnings.filter(code => !(isFace && code.startsWith('DOCUMENT_')))
  return [...new Set([...own, ...feedback.warnings])]
}

function toCaptureResponse(
  context: TransactionContext,
  kind: CapturePart | 'challenge',
  advice: Advice,
): CaptureResponse {
  const { feedback } = advice
  return {
    accepted: true,
    warnings: selectWarnings(advice),
    reasons: feedback.reasons,
    pending: feedback.pending,
    next_step: findNextStep(context),
    attempts_left: countTakesLeft(context, kind),
  }
}

/** An image on its way into its capture. */
interface Upload extends UploadedImage, UncheckedImage {
  readonly kind: CapturePart | 'challenge'
  /** Whether the transaction holds this image already. */
  readonly isStored: (session: Session) => boolean
  readonly toEvent: (reference: CaptureReference) => TransactionEvent
  /** Called before the image is decoded. @throws {ApiError} where it can't be taken */
  readonly admit: () => Promise<void> | void
}

/**
 * Stores an image once. The same bytes for the same capture get the same response again, and use up no attempt: a
 * device may repeat an upload whose response was lost.
 */
async function storeOnce(deps: CaptureDeps, session: Session, upload: Upload): Promise<CaptureResponse> {
  const { kind, capture, digests, content, signed, check, isStored, toEvent, admit } = upload
  const answer = async (context: TransactionContext, { warnings }: CheckedImage): Promise<CaptureResponse> => {
    const feedback = await deps.giveFeedback({ session, context, capture, content })
    return toCaptureResponse(context, kind, { warnings, feedback })
  }
  if (isStored(session)) return answer(session.context, await check(true))
  try {
    await admit()
    await requireNewNonce(deps, session, signed)
    const checked = await check()
    const stored = { kind: captureKinds[kind], media_type: checked.media_type, content }
    const toSigned = (reference: CaptureReference) => toEvent(addSignature(reference, signed))
    const { step } = await sendCapture(deps, session, { ...stored, image: { capture, digests } }, toSigned)
    return await answer(step.context, checked)
  } catch (error) {
    // A concurrent call may have stored the same image.
    const now = toApiError(error) !== null ? await reopenSession(deps, session) : null
    if (now === null || !isCapturing(now) || !isStored(now)) throw error
    return answer(now.context, await check(true))
  }
}

/** Stores a side of the document or the selfie. @throws {ApiError} `not_allowed_in_state`, also if no attempt is left */
export async function takePicture(
  deps: CaptureDeps,
  session: Session,
  kind: CapturePart,
  { content, signed, check }: UncheckedImage,
): Promise<CaptureResponse> {
  requireCapturing(session)
  const capture: CaptureName = kind === 'selfie' ? 'selfie' : `document_${kind}`
  if (kind !== 'selfie' && session.context.transaction_type === 'BIOMETRIC_ONLY')
    throw new ApiError('not_allowed_in_state', `${capture}: this transaction needs no document`)
  await prepareDigest(content)
  const image = { capture, digests: keyedDigests(session.key, content) }
  return storeOnce(deps, session, {
    ...image,
    kind,
    content,
    signed,
    check,
    isStored: ({ context }) => isHeld(context, image),
    toEvent: reference => ({ type: captureEvents[kind], capture: reference }),
    admit: () => {
      if (countTakesLeft(session.context, kind) <= 0)
        throw new ApiError('not_allowed_in_state', `${capture}: no attempts left`)
      requireNewImage(session.context, image)
    },
  })
}

/** Issues a challenge, which is used once: its random id serves as the nonce. An earlier one becomes void with its frames. @throws {ApiError} `not_allowed_in_state` */
export async function issueChallenge(deps: TransactionDeps, session: Session) {
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

/**
 * Stores the frame that shows the action at `position`. Frames may arrive in any order and concurrently: the phone knows
 * all actions from the start, so the order would prove nothing. Even the last frame may be repeated.
 * @throws {ApiError} `gone` for a challenge that is void, `unusable_capture` for an image that was used before
 */
export async function takeFrame(
  deps: CaptureDeps,
  session: Session,
  { challenge_id, position }: FramePosition,
  { content, signed, check }: UncheckedImage,
): Promise<CaptureResponse> {
  requireCapturing(session)
  await prepareDigest(content)
  const image = { capture: `frame_${position}`, digests: keyedDigests(session.key, content) } as const
  return storeOnce(deps, session, {
    ...image,
    kind: 'challenge',
    content,
    signed,
    check,
    isStored: ({ context }) => context.challenge?.challenge_id === challenge_id && isHeld(context, image),
    toEvent: capture => ({ type: 'FRAME_CAPTURED', challenge_id, position, capture }),
    admit: async () => {
      const { challenge } = session.context
      const now = actorNow(deps, session.row)
      if (challenge?.challenge_id !== challenge_id || now >= challenge.expires_at)
        throw new ApiError('gone', 'challenge_id: the challenge is not open')
      if (position >= challenge.frames.length) throw new ApiError('not_found', 'n: the challenge has no such action')
      await requireNewImages(deps, session, content)
    },
  })
}
