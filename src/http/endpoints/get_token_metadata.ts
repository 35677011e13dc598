import { tokenScope } from '../../identity/accounts/access_token.ts'
import { clientAuthenticationMethods, grantType } from '../../identity/accounts/client_credentials.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { anyObject } from '../shapes/common.ts'

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
        // Empty, because there is no authorization endpoint: no client acts for a user.
        response_types_supported: [],
        scopes_supported: [tokenScope],
        service_documentation: `${baseUrl}/docs`,
      },
    }
  },
})
