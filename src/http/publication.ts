import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Context } from 'koa'
import { createSharedContent, markShared } from './response_memory.ts'

/** Content that is the same for every caller until another build is installed. */
export interface Publication {
  readonly type: string
  readonly content: Buffer
  /** The same, compressed at the first request for it. */
  readonly gzip: Buffer
  readonly hash: string
}

export function publish(type: string, text: string): Publication {
  let gzip: Buffer | null = null
  return {
    type,
    content: createSharedContent(text),
    get gzip() {
      gzip ??= markShared(gzipSync(text))
      return gzip
    },
    hash: createHash('sha256').update(text).digest('base64url'),
  }
}

/** RFC 9110 §13.1.2. Koa's own `fresh` is false for every call by `fetch`, which adds `Cache-Control: no-cache`. */
function matches(ctx: Context, etag: string): boolean {
  return ctx
    .get('If-None-Match')
    .split(',')
    .some(known => ['*', etag].includes(known.trim().replace(/^W\//, '')))
}

/** Compressed if the caller accepts that. */
export function chooseForm(ctx: Context, publication: Publication) {
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  const headers: Record<string, string> = {
    Vary: 'Accept-Encoding',
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  }
  return { isCompressed, headers, body: isCompressed ? publication.gzip : publication.content } as const
}

/** The reply with a publication, or 304 where the caller has it. */
export function sendPublication(ctx: Context, publication: Publication, more: Record<string, string> = {}) {
  const { type, hash } = publication
  const form = chooseForm(ctx, publication)
  // The compressed form is another representation, with an ETag of its own (RFC 9110 §8.8.3).
  const etag = form.isCompressed ? `"${hash}-gzip"` : `"${hash}"`
  const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag, ...more }
  if (matches(ctx, etag)) return { status: 304, headers: { ...headers, Vary: 'Accept-Encoding' } } as const
  return { status: 200, headers: { ...headers, ...form.headers }, type, body: form.body } as const
}
