import { signRequestObject, type WalletParty } from '@attestor/credentials/wallet'
import { z } from 'zod'
import { ApiError, toApiError } from '../base/api_error.ts'
import { addLogFields } from '../base/log.ts'
import { readClientAddress } from '../http/client_address.ts'
import { type FormBody, json } from '../http/content.ts'
import { defineEndpoint, type Endpoint, type EndpointDeps } from '../http/endpoint.ts'
import { checkJsonShape } from '../http/json_shape.ts'
import { takePermit, toNetwork } from '../http/rate_limits.ts'
import { id } from '../schemas/common.ts'
import { meaning } from '../schemas/fields.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { openCapturingSession, type Session } from '../verification/transactions/session.ts'
import { takeWalletAnswer } from './answer.ts'
import type { WalletParts } from './parts.ts'
import { createReturnUrl, walletPath } from './paths.ts'
import { readWalletRequest, requireOpenRequest, requireWalletStep } from './request.ts'

const path = {
  transaction_id: id.meta(meaning('The transaction, as the link has it.')),
  request_id: id.meta(meaning('The request, as the link has it.')),
}

interface LinkPath {
  readonly transaction_id: string
  readonly request_id: string
}

/** Unknown and void ones count for the address, as codes of a hand-off do. @throws {ApiError} `gone` */
async function openLink(
  deps: Pick<EndpointDeps, 'transactions' | 'limits' | 'trustedProxyHops'>,
  ctx: Parameters<typeof takePermit>[1],
  { transaction_id, request_id }: LinkPath,
): Promise<Session> {
  try {
    const session = await openCapturingSession(deps.transactions, transaction_id)
    requireWalletStep(session)
    const isAnswered = session.context.wallet_request?.request_id === request_id && session.context.wallet !== null
    if (!isAnswered) requireOpenRequest(deps.transactions, session, request_id)
    addLogFields({ transaction_id })
    return session
  } catch (error) {
    const code = toApiError(error)?.code
    if (code !== 'gone' && code !== 'not_allowed_in_state') throw error
    const network = toNetwork(readClientAddress(ctx.req, deps.trustedProxyHops))
    await takePermit(deps.limits, ctx, 'handoff_failures', network)
    throw new ApiError('gone', 'request_id: the request is not open')
  }
}

/** A stranger who knows no open request has no answer read. */
const admitAnswer: NonNullable<FormBody['admit']> = (deps, ctx) => {
  const { transaction_id, request_id } = z.object(path).parse(ctx.state.path)
  return openLink(deps, ctx, { transaction_id, request_id })
}

/** Wallets send a tenth of these. Thousands would hold the event loop, as their names are compared. */
const maxParameters = 50

/** The parameters of a form, each once. @throws {ApiError} `malformed_request` */
function readParameters(form: string): Readonly<Record<string, string>> {
  if (form.split('&', maxParameters + 1).length > maxParameters)
    throw new ApiError('malformed_request', `body: must have at most ${maxParameters} parameters`)
  const parameters = new URLSearchParams(form)
  const names = [...parameters.keys()]
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new ApiError('malformed_request', `${repeated.slice(0, 50)}: must be there once`)
  return Object.fromEntries(parameters)
}

/** `vp_token` is JSON in a form. @throws {ApiError} `malformed_request` */
function toData({ vp_token, ...others }: Readonly<Record<string, string>>): object {
  if (vp_token === undefined) return others
  checkJsonShape(vp_token)
  try {
    return { ...others, vp_token: JSON.parse(vp_token) as unknown }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new ApiError('malformed_request', 'vp_token: must be JSON')
  }
}

async function sign(
  party: WalletParty | null,
  transactions: TransactionDeps,
  { key, context }: Session,
  walletNonce: string | null,
): Promise<string> {
  const request = await readWalletRequest(transactions, key, context)
  if (party === null || request === null) throw new ApiError('gone', 'request_id: the request is not signed')
  return signRequestObject(request, party, walletNonce)
}

const type = 'application/oauth-authz-req+jwt'

