import { z } from 'zod'
import { offerHandoff as offer } from '../../verification/transactions/handoff.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { createVerifyUrl, sessionPrefix } from '../paths.ts'
import { timestamp } from '../shapes/common.ts'

const offered = z
  .object({ code: z.string(), verify_url: z.string(), expires_at: timestamp })
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
  async handler({ caller }, { transactions, baseUrl }) {
    const { code, expires_at } = await offer(transactions, caller)
    return { status: 201, body: { code, verify_url: createVerifyUrl(baseUrl, `handoff=${code}`), expires_at } }
  },
})
