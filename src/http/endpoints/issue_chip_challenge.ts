import { z } from 'zod'
import { issueChipChallenge as issue } from '../../verification/transactions/chip.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'
import { id, server_time, timestamp } from '../shapes/common.ts'

const challenge = z
  .object({
    challenge_id: id.meta(meaning('Names the challenge in `active_authentication`.')),
    challenge: z.string().meta(meaning('Eight random bytes in base64, for the chip to sign.', 'AQIDBAUGBwg=')),
    expires_at: timestamp.meta(meaning('Until when an answer is taken.')),
    server_time,
  })
  .meta({ id: 'ChipChallenge' }) satisfies z.ZodType<Awaited<ReturnType<typeof issue>>>

export const issueChipChallenge = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/document/chip/challenge`,
  operationId: 'issueChipChallenge',
  summary: 'Ask for a challenge for the document’s chip',
  description:
    'For active authentication: a chip that answers it is no copy. A challenge is used once, and a new one voids an earlier one.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 201: json('A challenge.', challenge) },
  errors: [409],
  async handler({ caller }, { transactions }) {
    return { status: 201, body: await issue(transactions, caller) }
  },
})
