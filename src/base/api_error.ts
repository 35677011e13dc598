import { DurableError } from 'durable-xstate-sql'

/** The status of each stable code of the `X-Error-Code` header. A code once published never changes its meaning. */
export const errorStatuses = {
  malformed_request: 400,
  invalid_field: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  not_allowed_in_state: 409,
  idempotency_key_in_use: 409,
  gone: 410,
  damaged: 410,
  too_large: 413,
  unsupported_media_type: 415,
  unusable_capture: 422,
  attestation_refused: 422,
  signature_refused: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  undelivered: 502,
  unavailable: 503,
  // Codes of RFC 6749 §5.2, for the token endpoint.
  invalid_request: 400,
  invalid_client: 401,
  invalid_scope: 400,
  unsupported_grant_type: 400,
} as const

export type ApiErrorCode = keyof typeof errorStatuses

/**
 * An error whose message is for the caller: the `error` of the response, `<field path>: <rule violated>` where a field is
 * at fault. Any other error is a fault of the service and becomes a 500 that says no more.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ApiErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ApiErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.status = errorStatuses[code]
    this.headers = headers
  }
}

/** The error as a caller of the API may read it; null for a fault of the service. */
export function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (!(error instanceof DurableError)) return null
  return error.code === 'unavailable' ? unavailable(error.message) : new ApiError(error.code, error.message)
}

/** 503 for a node that can't answer now: safe to retry after `retry_after_s` seconds. */
export function unavailable(message: string, retry_after_s = 2): ApiError {
  return new ApiError('unavailable', message, { 'Retry-After': String(retry_after_s) })
}

/** Makes an Error of anything that was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
