import { ImageError, type Subject } from '@attestor/vision'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Context } from 'koa'
import { ApiError, unavailable } from '../base/api_error.ts'
import { releaseBuffer } from '../base/bytes.ts'
import { joinUpload } from '../verification/captures/digest.ts'
import type { UncheckedImage } from '../verification/transactions/capture.ts'
import { requireCapturing, type Session } from '../verification/transactions/session.ts'
import { parseJsonObject, readJsonBytes, readPieces } from './body.ts'
import { readClientAddress } from './client_address.ts'
import type { LargeBody } from './content.ts'
import type { CallState, EndpointDeps } from './endpoint.ts'
import { toNetwork } from './rate_limits.ts'
import type { UploadOwner, UploadReservation } from './upload_memory.ts'

/** Begins to count the body of a call in the node's memory. @throws {ApiError} `unavailable` */
export function beginUpload(
  { uploadMemory, trustedProxyHops }: EndpointDeps,
  ctx: Context,
  owner: Omit<UploadOwner, 'network'>,
): UploadReservation {
  return uploadMemory.begin({ ...owner, network: toNetwork(readClientAddress(ctx.req, trustedProxyHops)) })
}

/** An image that was refused, in the terms of the API. */
function toApiError(error: unknown): unknown {
  if (!(error instanceof ImageError)) return error
  return error.code === 'unavailable' ? unavailable(error.message) : new ApiError(error.code, error.message)
}

/** Returns the result of a check, or the error if the upload is to blame. */
async function resultOrError<T>(check: Promise<T>): Promise<T | ApiError> {
  try {
    return await check
  } catch (cause) {
    const error = toApiError(cause)
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/**
 * The nonce of an upload's signature; null without one. To verify one costs little, but wrong ones share the limit of images.
 * @throws {ApiError} `signature_refused`, `rate_limited`
 */
async function readSignature(
  deps: EndpointDeps,
  ctx: RouterContext<CallState>,
  content: Uint8Array,
): Promise<string | null> {
  const session = ctx.state.caller as Session
  const header = (name: string): string | null => ctx.get(name) || null
  const signed = await resultOrError(
    deps.readSignature(session, { method: ctx.method, path: ctx.path, header }, content),
  )
  if (!(signed instanceof ApiError)) return signed
  const failed = { hasFailed: true, value: signed }
  throw await deps.imageFailures(deps.limits, ctx, session.transaction_id, async () => failed)
}

/**
 * Files in JSON. Nothing is read where the transaction asks for none. To parse and to check them is the costly part: those
 * that are refused use up no attempt, and share the limit of images.
 * @throws {ApiError} `not_allowed_in_state`, `unavailable`, 400, 413, 415
 */
export function readFiles(deps: EndpointDeps, { max_bytes, admit }: LargeBody): RouterMiddleware<CallState> {
  return async (ctx, next) => {
    const session = ctx.state.caller as Session
    admit(session)
    const { transaction_id, account_id } = session
    const upload = beginUpload(deps, ctx, { transaction_id, account_id })
    try {
      const content = await readJsonBytes(ctx, max_bytes, { onChunk: upload.hold, signal: upload.signal })
      upload.complete()
      ctx.state.signed = await readSignature(deps, ctx, content)
      const failure = await deps.imageFailures(deps.limits, ctx, transaction_id, async () => {
        const handled = async (): Promise<null> => {
          ctx.state.json = parseJsonObject(content)
          await next()
          return null
        }
        const value = await resultOrError(handled())
        return { hasFailed: value !== null, value }
      })
      if (failure !== null) throw failure
    } finally {
      upload.end()
    }
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
    const upload = beginUpload(deps, ctx, { transaction_id, account_id: accountId })
    const limits = deps.imageLimits
    let content: Uint8Array = new Uint8Array()
    try {
      const pieces = await readPieces(ctx, limits.max_bytes, { onChunk: upload.hold, signal: upload.signal })
      upload.complete()
      content = await joinUpload(pieces)
      const signed = await readSignature(deps, ctx, content)
      const check = async (isRepeated = false) => {
        const image = await deps.imageFailures(deps.limits, ctx, transaction_id, async () => {
          const checked = deps.imageChecker.check({ content, limits, subject, accountId })
          const value = await resultOrError(checked)
          return { hasFailed: isRepeated || value instanceof ApiError, value }
        })
        if (image instanceof ApiError) throw image
        return image
      }
      ctx.state.body = { content, signed, check } satisfies UncheckedImage
      await next()
    } catch (error) {
      releaseBuffer(content)
      throw error
    } finally {
      upload.end()
    }
  }
}
