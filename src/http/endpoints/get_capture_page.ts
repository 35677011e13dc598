import type { Context } from 'koa'
import { z } from 'zod'
import { capturePermissions } from '../../pages/capture/files.ts'
import { readPageFacts } from '../../verification/transactions/rows.ts'
import { defineEndpoint, defineUndocumented, type EndpointDeps } from '../endpoint.ts'
import { idField } from '../fields.ts'
import { transactionPage, verifyPath } from '../paths.ts'
import { chooseForm } from '../publication.ts'

/** An account's page, for these origins to frame; a frame's is shared with them, which the strict headers would forbid. */
async function sendPage(
  ctx: Context,
  { capturePages }: EndpointDeps,
  account_id: string | null,
  origins: readonly string[],
) {
  // Mailers add a slash, and the page's files are relative to the path. Browsers keep the fragment.
  if (ctx.path.endsWith('/')) return { status: 308, headers: { Location: `../${ctx.path.split('/').at(-2)}` } } as const
  const { publication, policy } = await capturePages(account_id, ctx.acceptsLanguages())
  const { headers, body } = chooseForm(ctx, publication)
  const isFramed = origins.length > 0
  const own = {
    'Content-Security-Policy': `${policy}; frame-ancestors ${isFramed ? origins.join(' ') : "'none'"}`,
    'Permissions-Policy': capturePermissions,
    ...(isFramed ? { 'Cross-Origin-Resource-Policy': 'cross-origin' } : {}),
  }
  // It knows no list of origins, and browsers that know frame-ancestors ignore it.
  if (isFramed) ctx.remove('X-Frame-Options')
  return { status: 200, headers: { ...headers, ...own }, type: publication.type, body } as const
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
  responses: {
    200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } },
    308: { description: 'The path ends in a slash: the page is at the one without.' },
  },
  handler: ({ ctx }, deps) => sendPage(ctx, deps, null, []),
})

/**
 * The same page as its account wants it to look, which the pages of `config.embed_origins` may show in a frame. Any id is
 * answered: one that is unknown with the operator’s page, which nobody may frame.
 */
export const getTransactionPage = defineUndocumented({
  method: 'get',
  path: transactionPage,
  authentication: 'none',
  request: { path: { transaction_id: idField() } },
  async handler({ ctx, path }, deps) {
    const { account_id, embed_origins } = await readPageFacts(deps.transactions, path.transaction_id)
    // The operator may have taken one back since.
    return sendPage(
      ctx,
      deps,
      account_id,
      embed_origins.filter(origin => deps.embedOrigins.includes(origin)),
    )
  },
})
