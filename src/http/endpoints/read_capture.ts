import { z } from 'zod'
import { readCaptureLink, readLinkedCapture } from '../../verification/transactions/capture_reading.ts'
import { captureResponse, nameCapture } from '../captures.ts'
import { clientAuditRecord } from '../client_audit.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { apiPrefix } from '../paths.ts'
import { takePermit } from '../rate_limits.ts'
import type { HeldBytes } from '../response_memory.ts'

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
