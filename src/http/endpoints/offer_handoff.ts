import { z } from 'zod'
import { offerHandoff as offer } from '../../verification/transactions/handoff.ts'
import type { Session } from '../../verification/transactions/session.ts'
import { json } from '../content.ts'
import type { HttpDeps } from '../deps.ts'
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
    may_send: z.boolean().meta(meaning('Whether the operator has the link sent by e-mail and SMS.', true)),
  })
  .meta({ id: 'OfferedHandoff' })

/** The link with a code, which the QR code and a message have alike. */
export function createHandoffUrl(
  { baseUrl, branding }: Pick<HttpDeps, 'baseUrl' | 'branding'>,
  { account_id, transaction_id }: Session,
  code: string,
): string {
  return createVerifyUrl(baseUrl, `handoff=${code}`, branding.accounts.has(account_id) ? transaction_id : null)
}

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
  async handler({ caller }, deps) {
    const { code, expires_at } = await offer(deps.transactions, caller)
    const verify_url = createHandoffUrl(deps, caller, code)
    return { status: 201, body: { code, verify_url, expires_at, may_send: deps.sendLink !== null } }
  },
})
