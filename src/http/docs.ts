import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { ApiDocuments } from './endpoint.ts'
import { sendPublication } from './publication.ts'

/** Nothing from other origins, and no script or style in the page itself. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A picture that is opened by itself may use its own style, and nothing else. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** A page of the documentation, or a file beside one. @throws {ApiError} `not_found` */
export function sendPage(ctx: Context, documents: ApiDocuments, path: string) {
  const page = documents.find(path)
  if (page === null) throw new ApiError('not_found', 'path: not found')
  const policy = page.type === 'image/svg+xml' ? picturePolicy : pagePolicy
  return sendPublication(ctx, page, { 'Content-Security-Policy': policy })
}
