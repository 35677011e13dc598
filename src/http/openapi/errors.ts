import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'

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

const errorResponse = (status: number) => ({
  description: descriptions[status] ?? '',
  headers: z.object({
    'X-Error-Code': z.string().meta({ description: 'Stable.' }),
    'X-Request-Id': z.string(),
    ...([429, 503].includes(status) ? { 'Retry-After': z.string().meta({ description: 'Seconds.' }) } : {}),
    ...(status === 429 ? { 'RateLimit-Limit': z.string(), 'RateLimit-Reset': z.string() } : {}),
  }),
  content: { 'application/json': { schema: error } },
})

/** Every error that an endpoint can return: its steps' and its own. */
export const errorResponses = ({ authentication, isIdempotent, request, errors = [] }: Endpoint) => {
  const statuses = new Set([
    ...ofAnyCall,
    ...ofAuthentication[authentication],
    ...(request?.body === undefined ? [] : ofBody[request.body.media]),
    ...(isIdempotent ? ofIdempotency : []),
    ...errors,
  ])
  return Object.fromEntries([...statuses].map(status => [status, errorResponse(status)]))
}
