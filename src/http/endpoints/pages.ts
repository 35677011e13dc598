import { capturePermissions, type Logo, readCaptureScript } from '@attestor/capture-page'
import type { Context } from 'koa'
import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { anyObject } from '../../schemas/common.ts'
import { idField } from '../../schemas/fields.ts'
import { readPageFacts } from '../../verification/transactions/rows.ts'
import { embedderPolicy, sendAsset } from '../assets.ts'
import { findBranding, findLogo } from '../capture_pages.ts'
import { sendNothing, sendPage } from '../docs.ts'
import { type ApiDocuments, defineEndpoint, defineUndocumented, type EndpointDeps } from '../endpoint.ts'
import { transactionPage, verifyPath } from '../paths.ts'
import { chooseForm, publish, sendPublication } from '../publication.ts'
import { unchanged } from '../shapes/chart.ts'

/**
 * Isolated pages (COOP with COEP) only frame resources that are shared with them and that promise themselves to load
 * nothing else.
 */
const framedHeaders = { 'Cross-Origin-Resource-Policy': 'cross-origin', ...embedderPolicy }

/** An account's page, for these origins to frame. */
async function sendCapturePage(
  ctx: Context,
  deps: EndpointDeps,
  account_id: string | null,
  origins: readonly string[],
) {
  // Mailers add a slash, and the page's files are relative to the path. Browsers keep the fragment.
  if (ctx.path.endsWith('/')) return { status: 308, headers: { Location: `../${ctx.path.split('/').at(-2)}` } } as const
  const own = account_id === null ? null : await findBranding(deps, account_id)
  const { publication, policy } = await deps.capturePages(own, ctx.acceptsLanguages())
  const { headers, body } = chooseForm(ctx, publication)
  const isFramed = origins.length > 0
  const more = {
    'Content-Security-Policy': `${policy}; frame-ancestors ${isFramed ? origins.join(' ') : "'none'"}`,
    'Permissions-Policy': capturePermissions,
    ...(isFramed ? framedHeaders : {}),
  }
  // It knows no list of origins, and browsers that know frame-ancestors ignore it.
  if (isFramed) ctx.remove('X-Frame-Options')
  return { status: 200, headers: { ...headers, ...more }, type: publication.type, body } as const
}

export const getCapturePage = defineEndpoint({
  method: 'get',
  path: verifyPath,
  operationId: 'getCapturePage',
  summary: 'The capture page',
  description:
    'For the person, who comes by `verify_url`: the token stays in the fragment. A query, as mailers add one, changes nothing.',
  tag: 'Device',
  authentication: 'none',
  isPage: true,
  responses: {
    200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } },
    308: { description: 'The path ends in a slash: the page is at the one without.' },
  },
  handler: ({ ctx }, deps) => sendCapturePage(ctx, deps, null, []),
})

/**
 * The same page as its account wants it to look, which the pages of `config.embed_origins` may show in a frame. Any id is
 * answered: one that is unknown with the operator’s page, which nobody may frame.
 */
export const getTransactionPage = defineUndocumented({
  method: 'get',
  path: transactionPage,
  authentication: 'none',
  isPage: true,
  request: { path: { transaction_id: idField() } },
  async handler({ ctx, path }, deps) {
    const { account_id, embed_origins } = await readPageFacts(deps.transactions, path.transaction_id)
    // The operator may have taken one back since.
    return sendCapturePage(
      ctx,
      deps,
      account_id,
      embed_origins.filter(origin => deps.embedOrigins.includes(origin)),
    )
  },
})

let script: ReturnType<typeof publish> | null = null

/** The script for an integrator's page: `Attestor.open` and `<attestor-capture>` show the capture page in a frame. */
export const getCaptureScript = defineUndocumented({
  method: 'get',
  path: '/capture.js',
  authentication: 'none',
  handler({ ctx }) {
    script ??= publish('text/javascript; charset=utf-8', readCaptureScript())
    const shared = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
    return sendPublication(ctx, script, shared)
  },
})

