import { z } from 'zod'
import { type ListedCapture, listCaptures as readCaptures } from '../../verification/transactions/capture_reading.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id, stored_at, transaction_id } from '../shapes/common.ts'
import { captureKinds } from '../shapes/session.ts'

const capture = z
  .object({
    id: id.meta(meaning('Identifies the image in other calls.')),
    kind: z
      .enum(captureKinds)
      .meta(
        meaning(
          'What the image shows; `liveness` is an image of the challenge. `document_chip` is no image: the files of a chip, in base64.',
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

export const listCaptures = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/captures`,
  operationId: 'listCaptures',
  summary: 'The images of a transaction',
  description: 'The images that the transaction holds, by what they show, without their content.',
  tag: 'Images',
  authentication: 'access_token',
  request: { path: { transaction_id } },
  responses: {
    200: json(
      'The images.',
      z.object({
        data: z
          .array(capture)
          .meta(meaning('Every image that the transaction holds; an empty list where there is none.')),
      }),
    ),
  },
  errors: [404],
  async handler({ caller, path }, { transactions }) {
    return { status: 200, body: { data: await readCaptures(transactions, caller.account_id, path.transaction_id) } }
  },
})
