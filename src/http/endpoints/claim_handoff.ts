import { z } from 'zod'
import { toApiError } from '../../base/api_error.ts'
import { addLogFields } from '../../base/log_context.ts'
import { claimHandoff as claim } from '../../verification/transactions/handoff.ts'
import { readClientAddress } from '../client_address.ts'
import { json, jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, textField } from '../fields.ts'
import { handoffPath } from '../paths.ts'
import { takePermit, toNetwork } from '../rate_limits.ts'
import { timestamp, transaction_id } from '../shapes/common.ts'

const claimed = z
  .object({
    sdk_token: z
      .string()
      .meta(meaning('A new token, for this device: the first one may only read from now on.', 'c2RrLXRva2Vu')),
    transaction_id,
    expires_at: timestamp.meta(meaning('When the transaction expires, and this token with it.')),
  })
  .meta({ id: 'ClaimedHandoff' }) satisfies z.ZodType<Awaited<ReturnType<typeof claim>>>

export const claimHandoff = defineEndpoint({
  method: 'post',
  path: handoffPath,
  operationId: 'claimHandoff',
  summary: 'Go on on this device',
  description: 'Exchanges a code for a token. The device that offered it can only read from then on.',
  tag: 'Device',
  authentication: 'none',
  request: {
    body: jsonBody(
      z.object({
        code: textField(1, 255).meta(meaning('The one-time code, as the link has it after `handoff=`.', 'Q29kZQ')),
      }),
    ),
  },
  responses: { 200: json('This device captures.', claimed) },
  errors: [410, 429],
  async handler({ body, ctx }, { transactions, limits, trustedProxyHops }) {
    try {
      const made = await claim(transactions, body.code)
      addLogFields({ transaction_id: made.transaction_id })
      return { status: 200, body: made }
    } catch (error) {
      // Only wrong codes count: many people may share an address, and 256 random bits need no bound on guessing.
      if (toApiError(error)?.code === 'gone')
        await takePermit(limits, ctx, 'handoff_failures', toNetwork(readClientAddress(ctx.req, trustedProxyHops)))
      throw error
    }
  },
})
