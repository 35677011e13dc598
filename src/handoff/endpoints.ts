import { z } from 'zod'
import { ApiError, toApiError } from '../base/api_error.ts'
import { addLogFields } from '../base/log.ts'
import { findBranding } from '../http/capture_pages.ts'
import { readClientAddress } from '../http/client_address.ts'
import { json, jsonBody } from '../http/content.ts'
import type { HttpDeps } from '../http/deps.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { createVerifyUrl, handoffPath, sessionPrefix } from '../http/paths.ts'
import { takePermit, toNetwork } from '../http/rate_limits.ts'
import { session, withImageLimits } from '../http/shapes/session.ts'
import { locale } from '../http/shapes/transaction_body.ts'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../identity/customers/contact.ts'
import { timestamp, transaction_id } from '../schemas/common.ts'
import { meaning, rule, textField } from '../schemas/fields.ts'
import type { Session } from '../verification/transactions/session.ts'
import { describeSession } from '../verification/transactions/session_calls.ts'
import { claimHandoff as claim, noteHandoffSending, offerHandoff as offer, takeBack } from './handoff.ts'
import type { SendLink } from './send_link.ts'

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
async function createHandoffUrl(
  deps: Pick<HttpDeps, 'baseUrl' | 'branding' | 'accounts'>,
  { account_id, transaction_id }: Session,
  code: string,
): Promise<string> {
  const own = await findBranding(deps, account_id)
  return createVerifyUrl(deps.baseUrl, `handoff=${code}`, own === null ? null : transaction_id)
}

function createOffer(sendLink: SendLink | null) {
  return defineEndpoint({
    method: 'post',
    path: `${sessionPrefix}/handoff`,
    operationId: 'offerHandoff',
    summary: 'Let another device go on',
    description:
      'A one-time code for ten minutes, also as a link. An earlier one is void. The first device, which has the token of the transaction’s creation, may always ask: a device that captures meanwhile is void, too.',
    tag: 'Device',
    authentication: 'sdk_token',
    responses: { 201: json('Offered.', offered) },
    errors: [409],
    async handler({ caller }, deps) {
      const { code, expires_at } = await offer(deps.transactions, caller)
      const verify_url = await createHandoffUrl(deps, caller, code)
      return { status: 201, body: { code, verify_url, expires_at, may_send: sendLink !== null } }
    },
  })
}

const takeBackHandoff = defineEndpoint({
  method: 'delete',
  path: `${sessionPrefix}/handoff`,
  operationId: 'takeBackHandoff',
  summary: 'Go on on the first device',
  description:
    'The first device, which has the token of the transaction’s creation, captures again. Tokens and codes of others are void.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 200: json('This device captures.', session) },
  errors: [409],
  async handler({ caller }, deps) {
    const back = await takeBack(deps.transactions, caller)
    return { status: 200, body: withImageLimits(await describeSession(deps.transactions, back), deps) }
  },
})

const claimed = z
  .object({
    sdk_token: z
      .string()
      .meta(meaning('A new token, for this device: the first one may only read from now on.', 'c2RrLXRva2Vu')),
    transaction_id,
    expires_at: timestamp.meta(meaning('When the transaction expires, and this token with it.')),
  })
  .meta({ id: 'ClaimedHandoff' }) satisfies z.ZodType<Awaited<ReturnType<typeof claim>>>

const claimHandoff = defineEndpoint({
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

const notARecipient = 'must be an e-mail address, or a telephone number: + and 7 to 15 digits'

const recipient = z
  .string({ error: rule(notARecipient) })
  .refine(text => isEmail(text) || (isPhoneShaped(text) && isPossiblePhone(text)), { error: notARecipient })

function createSending(sendLink: SendLink | null) {
  return defineEndpoint({
    method: 'post',
    path: `${sessionPrefix}/handoff/send`,
    operationId: 'sendHandoff',
    summary: 'Send the link to another device',
    description:
      'Has the operator send the link by e-mail or SMS, where `may_send` of the offer is true: at most three times for a transaction. The recipient is not kept.',
    tag: 'Device',
    authentication: 'sdk_token',
    request: {
      body: jsonBody(
        z.object({
          code: textField(1, 255).meta(meaning('The one-time code of the offer.', 'Q29kZQ')),
          recipient: recipient.meta(
            meaning('An e-mail address, or a telephone number with `+`.', 'alexis@example.com'),
          ),
          locale: locale
            .optional()
            .meta(meaning('The language of the message; the transaction’s by default.', 'pt-BR')),
        }),
      ),
    },
    responses: { 204: { description: 'The operator’s receiver has it.' } },
    errors: [409, 410, 502],
    async handler({ caller, body, ctx }, deps) {
      const { transactions, limits, trustedProxyHops } = deps
      if (sendLink === null) throw new ApiError('not_allowed_in_state', 'handoff: no link is sent here')
      await takePermit(limits, ctx, 'handoff_links', toNetwork(readClientAddress(ctx.req, trustedProxyHops)))
      const channel = isEmail(body.recipient) ? 'EMAIL' : 'SMS'
      const noted = await noteHandoffSending(transactions, caller, { code: body.code, channel })
      const link = await createHandoffUrl(deps, caller, body.code)
      const locale = body.locale ?? noted.locale
      if (!(await sendLink({ ...noted, locale, channel, recipient: body.recipient, link })))
        throw new ApiError('undelivered', 'recipient: the link could not be sent')
      return { status: 204 }
    },
  })
}

/** With null no link is sent by e-mail or SMS. */
export function createHandoffEndpoints(sendLink: SendLink | null): readonly Endpoint[] {
  return [createOffer(sendLink), takeBackHandoff, claimHandoff, createSending(sendLink)]
}
