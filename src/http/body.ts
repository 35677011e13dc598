import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { joinChunks } from '../base/pieces.ts'
import { withoutPermit } from './concurrency.ts'

const maxJsonBytes = 64 * 1024
const maxFormBytes = 16 * 1024
const maxJsonDepth = 32

const tooLarge = (maxBytes: number): ApiError => new ApiError('too_large', `body: must be at most ${maxBytes} bytes`)

const declaredLength = (ctx: Context): number => Number(ctx.get('content-length') || '0')

export const hasBody = (ctx: Context): boolean => ctx.get('transfer-encoding') !== '' || declaredLength(ctx) > 0

/**
 * Reads a body as it is. `onChunk` gets the size of each piece and may throw. These few lines replace a body parser,
 * which would decode before it checks, and read on while the call keeps its permit.
 * @throws {ApiError} 413, 415
 */
export const readBytes = async (
  ctx: Context,
  maxBytes: number,
  onChunk: (byteCount: number) => void = () => {},
): Promise<Buffer> => {
  const encoding = ctx.get('content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'content-encoding: must be absent')
  if (declaredLength(ctx) > maxBytes) throw tooLarge(maxBytes)
  return withoutPermit(ctx, async () => {
    const chunks: Buffer[] = []
    let size = 0
    // After an early exit the request stays open: the response still has to be sent on its connection.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > maxBytes) throw tooLarge(maxBytes)
      onChunk((chunk as Buffer).length)
      chunks.push(chunk as Buffer)
    }
    return joinChunks(chunks, size)
  })
}

const requireType = (ctx: Context, type: string): void => {
  const given = ctx.get('content-type')
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(given)?.[1] ?? 'utf-8'
  if (given.split(';')[0]?.trim().toLowerCase() !== type)
    throw new ApiError('unsupported_media_type', `content-type: must be ${type}`)
  if (!/^utf-?8$/i.test(charset))
    throw new ApiError('unsupported_media_type', 'content-type: the charset must be utf-8')
}

const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('malformed_request', 'body: must be UTF-8')
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('malformed_request', 'body: must be valid JSON')
  }
}

const isTooDeep = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some(child => isTooDeep(child, left - 1)))

/** A JSON body before its fields are checked. */
export type JsonObject = Readonly<Record<string, unknown>>

/** @throws {ApiError} 400, 413, 415 */
export const readJson = async (ctx: Context): Promise<JsonObject> => {
  if (!hasBody(ctx)) throw new ApiError('malformed_request', 'body: must be a JSON object')
  requireType(ctx, 'application/json')
  const value = parseJson(decodeUtf8(await readBytes(ctx, maxJsonBytes)))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('malformed_request', 'body: must be a JSON object')
  if (isTooDeep(value, maxJsonDepth)) throw new ApiError('malformed_request', 'body: is nested too deeply')
  return value as JsonObject
}

/** Reads a form, undecoded. @throws {ApiError} 400, 413, 415 */
export const readForm = async (ctx: Context): Promise<Buffer> => {
  requireType(ctx, 'application/x-www-form-urlencoded')
  const form = await readBytes(ctx, maxFormBytes)
  decodeUtf8(form)
  return form
}
