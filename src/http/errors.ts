import type { Context, Middleware } from 'koa'
import { ApiError, asError, toApiError } from '../base/api_error.ts'
import type { Log } from '../base/log.ts'
import { requestIdOf } from './request_id.ts'

/** Writes a refusal: the body is exactly `{error}` (spec, "Errors"), its stable code is in `X-Error-Code`. */
export const respondWithError = (ctx: Context, refusal: ApiError): void => {
  ctx.status = refusal.status
  ctx.set({ ...refusal.headers, 'X-Error-Code': refusal.code })
  ctx.body = { error: refusal.message }
}

const answerFault = (ctx: Context): void => {
  ctx.status = 500
  ctx.set('X-Error-Code', 'internal_error')
  ctx.body = { error: 'internal error' }
}

const hang_ups: readonly unknown[] = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

/** The caller hung up in the middle of its request: nobody is left to answer, and nothing of ours is broken. */
const isHangUp = (ctx: Context, error: Error): boolean =>
  ctx.req.destroyed && !ctx.req.complete && 'code' in error && hang_ups.includes(error.code)

/** The one place that turns what is thrown into an answer. A fault of ours is logged, and told to nobody. */
export const catchErrors =
  (log: Log): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (thrown) {
      const refusal = toApiError(thrown)
      if (refusal !== null) return respondWithError(ctx, refusal)
      const error = asError(thrown)
      if (isHangUp(ctx, error)) return respondWithError(ctx, new ApiError('malformed_request', 'aborted'))
      const { name, stack } = error
      log.error({ request_id: requestIdOf(ctx), method: ctx.method, name, stack }, 'a call failed')
      answerFault(ctx)
    }
  }
