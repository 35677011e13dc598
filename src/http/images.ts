import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { imageMediaTypes } from '../images/media_type.ts'
import type { Subject } from '../images/quality.ts'
import type { UncheckedImage } from '../transactions/capture.ts'
import { requireCapturing, type Session } from '../transactions/session.ts'
import { readBytes } from './bodies.ts'
import { createFailureLimit } from './failure_limit.ts'
import type { FrontDoor } from './front_door.ts'

/** One upload of a session, and what its image pictures. */
export interface ImageCall {
  readonly ctx: Context
  readonly session: Session
  readonly subject: Subject
}

/** Reads an upload and hands its image on, with the check that is still to be made of it. @throws {ApiError} */
export type WithImage = <T>(call: ImageCall, take: (image: UncheckedImage) => Promise<T>) => Promise<T>

const readDeclaredType = (ctx: Context): string | null => {
  const type = ctx.get('content-type').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/octet-stream') return null
  if (!imageMediaTypes.some(known => known === type))
    throw new ApiError('unsupported_media_type', `content-type: must be ${imageMediaTypes.join(', ')}`)
  return type
}

/** What a check came to, where it is the image's own fault. */
const outcomeOf = async <T>(check: Promise<T>): Promise<T | ApiError> => {
  try {
    return await check
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/**
 * Nothing is read for a session that can take no image, and the bytes of one count as held until it is stored. Decoding
 * is what costs: an image that is refused by it uses up no take, so that such ones have a limit of their own.
 */
export const imageReader = (door: FrontDoor): WithImage => {
  const refusals = createFailureLimit('refused_images')
  return async ({ ctx, session, subject }, take) => {
    requireCapturing(session)
    const declaredType = readDeclaredType(ctx)
    const { transaction_id, account_id: accountId } = session
    const upload = door.uploads.begin(session)
    const { image_limits: limits, imageChecker } = door
    try {
      const content = await readBytes(ctx, limits.max_bytes, upload.hold)
      const check = async () => {
        const image = await refusals(door.limits, ctx, transaction_id, async () => {
          const value = await outcomeOf(imageChecker.check({ content, declaredType, limits, subject, accountId }))
          return { has_failed: value instanceof ApiError, value }
        })
        if (image instanceof ApiError) throw image
        return image
      }
      return await take({ content, check })
    } finally {
      upload.end()
    }
  }
}
