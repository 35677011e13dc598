import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { ApiError } from '../base/api_error.ts'
import { withoutPermit } from './calls.ts'

const json_type = 'application/json'
const form_type = 'application/x-www-form-urlencoded'
/** decisions.md, "HTTP", sizes, in bytes. */
const largest_json = 64 * 1024
const largest_form = 16 * 1024
const deepest_json = 32

const tooLarge = (largest: number): ApiError => new ApiError('too_large', `body: must be at most ${largest} bytes`)

const refuseEncoding = (ctx: Context): void => {
  const encoding = ctx.get('content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'content-encoding: must be absent')
}

/** Read as bytes (Node's `binary`, a character each), so that bad UTF-8 is seen instead of being replaced. */
const readerOf = (type: string, largest: number) =>
  koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [type],
    textLimit: largest,
    encoding: 'binary',
    onError: error => {
      throw 'type' in error && error.type === 'entity.too.large'
        ? tooLarge(largest)
        : new ApiError('malformed_request', 'body: could not be read')
    },
  })

const readJsonText = readerOf(json_type, largest_json)
const readFormText = readerOf(form_type, largest_form)

/** A length that no call of ours has is refused before anyone waits for its bytes (the library reads it as 32 bits). */
const refuseLength = (ctx: Context, largest: number): void => {
  if (Number(ctx.get('content-length') || '0') > largest) throw tooLarge(largest)
}

const hasBody = (ctx: Context): boolean =>
  ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || '0') > 0

const bytesOf = (ctx: Context): Buffer => {
  const { body } = ctx.request as { body?: unknown }
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.alloc(0)
}

const done = async (): Promise<void> => {}

const requireType = (ctx: Context, type: string): void => {
  const given = ctx.get('content-type')
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(given)?.[1] ?? 'utf-8'
  if (given.split(';')[0]?.trim().toLowerCase() !== type)
    throw new ApiError('unsupported_media_type', `content-type: must be ${type}`)
  if (!/^utf-?8$/i.test(charset))
    throw new ApiError('unsupported_media_type', 'content-type: the charset must be utf-8')
}

const decoded = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('malformed_request', 'body: must be UTF-8')
  }
}

const parsed = (text: string): unknown => {
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

/** What a JSON body holds; what it means is for the caller to check. */
export type JsonObject = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('malformed_request', 'body: must be a JSON object')
  if (isTooDeep(value, deepest_json)) throw new ApiError('malformed_request', 'body: is nested too deeply')
  return value as JsonObject
}

/** Reads a JSON object of at most 64 KiB. @throws {ApiError} 400, 413, 415 */
export const readJson = async (ctx: Context): Promise<JsonObject> => {
  if (!hasBody(ctx)) throw new ApiError('malformed_request', 'body: must be a JSON object')
  requireType(ctx, json_type)
  refuseEncoding(ctx)
  refuseLength(ctx, largest_json)
  await withoutPermit(ctx, () => readJsonText(ctx, done))
  return objectOf(parsed(decoded(bytesOf(ctx))))
}

/** `readJson` where no body at all means `{}`. */
export const readOptionalJson = async (ctx: Context): Promise<JsonObject> => (hasBody(ctx) ? readJson(ctx) : {})

/** Reads a form of at most 16 KiB, undecoded. @throws {ApiError} 400, 413, 415 */
export const readForm = async (ctx: Context): Promise<Buffer> => {
  requireType(ctx, form_type)
  refuseEncoding(ctx)
  refuseLength(ctx, largest_form)
  await withoutPermit(ctx, () => readFormText(ctx, done))
  const form = bytesOf(ctx)
  decoded(form)
  return form
}

/** Reads a body as it is; `took` hears of each piece of it and may refuse it. @throws {ApiError} 413, 415 */
export const readBytes = async (ctx: Context, largest: number, took: (bytes: number) => void): Promise<Buffer> => {
  refuseEncoding(ctx)
  refuseLength(ctx, largest)
  return withoutPermit(ctx, async () => {
    const chunks: Buffer[] = []
    let size = 0
    // Left early, the request stays open: the answer still has to go out on its connection.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > largest) throw tooLarge(largest)
      took((chunk as Buffer).length)
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks, size)
  })
}
