import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { errorCodes } from './error_codes.ts'

const error = z.object({ error: z.string().meta({ example: 'config.webhook.url: must be an https URL' }) }).meta({
  id: 'Error',
  description: 'The first rule broken: `<field path>: <rule violated>` where a field is to blame.',
})

const descriptions: Readonly<Record<number, string>> = {
  400: 'Malformed, or the first rule broken, by its field.',
  401: 'No token, or an invalid one: get a new one and retry once.',
  403: 'The token lacks the scope.',
  404: 'Not found, or another account’s.',
  409: 'A conflict with existing data, or with the state.',
  410: 'Expired or erased.',
  413: 'Too large.',
  415: 'An unsupported media type or encoding.',
  422: 'A capture that can’t be used, or an `Idempotency-Key` that was used for another request.',
  429: 'Beyond a rate limit: see `Retry-After`.',
  500: 'An internal error.',
  503: 'Temporarily unavailable: see `Retry-After`.',
}

const ofAnyCall = [400, 429, 500, 503]

const ofAuthentication: Readonly<Record<Endpoint['authentication'], readonly number[]>> = {
  access_token: [401, 403],
  sdk_token: [401, 410],
  operator: [401, 403],
  metrics_token: [401],
  none: [],
}

/** A form's errors are those of RFC 6749, which the endpoint itself documents. */
const ofBody = { json: [413, 415], image: [413, 415], form: [] } as const

const ofIdempotency = [409, 422]

/** Codes that only some endpoints return. */
const isPossible = (code: string, { isIdempotent, request, errorFormat }: Endpoint): boolean => {
  if (code.startsWith('idempotency_key')) return isIdempotent === true
  if (code === 'unusable_capture') return request?.body?.media === 'image'
  const isOAuth = ['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type'].includes(code)
  return isOAuth === (errorFormat === 'oauth') || ['rate_limited', 'internal_error', 'unavailable'].includes(code)
}

const listCodes = (endpoint: Endpoint, status: number): readonly string[] =>
  errorCodes.filter(error => error.status === status && isPossible(error.code, endpoint)).map(({ code }) => code)

const header = (description: string) => z.string().meta({ description })

const errorHeaders = (codes: readonly string[], status: number) =>
  z.object({
    'X-Error-Code': header('What went wrong. A code never changes its meaning; new ones may come.').meta({
      override: { 'x-extensible-enum': [...codes] },
    }),
    'X-Request-Id': header('The call, for questions to the operator.'),
    ...([429, 503].includes(status) ? { 'Retry-After': header('Seconds until the call may be repeated.') } : {}),
    ...(status === 429
      ? {
          'RateLimit-Limit': header('Calls that the limit allows in a minute.'),
          'RateLimit-Reset': header('Seconds until all of them are there again.'),
        }
      : {}),
  })

const errorResponse = (endpoint: Endpoint, status: number) => ({
  description: descriptions[status] ?? '',
  headers: errorHeaders(listCodes(endpoint, status), status),
  content: { 'application/json': { schema: error } },
})

/** Every error that an endpoint can return: its steps' and its own. */
export const errorResponses = (endpoint: Endpoint) => {
  const { authentication, isIdempotent, request, errors = [] } = endpoint
  const statuses = new Set([
    ...ofAnyCall,
    ...ofAuthentication[authentication],
    ...(request?.body === undefined ? [] : ofBody[request.body.media]),
    ...(isIdempotent ? ofIdempotency : []),
    ...errors,
  ])
  return Object.fromEntries([...statuses].map(status => [status, errorResponse(endpoint, status)]))
}
