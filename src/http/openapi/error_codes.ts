import type { ErrorCode } from '@attestor/api-reference'
import { type ApiErrorCode, errorStatuses } from '../../base/api_error.ts'
import { featureCaptures } from '../../features.ts'
import { recordedFailures } from './recorded_answers.ts'

type ErrorMeaning = Pick<ErrorCode, 'meaning' | 'advice' | 'retry'>

const no = 'No.'
const afterWait = 'Yes, after `Retry-After` seconds.'

const meanings: Readonly<Record<ApiErrorCode | 'internal_error', ErrorMeaning>> = {
  malformed_request: {
    meaning: 'It can’t be read: no valid HTTP, JSON or UTF-8, or a header given twice.',
    advice: 'Correct your program.',
    retry: no,
  },
  invalid_field: {
    meaning: 'A field breaks a rule. `error` names the first one as `<field path>: <rule violated>`.',
    advice: 'Correct the field.',
    retry: no,
  },
  invalid_token: {
    meaning: 'There is no token, or it is not valid or has expired.',
    advice: 'Get a new access token. A device whose `sdk_token` is not valid needs a new transaction.',
    retry: 'Once, with a new token.',
  },
  insufficient_scope: {
    meaning: 'The token is valid, but lacks the scope.',
    advice: 'Request the token with `scope=account-integration-api/account-api-access`.',
    retry: 'Once, with a new token.',
  },
  not_found: {
    meaning: 'There is no such path or id, or it is another account’s, or was erased.',
    advice: 'Check the id, and that the token is of its account.',
    retry: no,
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method.',
    advice: 'Use a method that `Allow` names.',
    retry: no,
  },
  timeout: {
    meaning: 'The request came too slowly.',
    advice: 'Upload smaller images on a slow connection.',
    retry: 'Yes.',
  },
  conflict: {
    meaning: 'It conflicts with existing data, as an external id that is registered with other data.',
    advice: 'Read the existing data. Nothing was changed.',
    retry: no,
  },
  not_allowed_in_state: {
    meaning: 'The transaction’s state does not accept this call; nothing was changed.',
    advice: 'Read the status, or the session’s `next_step`.',
    retry: no,
  },
  idempotency_key_in_use: {
    meaning: 'Another call with the same `Idempotency-Key` is under way.',
    advice: 'Repeat this call to get its answer.',
    retry: afterWait,
  },
  gone: {
    meaning: 'Its time is over: an expired or erased transaction, a link or a challenge.',
    advice: 'Open a new transaction, or ask for a new link or challenge.',
    retry: no,
  },
  damaged: {
    meaning: 'What is stored of a transaction or an image is missing or damaged. The rest of the service works.',
    advice: 'Tell the operator the `X-Request-Id`: `attestor doctor --all` says what was changed.',
    retry: no,
  },
  too_large: {
    meaning: 'The body, the image or the headers are larger than is accepted.',
    advice: 'Send less: 64 KiB of JSON; images as large as the session says.',
    retry: no,
  },
  unsupported_media_type: {
    meaning: 'The body is of another type than the call takes, or it is compressed.',
    advice: 'Send the `Content-Type` that the call documents, without `Content-Encoding`.',
    retry: no,
  },
  unusable_capture: {
    meaning: `The image is damaged, too small, or not the one that was asked for; or ${featureCaptures.map(({ words }) => words.content).join(' or ')} can’t be read.`,
    advice: 'Let the person take another photo, or try again. `error` says why.',
    retry: 'With another photo.',
  },
  attestation_refused: {
    meaning: 'What the device sent attests nothing: `error` says why. Its challenge is used up.',
    advice: 'Ask for a new challenge, and make a new key. A device that cannot be attested goes on without.',
    retry: 'Once, with a new challenge.',
  },
  signature_refused: {
    meaning: 'The upload is not signed by the attested key, or as it must be: `error` says why. Nothing is stored.',
    advice: 'Sign as the guide on attestation says, with the time of `server_time`.',
    retry: 'Yes, with a new signature.',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was used for another body within the last 24 hours.',
    advice: 'Make a new key for each new request.',
    retry: no,
  },
  rate_limited: {
    meaning: 'A rate limit is used up.',
    advice: 'Wait for webhooks instead of polling.',
    retry: afterWait,
  },
  internal_error: {
    meaning: 'A fault of the service. The body says no more; the operator’s log does.',
    advice: 'Give the operator the `X-Request-Id`.',
    retry: '`GET`, `PUT` and `DELETE` yes; `POST` with the same `Idempotency-Key`, where the call takes one.',
  },
  undelivered: {
    meaning: 'What sends messages refused this one, or did not answer in time.',
    advice: 'Show the link or its code instead.',
    retry: 'At most twice for a transaction.',
  },
  unavailable: {
    meaning: 'The node is busy, starting or stopping, or without its database. Nothing was changed.',
    advice: 'Wait.',
    retry: afterWait,
  },
  invalid_request: {
    meaning: 'Token endpoint only (RFC 6749 §5.2): a parameter is missing, unknown or given twice.',
    advice: 'Send the form as documented. `error_description` names the parameter.',
    retry: no,
  },
  invalid_client: {
    meaning: 'Token endpoint only (RFC 6749 §5.2): client id and secret don’t belong together, or were revoked.',
    advice: 'Check the configuration of your backend; ask the operator for a new secret.',
    retry: no,
  },
  invalid_scope: {
    meaning: 'Token endpoint only (RFC 6749 §5.2): the scope is another than the one that exists.',
    advice: 'Send `scope=account-integration-api/account-api-access`.',
    retry: no,
  },
  unsupported_grant_type: {
    meaning: 'Token endpoint only (RFC 6749 §5.2): `grant_type` is another than `client_credentials`.',
    advice: 'Send `grant_type=client_credentials`.',
    retry: no,
  },
}

function getStatus(code: string): number {
  return code === 'internal_error' ? 500 : (Object.entries(errorStatuses).find(([name]) => name === code)?.[1] ?? 500)
}

/**
 * The operations that show a code best; other codes are shown by the first operation that a recorded run made fail with
 * them.
 */
const shownBy: Readonly<Record<string, string>> = {
  malformed_request: 'createTransaction',
  invalid_field: 'createTransaction',
  not_found: 'getTransaction',
  not_allowed_in_state: 'cancelTransaction',
  gone: 'getSession',
  too_large: 'putDocumentFront',
  rate_limited: 'getTransaction',
}

/** The response with a code, of a recorded run. */
function getExample(code: string): { readonly example?: string } {
  const own = recordedFailures[shownBy[code] ?? '']?.[code]
  const body = own ?? Object.values(recordedFailures).find(failures => code in failures)?.[code]
  return body === undefined ? {} : { example: JSON.stringify(body) }
}

/** Every error code: its status, its meaning, what a caller should do, and a recorded body. */
export const errorCodes = Object.entries(meanings).map(([code, meaning]) => ({
  code,
  status: getStatus(code),
  ...meaning,
  ...getExample(code),
}))
