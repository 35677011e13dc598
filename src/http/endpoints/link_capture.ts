import { z } from 'zod'
import { createCaptureLink as createLink } from '../../verification/transactions/capture_reading.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { id, timestamp, transaction_id } from '../shapes/common.ts'

const captureLink = z.object({
  url: z
    .string()
    .meta(meaning('The link, valid for five minutes, for anybody who has it.', 'https://id.example/capture/bGluaw')),
  expires_at: timestamp.meta(meaning('When the link ends.')),
})

export const createCaptureLink = defineEndpoint({
  method: 'post',
  path: `${apiPrefix}/transaction/{transaction_id}/captures/{capture_id}/link`,
  operationId: 'createCaptureLink',
  summary: 'A link to one image, for five minutes',
  description: 'For a person who looks at once: anybody who has the link can read the image.',
  tag: 'Images',
  authentication: 'access_token',
  request: {
    path: {
      transaction_id,
      capture_id: id.meta(meaning('One image, by the `id` that the list of images has for it.')),
    },
  },
  responses: { 201: json('The link.', captureLink) },
  errors: [404],
  async handler({ caller, path }, { transactions, customers, baseUrl }) {
    const { link, expires_at } = await createLink(transactions, customers.serviceKeys, caller, path)
    return { status: 201, body: { url: `${baseUrl}${apiPrefix}/capture/${link}`, expires_at } }
  },
})
