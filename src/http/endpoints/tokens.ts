import { z } from 'zod'
import { issueAccessToken, tokenLifetimeSeconds, tokenScope } from '../../identity/accounts/access_token.ts'
import {
  authenticateClient,
  clientAuthenticationMethods,
  grantType,
  readClientCredentials,
  readTokenParameters,
  requireGrantType,
  requireScope,
} from '../../identity/accounts/client_credentials.ts'
import { anyObject } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import { readClientAddress } from '../client_address.ts'
import { auditClient, toClientActor } from '../client_audit.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { takePermit, toNetwork } from '../rate_limits.ts'

const tokenForm = z.object({
  grant_type: z
    .literal(grantType)
    .meta(meaning('How the token is asked for: always by client credentials (RFC 6749 §4.4).')),
  client_id: z
    .string()
    .optional()
    .meta(
      meaning(
        'Your client’s id, from the operator; left out where Basic authentication names it.',
        '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
      ),
    ),
  client_secret: z
    .string()
    .optional()
    .meta(meaning('Your client’s secret; left out where Basic authentication gives it.', 's3cret')),
  scope: z.literal(tokenScope).meta(meaning('What the token is for: the one scope that there is.')),
})

const accessToken = z
  .object({
    access_token: z
      .string()
      .meta(meaning('Opaque. Goes into `Authorization: Bearer` of every call of the backend.', 'dG9rZW4')),
    expires_in: z.literal(tokenLifetimeSeconds).meta(meaning('How long the token is valid, in seconds from now.')),
    token_type: z.literal('Bearer').meta(meaning('Always `Bearer`.')),
  })
  .meta({ id: 'AccessToken' })

export const requestToken = defineEndpoint({
  method: 'post',
  path: '/oauth2/token',
  operationId: 'requestToken',
  summary: 'Request an access token',
  description:
    'Exchanges your client’s id and secret for an access token, for an hour. They are sent in the form, or by Basic authentication.',
  tag: 'Tokens',
  authentication: 'none',
  errorFormat: 'oauth',
  request: { body: { media: 'form', schema: tokenForm } },
  responses: {
    200: json('A token for an hour.', accessToken),
  },
  errors: [401, 429],
  /** RFC 6749 §4.4, checked in the order in which a client can correct its call. */
  async handler({ body: form, ctx }, deps) {
    const { accounts, limits, clock, trustedProxyHops } = deps
    const parameters = readTokenParameters(form)
    requireGrantType(parameters)
    const credentials = readClientCredentials(ctx.req.headers.authorization, parameters)
    // Every secret is checked, and a right one is never rejected because of others' mistakes: many clients may share an
    // address, and anybody may know an id. The limit does not bound guessing, which 256 random bits do not need, but a
    // client that calls in a loop without its secret. All unknown ids share one limit.
    const { client_id, account_id } = await authenticateClient(accounts, credentials, async clientId => {
      const network = toNetwork(readClientAddress(ctx.req, trustedProxyHops))
      await takePermit(limits, ctx, 'token_failures', `${clientId ?? ''}/${network}`)
      await deps.refusals.record(toClientActor(deps, ctx, clientId), 'token_refused')
    })
    await takePermit(limits, ctx, 'tokens', client_id)
    requireScope(parameters)
    await auditClient(deps, ctx, client_id, { action: 'token_issued', account_id })
    const expires_at = clock.now() + tokenLifetimeSeconds * 1000
    const access_token = issueAccessToken(accounts.serviceKeys, { client_id, scope: tokenScope, expires_at })
    return { status: 200, body: { access_token, expires_in: tokenLifetimeSeconds, token_type: 'Bearer' } }
  },
})

const path = '/.well-known/oauth-authorization-server'

export const getTokenMetadata = defineEndpoint({
  method: 'get',
  path,
  // RFC 8414 §3.1 appends the issuer's path; the plain path is for a proxy that strips its prefix.
  aliases: baseUrl => {
    const { pathname } = new URL(baseUrl)
    return pathname === '/' ? [] : [`${path}${pathname}`]
  },
  operationId: 'getTokenMetadata',
  summary: 'How to get access tokens',
  description: 'Where and how tokens are issued (RFC 8414), for clients that configure themselves.',
  tag: 'Tokens',
  authentication: 'none',
  responses: { 200: json('RFC 8414.', anyObject) },
  handler(_call, { baseUrl }) {
    return {
      status: 200,
      headers: { 'Cache-Control': 'public, max-age=3600' },
      body: {
        issuer: baseUrl,
        token_endpoint: `${baseUrl}/oauth2/token`,
        token_endpoint_auth_methods_supported: clientAuthenticationMethods,
        grant_types_supported: [grantType],
        // Without response_types_supported: there is no authorization endpoint, and a claim without elements is left out (RFC 8414 3.2).
        scopes_supported: [tokenScope],
        service_documentation: `${baseUrl}/docs`,
      },
    }
  },
})