/** An SVG that is opened by itself runs no script, and is not of this origin. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

function send(logo: Logo | null) {
  if (logo === null) throw new ApiError('not_found', 'logo: not found')
  const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': policy }
  return { status: 200, headers, type: logo.type, body: logo.content } as const
}

export const getLogo = defineEndpoint({
  method: 'get',
  path: `${verifyPath}/logo`,
  operationId: 'getLogo',
  summary: 'The operator’s logo',
  description: 'The picture that the operator’s branding names, for the capture page; 404 where there is none.',
  tag: 'Device',
  authentication: 'none',
  responses: { 200: { description: 'A PNG, WebP or SVG picture.', content: { 'image/*': {} } } },
  errors: [404],
  handler: (_call, { branding }) => send(branding.logo),
})

/** The logo of an account, as the console or the operator’s file has it. */
export const getAccountLogo = defineUndocumented({
  method: 'get',
  path: `${verifyPath}/logo/{account_id}`,
  authentication: 'none',
  request: { path: { account_id: idField() } },
  handler: async ({ path: { account_id } }, deps) => send(await findLogo(deps, account_id)),
})

export const getDocument = defineEndpoint({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  summary: 'This document',
  description: 'The API as an OpenAPI 3.1 document, made of the schemas that calls are checked by.',
  tag: 'Operation',
  authentication: 'none',
  isPage: true,
  responses: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: anyObject } } },
    304: unchanged,
  },
  handler: ({ ctx }, { documents }) => sendPublication(ctx, documents.json),
})

export const getPage = defineEndpoint({
  method: 'get',
  path: '/docs',
  operationId: 'getPage',
  summary: 'This document as pages',
  description:
    'The API as pages for people. Nothing is loaded from elsewhere, and the pages can be read without script.',
  tag: 'Operation',
  authentication: 'none',
  isPage: true,
  responses: { 200: { description: 'For people.', content: { 'text/html': { schema: z.string() } } }, 304: unchanged },
  handler: ({ ctx }, { documents }) => sendPage(ctx, documents, 'docs'),
})

/** A page below `/docs` or `/guides`, the Markdown or a picture beside it, or the index of the search. */
function sendPageBelow(ctx: Context, documents: ApiDocuments) {
  const path = ctx.path.slice(1)
  if (documents.find(path) !== null) return sendPage(ctx, documents, path)
  // A page's links are relative, so it must have one address only.
  const own = path.replace(/\/$/, '')
  if (documents.find(own) === null) return sendNothing(ctx, documents)
  return { status: 308, headers: { Location: `../${own.split('/').at(-1)}` } } as const
}

const pageBelow = {
  method: 'get',
  authentication: 'none',
  isPage: true,
  // The schema serves only the router: an address with escapes is another one.
  request: { path: { path: z.string() } },
} as const

/** A page of the reference: a group of operations, the errors, the shapes, or the index of the search. */
export const getDocsPage = defineUndocumented({
  ...pageBelow,
  path: '/docs/{*path}',
  handler: ({ ctx }, { documents }) => sendPageBelow(ctx, documents),
})

/** The guides of this version, and the Markdown of each. */
export const getGuides = defineUndocumented({
  method: 'get',
  path: '/guides',
  authentication: 'none',
  isPage: true,
  handler: ({ ctx }, { documents }) => sendPage(ctx, documents, 'guides'),
})

export const getGuide = defineUndocumented({
  ...pageBelow,
  path: '/guides/{*path}',
  handler: ({ ctx }, { documents }) => sendPageBelow(ctx, documents),
})

/** The list of the pages, for programs (llmstxt.org). */
export const getPageIndex = defineUndocumented({
  method: 'get',
  path: '/llms.txt',
  authentication: 'none',
  isPage: true,
  handler: ({ ctx }, { documents }) => sendPage(ctx, documents, 'llms.txt'),
})

/** A script, a style or a picture of the pages that this service shows. */
export const getAsset = defineUndocumented({
  method: 'get',
  path: '/assets/{version}/{*path}',
  authentication: 'none',
  request: { path: { version: z.string(), path: z.string() } },
  handler: ({ path, ctx }, { assets }) => sendAsset(ctx, assets, path),
})
