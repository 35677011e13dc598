import { z } from 'zod'
import { offerHandoff as offer } from '../../verification/transactions/handoff.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { createVerifyUrl, sessionPrefix } from '../paths.ts'
import { timestamp } from '../shapes/common.ts'

const offered = z
  .object({
    code: z.string().meta(meaning('For one use, for ten minutes; the link has it too.', 'Q29kZQ')),
    verify_url: z
      .string()
      .meta(
        meaning(
          'The capture page, the code in its fragment: a link for the other device.',
          'https://id.example/verify#handoff=Q29kZQ',
        ),
      ),
    expires_at: timestamp.meta(meaning('When the code ends.')),
  })
  .meta({ id: 'OfferedHandoff' })

export const offerHandoff = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/handoff`,
  operationId: 'offerHandoff',
  summary: 'Let another device go on',
  description: 'A one-time code for ten minutes, also as a link. An earlier one is void.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 201: json('Offered.', offered) },
  errors: [409],
  async handler({ caller }, { transactions, baseUrl, branding }) {
    const { code, expires_at } = await offer(transactions, caller)
    const transaction_id = branding.accounts.has(caller.account_id) ? caller.transaction_id : null
    const verify_url = createVerifyUrl(baseUrl, `handoff=${code}`, transaction_id)
    return { status: 201, body: { code, verify_url, expires_at } }
  },
})
