import { z } from 'zod'
import { id, timestamp, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import {
  createCaptureLink as createLink,
  readCaptureLink,
  listCaptures as readCaptures,
  readLinkedCapture,
} from '../../verification/transactions/capture_reading.ts'
import { captureResponse, nameCapture } from '../captures.ts'
import { clientAuditRecord } from '../client_audit.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'
import { takePermit } from '../rate_limits.ts'
import type { HeldBytes } from '../response_memory.ts'
import { capture } from '../shapes/history.ts'

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

export const readCapture = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/capture/{link}`,
  operationId: 'readCapture',
  summary: 'The image that a link is to',
  description: 'Each reading is in the timeline and in the evidence.',
  tag: 'Images',
  // The link is a token for this image alone, so that a browser can show it.
  authentication: 'none',
  request: {
    path: {
      link: z
        .string()
        .meta(meaning('The last part of the link’s URL: a secret that opens one image, for five minutes.', 'bGluaw')),
    },
  },
  responses: { 200: captureResponse },
  errors: [404, 410, 429],
  async handler({ path, ctx }, deps) {
    const { transactions, customers, limits, responseMemory: outgoing } = deps
    await deps.refreshKeys()
    const link = readCaptureLink(transactions, customers.serviceKeys, path.link)
    await takePermit(limits, ctx, 'reads', link.account_id)
    // Twice the size: the encrypted and the decrypted content are both in memory, until the first is released.
    let held: HeldBytes | null = null
    const { account_id, client_id, capture_id } = link
    const subject = { type: 'transaction', id: link.transaction_id } as const
    const event = { action: 'capture_read', account_id, subject, details: { capture_id } } as const
    const reading = { ...link, record: clientAuditRecord(deps, ctx, client_id, event) }
    const { kind, media_type, content } = await readLinkedCapture(transactions, reading, byteCount => {
      held = outgoing.hold(ctx, 2 * byteCount, account_id)
    })
    ;(held as HeldBytes | null)?.reduceTo(content.length)
    return {
      status: 200,
      headers: nameCapture(kind, media_type),
      type: media_type,
      body: content,
    }
  },
})
