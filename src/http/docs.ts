import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { ApiDocuments } from './endpoint.ts'
import { chooseForm, sendPublication } from './publication.ts'

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

/** A picture that is opened by itself runs no script. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** A page of the reference or the guides, its Markdown or picture, or the search's index. @throws {ApiError} `not_found` */
export function sendPage(ctx: Context, documents: ApiDocuments, path: string) {
  const page = documents.find(path)
  if (page === null) throw new ApiError('not_found', 'path: not found')
  const policy = page.type === 'image/svg+xml' ? picturePolicy : pagePolicy
  return sendPublication(ctx, page, { 'Content-Security-Policy': policy })
}

/** Folders below `docs` in an address for which there is a page without content: many more than any has. */
const maxFolders = 8

/**
 * Sends the page for an address without one, to a browser. Its links are relative, so it depends on how deep the address
 * is, and on nothing else.
 * @throws {ApiError} `not_found` for a caller that prefers JSON, or states no preference
 */
export function sendNothing(ctx: Context, documents: ApiDocuments) {
  ctx.vary('Accept')
  const folders = ctx.path.split('/').length - 3
  if (folders > maxFolders || ctx.accepts('json', 'html') !== 'html') throw new ApiError('not_found', 'path: not found')
  const { headers, body } = chooseForm(ctx, documents.findNothing(`docs${'/-'.repeat(folders + 1)}`))
  const more = { Vary: 'Accept, Accept-Encoding', 'Content-Security-Policy': pagePolicy, 'X-Error-Code': 'not_found' }
  return { status: 404, headers: { ...headers, ...more }, type: 'text/html', body } as const
}
