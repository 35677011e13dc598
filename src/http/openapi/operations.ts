import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { token_scope } from '../../accounts/access_token.ts'
import { json, refusals } from './shapes.ts'

const oauth_error = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'OAuthError' })

const token_form = z.object({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.literal(token_scope),
})

const granted = z
  .object({ access_token: z.string(), expires_in: z.literal(3600), token_type: z.literal('Bearer') })
  .meta({ id: 'AccessToken' })

const { 500: fault, 503: unavailable } = refusals() as Record<number, ReturnType<typeof refusals>[number]>

const told = z.record(z.string(), z.unknown())

/** What needs no access token of ours. */
export const operations_paths: ZodOpenApiPathsObject = {
  '/oauth2/token': {
    post: {
      ...{ operationId: 'requestToken', summary: 'Request an access token', tags: ['Tokens'], security: [] },
      description: 'Id and secret in the form, or by Basic authentication.',
      requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: token_form } } },
      responses: {
        200: json('A token for an hour.', granted),
        400: json('RFC 6749 §5.2.', oauth_error),
        401: json('RFC 6749 §5.2, `invalid_client`.', oauth_error),
        429: json('Beyond a rate limit: see `Retry-After`.', oauth_error),
        ...(fault === undefined ? {} : { 500: fault }),
        ...(unavailable === undefined ? {} : { 503: unavailable }),
      },
    },
  },
  '/.well-known/jwks.json': {
    get: {
      ...{ operationId: 'getKeys', summary: 'Public keys of the webhooks', tags: ['Webhooks'], security: [] },
      responses: {
        200: json('A JWKS, the active key first.', z.object({ keys: z.array(told) })),
        ...refusals(),
      },
    },
  },
  '/.well-known/evidence-jwks.json': {
    get: {
      ...{
        operationId: 'getEvidenceKeys',
        summary: 'Public keys of exported evidence',
        tags: ['Records'],
        security: [],
      },
      responses: {
        200: json('A JWKS. A key stays in it for good.', z.object({ keys: z.array(told) })),
        ...refusals(),
      },
    },
  },
  '/.well-known/oauth-authorization-server': {
    get: {
      ...{ operationId: 'getTokenMetadata', summary: 'How to get access tokens', tags: ['Tokens'], security: [] },
      responses: { 200: json('RFC 8414.', told), ...refusals() },
    },
  },
  '/healthz': {
    get: {
      ...{ operationId: 'getHealth', summary: 'Whether the process lives', tags: ['Operation'], security: [] },
      responses: { 200: json('It does.', z.object({ status: z.literal('alive') })), ...refusals() },
    },
  },
  '/readyz': {
    get: {
      ...{ operationId: 'getReadiness', summary: 'Whether the node can serve', tags: ['Operation'], security: [] },
      responses: { 200: json('It can.', z.object({ status: z.literal('ready') })), ...refusals() },
    },
  },
  '/openapi.json': {
    get: {
      ...{ operationId: 'getDocument', summary: 'This document', tags: ['Operation'], security: [] },
      responses: { 200: json('OpenAPI 3.1.', told), ...refusals() },
    },
  },
  '/docs': {
    get: {
      ...{ operationId: 'getPage', summary: 'This document as a page', tags: ['Operation'], security: [] },
      responses: {
        200: { description: 'For people.', content: { 'text/html': { schema: z.string() } } },
        ...refusals(),
      },
    },
  },
}
