import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { capturePermissions, capturePolicy, captureScript, renderCapturePage } from '../../capture_page/files.ts'
import { getAssetPath } from '../assets.ts'
import { defineEndpoint } from '../endpoint.ts'
import { verifyPath } from '../paths.ts'

const headers = { 'Content-Security-Policy': capturePolicy, 'Permissions-Policy': capturePermissions }

export const getCapturePage = defineEndpoint({
  method: 'get',
  path: verifyPath,
  operationId: 'getCapturePage',
  summary: 'The capture page',
  description: 'For the person, who comes by `verify_url`: the token stays in the fragment, and a query is refused.',
  tag: 'Device',
  authentication: 'none',
  responses: { 200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } } },
  handler({ ctx }, { assets }) {
    // What its files are relative to.
    if (ctx.path !== verifyPath) throw new ApiError('not_found', 'path: not found')
    // A token in a query would be in the logs of every proxy on the way.
    if (ctx.querystring !== '')
      throw new ApiError('invalid_field', 'query: must be empty: the token belongs into the fragment, after #')
    const folder = getAssetPath(assets, '').replace(/\/$/, '')
    return { status: 200, headers, type: 'html', body: renderCapturePage(folder, assets.listNeeds(captureScript)) }
  },
})
