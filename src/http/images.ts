import type { Subject } from '@attestor/vision'
import type { RouterMiddleware } from '@koa/router'
import { ApiError } from '../base/api_error.ts'
import type { UncheckedImage } from '../verification/transactions/capture.ts'
import { requireCapturing, type Session } from '../verification/transactions/session.ts'
import { readBytes } from './body.ts'
import { readClientAddress } from './client_address.ts'
import type { CallState, EndpointDeps } from './endpoint.ts'
import { toNetwork } from './rate_limits.ts'

/** The result of a check, or the error where the image itself is to blame. */
async function resultOrImageError<T>(check: Promise<T>): Promise<T | ApiError> {
  try {
    return await check
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/**
 * Nothing is read for a session that can accept no image, and an image's bytes count as held until it is stored.
 * Decoding is the costly part. An image that fails it, or that is sent again, uses up no attempt: these have a limit of
 * their own.
 * @throws {ApiError} `not_allowed_in_state`, `unavailable`, 413, 415
 */
export function readImage(deps: EndpointDeps, subject: Subject): RouterMiddleware<CallState> {
  return async (ctx, next) => {
    const session = ctx.state.caller as Session
    requireCapturing(session)
    const { transaction_id, account_id: accountId } = session
    const network = toNetwork(readClientAddress(ctx.req, deps.trustedProxyHops))
    const upload = deps.uploadMemory.begin({ transaction_id, account_id: accountId, network })
    const limits = deps.imageLimits
    try {
      const content = await readBytes(ctx, limits.max_bytes, { onChunk: upload.hold, signal: upload.signal })
      upload.complete()
      const check = async (isRepeated = false) => {
        const image = await deps.imageFailures(deps.limits, ctx, transaction_id, async () => {
          const checked = deps.imageChecker.check({ content, limits, subject, accountId })
          const value = await resultOrImageError(checked)
          return { hasFailed: isRepeated || value instanceof ApiError, value }
        })
        if (image instanceof ApiError) throw image
        return image
      }
      ctx.state.body = { content, check } satisfies UncheckedImage
      await next()
    } finally {
      upload.end()
    }
  }
}