const requestObject = { description: 'The signed request.', content: { [type]: { schema: z.string() } } }

const maxRequestFormBytes = 16 * 1024
const maxAnswerBytes = 1024 * 1024

const requestForm = z.object({
  wallet_nonce: z.string().optional().meta(meaning('The wallet’s own nonce, which the request then has.', 'd2FsbGV0')),
  wallet_metadata: z.string().optional().meta(meaning('What the wallet can do; it is not read.', '{}')),
})

const answerForm = z
  .object({
    vp_token: z.string().optional().meta(meaning('The presentation, as JSON.', '{}')),
    response: z.string().optional().meta(meaning('The encrypted answer, a JWE.', 'eyJhbGciOiJFQ0RILUVTIn0…')),
    error: z.string().optional().meta(meaning('Why the wallet gives nothing.', 'access_denied')),
  })
  .meta({ example: { response: 'eyJhbGciOiJFQ0RILUVTIn0…' } })

const accepted = z.object({
  redirect_uri: z
    .string()
    .meta(meaning('The page that the wallet opens then.', 'https://verify.example.com/verify#wallet')),
})

/** The endpoints that a wallet calls which a link or a QR code opened (OpenID4VP 1.0, 5.10 and 8.2). */
export function createLinkEndpoints({ party }: WalletParts): readonly Endpoint[] {
  const getWalletRequest = defineEndpoint({
    method: 'get',
    path: `${walletPath}/request`,
    operationId: 'getWalletRequest',
    summary: 'The request, for a wallet',
    description: 'A wallet fetches it that a link or a QR code opened, as often as it wants while the request is open.',
    tag: 'Device',
    authentication: 'none',
    request: { path },
    responses: { 200: requestObject },
    errors: [404, 410, 429],
    async handler({ path, ctx }, deps) {
      const body = await sign(party, deps.transactions, await openLink(deps, ctx, path), null)
      return { status: 200, type, body, headers: { 'Cache-Control': 'no-store' } }
    },
  })
  const postWalletRequest = defineEndpoint({
    method: 'post',
    path: `${walletPath}/request`,
    operationId: 'postWalletRequest',
    summary: 'The request, with a nonce of the wallet',
    description: 'The same request; `wallet_nonce` is in it.',
    tag: 'Device',
    authentication: 'none',
    request: { path, body: { media: 'form', schema: requestForm, max_bytes: maxRequestFormBytes } as const },
    responses: { 200: requestObject },
    errors: [404, 410, 429],
    async handler({ path, body: form, ctx }, deps) {
      const { wallet_nonce = null } = readParameters(form)
      const body = await sign(party, deps.transactions, await openLink(deps, ctx, path), wallet_nonce)
      return { status: 200, type, body, headers: { 'Cache-Control': 'no-store' } }
    },
  })
  const postWalletResponse = defineEndpoint({
    method: 'post',
    path: `${walletPath}/response`,
    operationId: 'postWalletResponse',
    summary: 'A wallet’s answer',
    description:
      'Posted by the wallet itself, which may also decline. It uses the request up; the page learns of it by its long poll.',
    tag: 'Device',
    authentication: 'none',
    request: {
      path,
      body: {
        media: 'form',
        schema: answerForm,
        max_bytes: maxAnswerBytes,
        admit: admitAnswer,
      } as const,
    },
    responses: { 200: json('Accepted.', accepted) },
    errors: [404, 410, 422, 429],
    own_codes: ['unusable_capture'],
    async handler({ path, body: form, ctx }, deps) {
      const session = await openLink(deps, ctx, path)
      const parameters = readParameters(form)
      const protocol = 'response' in parameters ? 'direct_post.jwt' : 'direct_post'
      await takeWalletAnswer(deps.transactions, session, path.request_id, { protocol, data: toData(parameters) })
      return { status: 200, body: { redirect_uri: createReturnUrl(deps.baseUrl) } }
    },
  })
  return [getWalletRequest, postWalletRequest, postWalletResponse]
}
