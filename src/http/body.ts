import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import { ApiError, asError } from '../base/api_error.ts'
import { gatherPieces, joinPieces } from '../base/bytes.ts'
import { withoutPermit } from './concurrency.ts'
import { checkJsonShape } from './json_shape.ts'

export const maxJsonBytes = 64 * 1024
export const maxFormBytes = 16 * 1024

const parseForm = koaBody({
  formLimit: maxFormBytes,
  json: false,
  urlencodedTypes: ['application/x-www-form-urlencoded'],
  multipart: false,
  text: false,
  includeUnparsed: true,
  parsedMethods: Object.values(HttpMethodEnum),
})

function declaredLength(ctx: Context): number {
  return Number(ctx.get('content-length') || '0')
}

export function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || declaredLength(ctx) > 0
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `body: must be at most ${maxBytes} bytes`)
}

/** Rejects a request before anything is read. @throws {ApiError} 413, 415 */
function requirePlainBody(ctx: Context, maxBytes: number): void {
  const encoding = ctx.get('content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'content-encoding: must be absent')
  if (declaredLength(ctx) > maxBytes) throw tooLarge(maxBytes)
}

export interface ReadOptions {
  /** Gets the size of each piece, and may throw. */
  readonly onChunk?: (byteCount: number) => void
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal
}

/**
 * Calls `onChunk` for each chunk until the body has ended, or it throws. An iterator costs twice as much. After an early
 * exit the request stays open: the response still has to be sent on its connection.
 */
async function readStream({ req }: Context, onChunk: (chunk: Buffer) => void, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const take = (chunk: Buffer): void => {
    try {
      onChunk(chunk)
    } catch (error) {
      reject(error)
    }
  }
  const close = (): void => reject(Object.assign(new Error('the caller hung up'), { code: 'ECONNRESET' }))
  const abort = (): void => reject(signal?.reason)
  const listeners = { data: take, end: resolve, error: reject, close }
  for (const [name, listener] of Object.entries(listeners)) req.on(name, listener)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  if (req.destroyed) close()
  try {
    await promise
  } finally {
    req.pause()
    for (const [name, listener] of Object.entries(listeners)) req.off(name, listener)
    signal?.removeEventListener('abort', abort)
  }
}

/** Reads a body as it comes, in the pieces of `gatherPieces`. @throws {ApiError} 413, 415 */
export function readPieces(
  ctx: Context,
  maxBytes: number,
  { onChunk = () => {}, signal }: ReadOptions = {},
): Promise<readonly Buffer[]> {
  requirePlainBody(ctx, maxBytes)
  return withoutPermit(ctx, async () => {
    const pieces = gatherPieces()
    let size = 0
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      onChunk(chunk.length)
      pieces.add(chunk)
    }
    await readStream(ctx, take, signal)
    return pieces.end()
  })
}

/** Reads a body as it is. @throws {ApiError} 413, 415 */
async function readBytes(ctx: Context, maxBytes: number, options: ReadOptions = {}): Promise<Buffer> {
  return joinPieces(await readPieces(ctx, maxBytes, options))
}

function requireType(ctx: Context, type: string): void {
  const given = ctx.get('content-type')
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(given)?.[1] ?? 'utf-8'
  if (given.split(';')[0]?.trim().toLowerCase() !== type)
    throw new ApiError('unsupported_media_type', `content-type: must be ${type}`)
  if (!/^utf-?8$/i.test(charset))
    throw new ApiError('unsupported_media_type', 'content-type: the charset must be utf-8')
}

/** Reports afterwards whether a body was UTF-8: the parser writes U+FFFD for other bytes. */
function watchUtf8({ req }: Context): () => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  const decode = (chunk?: Buffer): void => {
    try {
      if (isUtf8) decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      isUtf8 = false
    }
  }
  req.on('data', decode)
  return () => {
    req.off('data', decode)
    decode()
    return isUtf8
  }
}

/** A JSON body before its fields are checked. */
export type JsonObject = Readonly<Record<string, unknown>>

function decodeUtf8(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new ApiError('malformed_request', 'body: must be UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('malformed_request', 'body: must be valid JSON')
  }
}

/** Reads a JSON body, unparsed. @throws {ApiError} 400, 413, 415 */
export async function readJsonBytes(ctx: Context, maxBytes: number, options: ReadOptions): Promise<Buffer> {
  if (!hasBody(ctx)) throw new ApiError('malformed_request', 'body: must be a JSON object')
  requireType(ctx, 'application/json')
  return readBytes(ctx, maxBytes, options)
}

/** Its shape is bounded before it is parsed. @throws {ApiError} `malformed_request` */
export function parseJsonObject(content: Uint8Array): JsonObject {
  const text = decodeUtf8(content)
  if (!/^[ \t\r\n]*\{/.test(text)) throw new ApiError('malformed_request', 'body: must be a JSON object')
  checkJsonShape(text)
  return parseJson(text) as JsonObject
}

/** Reads a form that holds files, undecoded. @throws {ApiError} 400, 413, 415 */
export async function readLargeForm(ctx: Context, maxBytes: number, options: ReadOptions): Promise<string> {
  requireType(ctx, 'application/x-www-form-urlencoded')
  return decodeUtf8(await readBytes(ctx, maxBytes, options))
}

/** Reads a form, undecoded, because a parser keeps one of two values of a name. @throws {ApiError} 400, 413, 415 */
export async function readForm(ctx: Context): Promise<string> {
  requireType(ctx, 'application/x-www-form-urlencoded')
  requirePlainBody(ctx, maxFormBytes)
  const endWatch = watchUtf8(ctx)
  const error = await withoutPermit(ctx, () =>
    parseForm(ctx, async () => null).catch((thrown: unknown) =>
      (thrown as { readonly status?: number }).status === 413 ? tooLarge(maxFormBytes) : asError(thrown),
    ),
  )
  if (!endWatch()) throw new ApiError('malformed_request', 'body: must be UTF-8')
  if (error instanceof Error) throw error
  return ctx.request.rawBody ?? ''
}
