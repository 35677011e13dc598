import { z } from 'zod'
import { type FeedbackCode, feedbackCatalogue } from '../../decision/capture_feedback.ts'
import type { SelfieFault } from '../../decision/findings.ts'
import { imageMediaTypes } from '../../engines/images/media_type.ts'
import { type WarningCode, warningCatalogue } from '../../engines/images/warnings.ts'
import type { CaptureResponse } from '../../verification/transactions/capture.ts'
import type { SessionView } from '../../verification/transactions/session_calls.ts'
import type { HttpDeps } from '../deps.ts'
import { id, openWords, status, timestamp, transaction_type } from './common.ts'

const document_type = z.enum(['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'])

const steps = ['document_front', 'document_back', 'selfie', 'liveness'] as const

/** A step that a device can be sent to, and whose capture it can take back. */
export const step = z
  .enum(steps, { error: `must be ${steps.join(', ')}` })
  .meta({ id: 'Step', description: 'What a person shows: a side of the document, their face, or movements.' })

export const session = z
  .object({
    transaction_id: id,
    status,
    transaction_type,
    document_type: document_type.nullable(),
    steps: z.array(
      z.object({
        step,
        required: z.boolean(),
        state: z.enum(['missing', 'captured']),
        attempts_left: z.number().int(),
      }),
    ),
    next_step: step.nullable(),
    locale: z.string().nullable().meta({
      description: 'The person’s language as a BCP 47 tag, as the integrator named it; null where it did not.',
    }),
    redirect_url: z.string().nullable(),
    may_capture: z.boolean(),
    handoff: z
      .object({ state: z.enum(['none', 'offered', 'taken']), expires_at: timestamp.nullable() })
      .meta({ id: 'Handoff' }),
    version: z.number().int(),
    expires_at: timestamp,
    server_time: timestamp,
    accepted_media_types: z.array(z.string()),
    max_image_bytes: z.number().int(),
    max_image_megapixels: z.number(),
  })
  .meta({ id: 'Session' })

/** A session with what the service takes as images. */
export function withImageLimits(view: SessionView, { imageLimits }: HttpDeps) {
  return {
    ...view,
    accepted_media_types: imageMediaTypes,
    max_image_bytes: imageLimits.max_bytes,
    max_image_megapixels: imageLimits.max_megapixels,
  }
}

const warnings = [...new Set(Object.keys({ ...warningCatalogue, ...feedbackCatalogue }))] as [
  WarningCode | FeedbackCode,
  ...(WarningCode | FeedbackCode)[],
]

const reasons = ['TOO_SMALL', 'TURNED_AWAY', 'COVERED', 'EYES_CLOSED', 'BLURRED'] as const satisfies SelfieFault[]

/** The response to a device's upload. */
export const captureReceipt = z
  .object({
    accepted: z.literal(true),
    warnings: z.array(openWords(warnings, 'IMAGE_BLURRED')),
    reasons: z.array(openWords([...reasons], 'EYES_CLOSED')).meta({
      description: 'Why a selfie can’t be compared, where `warnings` say so; else empty. New codes may come.',
    }),
    next_step: step.nullable(),
    attempts_left: z.number().int(),
  })
  .meta({ id: 'CaptureResponse' }) satisfies z.ZodType<CaptureResponse>
