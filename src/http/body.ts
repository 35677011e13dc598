import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import { ApiError, asError } from '../base/api_error.ts'
import { joinChunks } from '../base/bytes.ts'
import { withoutPermit } from './concurrency.ts'

const maxJsonBytes = 64 * 1024
const maxFormBytes = 16 * 1024
const maxJsonDepth = 32

function createParser(jsonLimit: number) {
  return koaBody({
    jsonLimit,
    formLimit: maxFormBytes,
    jsonTypes: ['application/json'],
    urlencodedTypes: ['application/x-www-form-urlencoded'],
    multipart: false,
    text: false,
    includeUnparsed: true,
    parsedMethods: Object.values(HttpMethodEnum),
  })
}

const parse = createParser(maxJsonBytes)

function declaredLength(ctx: Context): number {
  return Number(ctx.get('content-length') || '0')
}

export function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || declaredLength(ctx) > 0
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `body: must be at most ${maxBytes} bytes`)
}

/** Before anything is read. @throws {ApiError} 413, 415 */
export function requirePlainBody(ctx: Context, maxBytes: number): void {
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

/** Rejects with a signal's reason. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  if (signal.aborted) reject(signal.reason)
  return promise
}

/** Reads a body as it is. @throws {ApiError} 413, 415 */
export function readBytes(
  ctx: Context,
  maxBytes: number,
  { onChunk = () => {}, signal = new AbortController().signal }: ReadOptions = {},
): Promise<Buffer> {
  requirePlainBody(ctx, maxBytes)
  return withoutPermit(ctx, async () => {
    const chunks: Buffer[] = []
    let size = 0
    // After an early exit the request stays open: the response still has to be sent on its connection.
    const read = async (): Promise<void> => {
      for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
        size += (chunk as Buffer).length
        if (size > maxBytes) throw tooLarge(maxBytes)
        onChunk((chunk as Buffer).length)
        chunks.push(chunk as Buffer)
      }
    }
    await Promise.race([read(), whenAborted(signal)])
    return joinChunks(chunks, size)
  })
}

function requireType(ctx: Context, type: string): void {
  const given = ctx.get('content-type')
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(given)?.[1] ?? 'utf-8'
  if (given.split(';')[0]?.trim().toLowerCase() !== type)
    throw new ApiError('unsupported_media_type', `content-type: must be ${type}`)
  if (!/^utf-?8$/i.test(charset))
    throw new ApiError('unsupported_media_type', 'content-type: the charset must be utf-8')
}

/** Tells afterwards whether a body was UTF-8: the parser writes U+FFFD for what is not. */
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

/** Turns the parser's error into the caller's. `body` is the text that is no JSON. */
function toBodyError(thrown: unknown, maxBytes: number): Error {
  const { status, body } = thrown as { readonly status?: number; readonly body?: string }
  if (status === 413) return tooLarge(maxBytes)
  if (typeof body !== 'string') return asError(thrown)
  if (!/^\s*[[{]/.test(body)) return new ApiError('malformed_request', 'body: must be a JSON object')
  const isJson = asError(thrown).message.includes('prototype')
  return new ApiError('malformed_request', `body: must ${isJson ? 'not contain __proto__' : 'be valid JSON'}`)
}

interface Parsed {
  readonly value: unknown
  readonly text: string
}

async function readParsed(ctx: Context, maxBytes: number): Promise<Parsed> {
  const parseBody = maxBytes > maxJsonBytes ? createParser(maxBytes) : parse
  requirePlainBody(ctx, maxBytes)
  const endWatch = watchUtf8(ctx)
  const error = await withoutPermit(ctx, () =>
    parseBody(ctx, async () => null).catch((thrown: unknown) => toBodyError(thrown, maxBytes)),
  )
  if (!endWatch()) throw new ApiError('malformed_request', 'body: must be UTF-8')
  if (error instanceof Error) throw error
  const { body: value, rawBody: text = '' } = ctx.request
  return { value, text }
}

function isTooDeep(value: unknown, left: number): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (left === 0 || Object.values(value).some(child => isTooDeep(child, left - 1)))
  )
}

/** The first member that an object of a JSON text has twice, of which a parser keeps the last. `json` is valid. */
export function findRepeatedMember(json: string): string | null {
  const open: Set<string>[] = []
  for (const [token, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (key !== undefined) {
      const name = JSON.parse(key) as string
      if (open.at(-1)?.has(name)) return name
      open.at(-1)?.add(name)
    }
  }
  return null
}

/** A JSON body before its fields are checked. */
export type JsonObject = Readonly<Record<string, unknown>>

/** @throws {ApiError} 400, 413, 415 */
export async function readJson(ctx: Context, maxBytes = maxJsonBytes): Promise<JsonObject> {
  if (!hasBody(ctx)) throw new ApiError('malformed_request', 'body: must be a JSON object')
  requireType(ctx, 'application/json')
  const { value, text } = await readParsed(ctx, maxBytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || text === '')
    throw new ApiError('malformed_request', 'body: must be a JSON object')
  if (isTooDeep(value, maxJsonDepth)) throw new ApiError('malformed_request', 'body: is nested too deeply')
  const repeated = findRepeatedMember(text)
  if (repeated !== null) throw new ApiError('malformed_request', `${repeated.slice(0, 64)}: given more than once`)
  return value as JsonObject
}

/** Reads a form, undecoded, because a parser keeps one of two values of a name. @throws {ApiError} 400, 413, 415 */
export async function readForm(ctx: Context): Promise<string> {
  requireType(ctx, 'application/x-www-form-urlencoded')
  return (await readParsed(ctx, maxFormBytes)).text
}
