import { z } from 'zod'
import { featureCaptures } from '../../features.ts'
import { id, status, stored_at, timestamp } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { ListedCapture } from '../../verification/transactions/capture_reading.ts'
import type { TimelineEvent } from '../../verification/transactions/timeline.ts'
import { captureKinds } from './session.ts'

export const timelineEvent = z
  .object({
    sequence: z.number().int().meta(meaning('The place in the order of this transaction’s events, from 1.', 1)),
    occurred_at: timestamp.meta(meaning('When it happened, by the account’s clock.')),
    event: z
      .string()
      .meta(meaning('What happened, by the name that the transaction’s state chart has for it.', 'START')),
    sent_by: z
      .enum(['device', 'integrator', 'operator', 'timer', 'job', 'erasure'])
      .meta(meaning('Who made it happen: the device, your backend, the operator, or the service itself.', 'device')),
    status: status.meta(meaning('The transaction’s status after it.', 'INITIATED')),
  })
  .meta({ id: 'TimelineEvent' }) satisfies z.ZodType<TimelineEvent>

export const capture = z
  .object({
    id: id.meta(meaning('Identifies the image in other calls.')),
    kind: z
      .enum(captureKinds)
      .meta(
        meaning(
          `What the image shows; \`liveness\` is an image of the challenge. ${featureCaptures.map(({ words }) => words.listed).join(', and ')}.`,
          'selfie',
        ),
      ),
    media_type: z
      .string()
      .meta(meaning('The image’s type, found by its content, not by what the device said.', 'image/jpeg')),
    byte_count: z.number().int().meta(meaning('The image’s size in bytes, as it was uploaded.', 183422)),
    created_at: stored_at,
  })
  .meta({ id: 'Capture' }) satisfies z.ZodType<ListedCapture>
