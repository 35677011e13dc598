import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../../identity/customers/contact.ts'
import { noteHandoffSending } from '../../verification/transactions/handoff.ts'
import { readClientAddress } from '../client_address.ts'
import { jsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning, rule, textField } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'
import { takePermit, toNetwork } from '../rate_limits.ts'
import { locale } from '../shapes/transaction_body.ts'
import { createHandoffUrl } from './offer_handoff.ts'

const notARecipient = 'must be an e-mail address, or a telephone number: + and 7 to 15 digits'

const recipient = z
  .string({ error: rule(notARecipient) })
  .refine(text => isEmail(text) || (isPhoneShaped(text) && isPossiblePhone(text)), { error: notARecipient })

export const sendHandoff = defineEndpoint({
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
        recipient: recipient.meta(meaning('An e-mail address, or a telephone number with `+`.', 'alexis@example.com')),
        locale: locale.optional().meta(meaning('The language of the message; the transaction’s by default.', 'pt-BR')),
      }),
    ),
  },
  responses: { 204: { description: 'The operator’s receiver has it.' } },
  errors: [409, 410, 502],
  async handler({ caller, body, ctx }, deps) {
    const { transactions, limits, trustedProxyHops, sendLink } = deps
    if (sendLink === null) throw new ApiError('not_allowed_in_state', 'handoff: no link is sent here')
    await takePermit(limits, ctx, 'handoff_links', toNetwork(readClientAddress(ctx.req, trustedProxyHops)))
    const channel = isEmail(body.recipient) ? 'EMAIL' : 'SMS'
    const noted = await noteHandoffSending(transactions, caller, { code: body.code, channel })
    const link = createHandoffUrl(deps, caller, body.code)
    const locale = body.locale ?? noted.locale
    if (!(await sendLink({ ...noted, locale, channel, recipient: body.recipient, link })))
      throw new ApiError('undelivered', 'recipient: the link could not be sent')
    return { status: 204 }
  },
})
