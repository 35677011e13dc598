import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { capturePermissions } from '../../pages/capture/files.ts'
import { defineEndpoint } from '../endpoint.ts'
import { verifyPath } from '../paths.ts'
import { chooseForm } from '../publication.ts'

export const getCapturePage = defineEndpoint({
  method: 'get',
  path: verifyPath,
  operationId: 'getCapturePage',
  summary: 'The capture page',
  description: 'For the person, who comes by `verify_url`: the token stays in the fragment, and a query is refused.',
  tag: 'Device',
  authentication: 'none',
  responses: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } } },
  async handler({ ctx }, { capturePages }) {
    // The page's files are relative to this path.
    if (ctx.path !== verifyPath) throw new ApiError('not_found', 'path: not found')
    // A token in a query would be in the logs of every proxy on the way.
    if (ctx.querystring !== '')
      throw new ApiError('invalid_field', 'query: must be empty: the token belongs into the fragment, after #')
    const { publication, policy } = await capturePages(ctx.acceptsLanguages())
    const { headers, body } = chooseForm(ctx, publication)
    const own = { 'Content-Security-Policy': policy, 'Permissions-Policy': capturePermissions }
    return { status: 200, headers: { ...headers, ...own }, type: publication.type, body }
  },
})
