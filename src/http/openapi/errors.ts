import { z } from 'zod'
import { meaning } from '../../schemas/fields.ts'
import { unusedBody } from '../content.ts'
import type { DocumentedEndpoint } from '../endpoint.ts'
import { errorCodes } from './error_codes.ts'
import { recordedFailures } from './recorded_answers.ts'

const error = z
  .object({
    error: z
      .string()
      .meta(
        meaning(
          'The first rule broken: `<field path>: <rule violated>` where a field is to blame.',
          'email: must be an e-mail address',
        ),
      ),
  })
  .meta({
    id: 'Error',
    description: 'The first rule broken: `<field path>: <rule violated>` where a field is to blame.',
  })

/** RFC 6749 §5.2. */
const oauthError = z
  .object({
    error: z.string().meta(meaning('What went wrong, as a code of RFC 6749 §5.2.', 'invalid_client')),
    error_description: z.string().meta(meaning('What is wrong, for people.', 'client authentication failed')),
  })
  .meta({ id: 'OAuthError' })

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
  502: 'The operator’s receiver did not take the message.',
  503: 'Temporarily unavailable: see `Retry-After`.',
}

const ofAnyCall = [400, 500, 503]

const ofAuthentication: Readonly<Record<DocumentedEndpoint['authentication'], readonly number[]>> = {
  access_token: [401, 403, 410, 429],
  sdk_token: [401, 410, 429],
  operator: [401, 403],
  metrics_token: [401],
  none: [],
}

const ofBody = [413, 415]

const ofIdempotency = [409, 422]

/**
 * Operations whose 409 is about data: other data under a known id, or a lease that has ended. Elsewhere it is about the
 * state.
 */
const ofData = ['createCustomer', 'reportAttempt']

function hasFields({ isIdempotent, request }: DocumentedEndpoint): boolean {
  return (
    isIdempotent === true ||
    request?.query !== undefined ||
    (request?.body?.media === 'json' && request.body !== unusedBody)
  )
}

/** Codes that only some endpoints return. */
function isPossible(code: string, endpoint: DocumentedEndpoint): boolean {
  const { operationId, authentication, isIdempotent, request, errors = [], own_codes = [], errorFormat } = endpoint
  if (code.startsWith('idempotency_key')) return isIdempotent === true
  if (own_codes.some(own => own === code)) return true
  if (code === 'unusable_capture' || code === 'signature_refused') return request?.body?.media === 'image'
  if (code === 'attestation_refused') return false
  if (code === 'invalid_field') return errorFormat === undefined && hasFields(endpoint)
  // Damage is met wherever something stored is read.
  if (code === 'gone') return authentication === 'sdk_token' || errors.includes(410)
  if (code === 'conflict') return ofData.includes(operationId)
  if (code === 'not_allowed_in_state') return errors.includes(409) && !ofData.includes(operationId)
  const isOAuth = ['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type'].includes(code)
  return isOAuth === (errorFormat === 'oauth') || ['rate_limited', 'internal_error', 'unavailable'].includes(code)
}

function listCodes(endpoint: DocumentedEndpoint, status: number): readonly string[] {
  return errorCodes.filter(error => error.status === status && isPossible(error.code, endpoint)).map(({ code }) => code)
}

function header(description: string) {
  return z.string().meta({ description })
}

function errorHeaders(codes: readonly string[], status: number) {
  return z.object({
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
}

/** Recorded responses, one example for each code. */
function listExamples(operationId: string, codes: readonly string[]) {
  const recorded = recordedFailures[operationId] ?? {}
  const known = codes.filter(code => code in recorded)
  const examples = Object.fromEntries(known.map(code => [code, { summary: code, value: recorded[code] }]))
  return known.length === 0 ? {} : { examples }
}

function errorResponse(endpoint: DocumentedEndpoint, status: number) {
  const codes = listCodes(endpoint, status)
  const schema = endpoint.errorFormat === 'oauth' && status < 500 ? oauthError : error
  return {
    description: descriptions[status] ?? '',
    headers: errorHeaders(codes, status),
    content: { 'application/json': { schema, ...listExamples(endpoint.operationId, codes) } },
  }
}

/** Every error that an endpoint can return: its steps' and its own. */
export function errorResponses(endpoint: DocumentedEndpoint) {
  const { authentication, errorFormat, isIdempotent, isPage, request, errors = [] } = endpoint
  const statuses = new Set([
    ...ofAnyCall,
    ...ofAuthentication[authentication],
    ...(isPage ? [429] : []),
    // RFC 6749 has no words for them: the token endpoint documents its own.
    ...(request?.body === undefined || errorFormat === 'oauth' ? [] : ofBody),
    ...(isIdempotent ? ofIdempotency : []),
    ...errors,
  ])
  return Object.fromEntries([...statuses].map(status => [status, errorResponse(endpoint, status)]))
}
