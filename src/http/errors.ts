import type { Context, Middleware } from 'koa'
import { ApiError, type ApiErrorCode, asError, toApiError } from '../base/api_error.ts'
import { DecryptionError } from '../base/encryption.ts'
import type { Log } from '../base/log.ts'
import { UnreadableCaptureError } from '../verification/captures/new_capture.ts'
import { readRequestId } from './request_id.ts'

/** The body is exactly `{error}`; the stable code is in `X-Error-Code`. */
function sendError(
  ctx: Context,
  { status, headers, code, message }: Omit<ApiError, 'name' | 'code'> & { code: string },
): void {
  ctx.status = status
  ctx.set({ ...headers, 'X-Error-Code': code })
  ctx.body = { error: message }
}

const oauthCodes: readonly ApiErrorCode[] = ['invalid_client', 'invalid_scope', 'unsupported_grant_type']

/** RFC 6749 §5.2 has 400, and 401 for `invalid_client`. It has no code of its own for 429. */
function sendOAuthError(ctx: Context, error: ApiError): void {
  ctx.status = error.code === 'rate_limited' || error.code === 'invalid_client' ? error.status : 400
  ctx.set({ ...error.headers, 'X-Error-Code': error.code })
  const code = oauthCodes.includes(error.code) ? error.code : 'invalid_request'
  ctx.body = { error: code, error_description: error.message }
}

const hangUpCodes: readonly unknown[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']

function hasHangUpCode(error: Error): boolean {
  return 'code' in error && hangUpCodes.includes(error.code)
}

/** The caller hung up in the middle of its request: nobody is left to read the response, and nothing is broken here. */
function isHangUp(ctx: Context, error: Error): boolean {
  return ctx.req.destroyed && !ctx.req.complete && hasHangUpCode(error)
}

/** Finds stored data that is missing, or that the service did not write: only this call is affected. */
function findDamage(thrown: unknown): ApiError | null {
  if (thrown instanceof UnreadableCaptureError)
    return new ApiError('damaged', 'capture: what is stored of it is missing or damaged')
  return thrown instanceof DecryptionError ? new ApiError('damaged', 'what is stored is damaged') : null
}

/**
 * Turns every thrown error into a response; nothing else does. Any error but an `ApiError` is logged, and not
 * disclosed.
 */
export function catchErrors(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (thrown) {
      const apiError = toApiError(thrown)
      if (apiError !== null && ctx.state.hasOAuthErrors && apiError.status < 500) return sendOAuthError(ctx, apiError)
      if (apiError !== null) return sendError(ctx, apiError)
      const damage = findDamage(thrown)
      if (damage !== null) {
        log.error(
          { request_id: readRequestId(ctx), method: ctx.method, reason: asError(thrown).message },
          'stored data is damaged',
        )
        return sendError(ctx, damage)
      }
      const error = asError(thrown)
      if (isHangUp(ctx, error))
        return sendError(ctx, new ApiError('malformed_request', 'body: the connection was closed before its end'))
      const { name, stack } = error
      log.error({ request_id: readRequestId(ctx), method: ctx.method, name, stack }, 'a call failed')
      sendError(ctx, { status: 500, headers: {}, code: 'internal_error', message: 'internal error' })
    }
  }
}

/**
 * Logs an error that ends a response after it has begun: its status is sent, so its caller only sees the end of the
 * connection. A caller that hung up, and an `ApiError`, are no fault of the program.
 */
export function logBrokenResponse(log: Log) {
  return (thrown: unknown, ctx: Context): void => {
    const error = asError(thrown)
    const request_id = readRequestId(ctx)
    const apiError = toApiError(error)
    if (apiError !== null)
      log.warn({ request_id, code: apiError.code, reason: apiError.message }, 'a response broke off')
    else if (hasHangUpCode(error)) log.info({ request_id, name: error.name }, 'a connection broke')
    else log.error({ request_id, method: ctx.method, name: error.name, stack: error.stack }, 'a response broke off')
  }
}
