import { documentTypes, type FeedbackCode, feedbackCatalogue, selfieFaults, shownReasons } from '@attestor/rules'
import { imageMediaTypes, type WarningCode, warningCatalogue } from '@attestor/vision'
import { z } from 'zod'
import { askedSteps, featureCaptures, featureSession, featureSteps } from '../../features.ts'
import { chosenType, currentStatus, openWords, server_time, timestamp, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { CaptureResponse } from '../../verification/transactions/capture.ts'
import type { SessionView } from '../../verification/transactions/session_calls.ts'
import type { HttpDeps } from '../deps.ts'

const document_type = z.enum(documentTypes)

const steps = ['document_front', 'document_back', 'selfie', 'liveness', ...askedSteps] as const

/** Steps, and the other captures of features. */
export const captureKinds = [...new Set([...steps, ...featureSteps])]

/** A step that a device can be sent to, and whose capture it can take back. */
export const step = z.enum(steps, { error: `must be ${steps.join(', ')}` }).meta({
  id: 'Step',
  description: `What a person shows: ${['a side of the document', ...featureCaptures.flatMap(({ words }) => words.shown)].join(', ')}, their face, or movements.`,
})

const next_step = step.nullable().meta(meaning('The next required step that is missing; null where none is.', 'selfie'))

const attempts_left = z.number().int().meta(meaning('Takes that are left, retakes included.', 10))

const sessionStep = z.object({
  step: z
    .enum(captureKinds)
    .meta(
      meaning(
        `What the person shows: a side of the document, their face, or movements; ${featureCaptures.map(({ words }) => words.step).join(', ')}.`,
        'document_front',
      ),
    ),
  required: z.boolean().meta(meaning('Whether the capture can’t end without it.', true)),
  state: z
    .enum(['missing', 'captured', 'unavailable'])
    .meta(
      meaning(
        [
          '`captured` once there is a usable picture; `missing` before, and after it was dropped.',
          ...featureCaptures.flatMap(({ words }) => words.states),
        ].join(' '),
        'missing',
      ),
    ),
  attempts_left,
})

export const waiting_for = z
  .enum(['review', 'resubmission'])
  .nullable()
  .meta(
    meaning(
      'What a submitted transaction waits for, other than its analysis. `review`: a person looks at it, which may take days. `resubmission`: some steps are missing again, as they could not be judged; take them, and complete again. Null else.',
      null,
    ),
  )

const warnings = [...new Set(Object.keys({ ...warningCatalogue, ...feedbackCatalogue }))] as [
  WarningCode | FeedbackCode,
  ...(WarningCode | FeedbackCode)[],
]

const reasons = [...selfieFaults, ...shownReasons] as const

const stepAdvice = z
  .object({
    step: step.meta(meaning('The step whose picture it is about.', 'document_front')),
    warnings: z
      .array(openWords(warnings, 'EXPIRED_DOCUMENT'))
      .meta(meaning('Advice for the person, as an upload’s answer has it. New codes may come.', ['EXPIRED_DOCUMENT'])),
    reasons: z
      .array(openWords(reasons, 'EYES_CLOSED'))
      .meta(meaning('As an upload’s answer has them. New codes may come.', [])),
  })
  .meta({ id: 'StepAdvice' })

export const session = z
  .object({
    transaction_id,
    status: currentStatus,
    transaction_type: chosenType,
    document_type: document_type
      .nullable()
      .meta(meaning('What the person chose to show; null before the start, and where nothing was chosen.', 'PASSPORT')),
    steps: z.array(sessionStep).meta(meaning('Every step of this transaction’s type.')),
    ...featureSession,
    next_step,
    advice: z
      .array(stepAdvice)
      .meta(
        meaning(
          'What the analysis says of pictures that are there now, also what came too late for the answer of an upload. Empty where it says nothing.',
          [],
        ),
      ),
    pending: z
      .array(step)
      .meta(
        meaning('Steps whose picture is still being analysed: `advice` may have more, and `version` then changes.', []),
      ),
    locale: z
      .string()
      .nullable()
      .meta(
        meaning('The person’s language as a BCP 47 tag, as the integrator named it; null where it did not.', 'pt-BR'),
      ),
    asks_location: z
      .boolean()
      .meta(meaning('Whether `on_gps_ip_location_mismatch` is `REJECT`: ask the person for the location.', false)),
    redirect_url: z
      .string()
      .nullable()
      .meta(
        meaning(
          'Where the capture page sends the person at the end, with `transaction_id` in the query; null for nowhere.',
          'https://shop.example/verified',
        ),
      ),
    waiting_for,
    may_capture: z
      .boolean()
      .meta(meaning('False where another device has taken the capture over: this one can only read.', true)),
    version: z.number().int().meta(meaning('Changes whenever the session does; for `seen`.', 7)),
    expires_at: timestamp.meta(meaning('When the transaction expires, and its tokens with it.')),
    server_time,
    accepted_media_types: z.array(z.string()).meta(meaning('What images may be, by their content.', imageMediaTypes)),
    max_image_bytes: z.number().int().meta(meaning('The largest image that is accepted, in bytes.', 10485760)),
    max_image_megapixels: z.number().meta(meaning('The largest image that is accepted, in millions of pixels.', 200)),
  })
  .meta({ id: 'Session' })

/** Returns a session with the service's limits on images. */
export function withImageLimits(view: SessionView, { imageLimits }: HttpDeps) {
  return {
    ...view,
    accepted_media_types: imageMediaTypes,
    max_image_bytes: imageLimits.max_bytes,
    max_image_megapixels: imageLimits.max_megapixels,
  }
}

export const advice = z
  .array(openWords(Object.keys(feedbackCatalogue) as [FeedbackCode, ...FeedbackCode[]], 'EXPIRED_DOCUMENT'))
  .meta(
    meaning(
      'Why the person was not approved, where they can do something about it and nothing else rejects; else empty. New codes may come.',
      [],
    ),
  )

/** The response to a device's upload. */
export const captureReceipt = z
  .object({
    accepted: z
      .literal(true)
      .meta(meaning('The image is stored, and the step is captured: always true, as anything else is an error.')),
    warnings: z
      .array(openWords(warnings, 'IMAGE_BLURRED'))
      .meta(meaning('Advice for the person, who can retake at once. New codes may come.', [])),
    reasons: z
      .array(openWords(reasons, 'EYES_CLOSED'))
      .meta(
        meaning(
          'Why a selfie can’t be compared, or what is shown instead of a document that is accepted, where `warnings` say so; else empty. New codes may come.',
        ),
      ),
    pending: z
      .boolean()
      .meta(
        meaning(
          'True where the image is still being analysed: `advice` of the session has it once `version` changes.',
          false,
        ),
      ),
    next_step,
    attempts_left,
  })
  .meta({ id: 'CaptureResponse' }) satisfies z.ZodType<CaptureResponse>
