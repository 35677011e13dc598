import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { getAssetPath } from '../../http/assets.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { consolePath } from '../../http/operators.ts'
import { forOperators } from '../endpoint.ts'

const html = readFileSync(new URL('../../../packages/console-page/page/console.html', import.meta.url), 'utf8')

/** Nothing from elsewhere is loaded, and nothing inside the page's HTML runs or is applied as a style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // A logo that was chosen is shown before it is sent.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page, whose files are named relative to the address that it is asked for under. */
function sendPage(path: string, assets: string) {
  const up = '../'.repeat(path.split('/').length - 2)
  const body = html.replaceAll('{{assets}}/', up + assets)
  return { status: 200, headers: { 'Content-Security-Policy': policy }, type: 'html', body } as const
}

const page = {
  ...forOperators('viewer'),
  method: 'get',
  authentication: 'none',
  isPage: true,
  role: undefined,
} as const

export const getConsole = defineUndocumented({
  ...page,
  path: consolePath,
  handler: ({ ctx }, { assets }) => sendPage(ctx.path, getAssetPath(assets, '')),
})

/** The page shows the screen of its address itself. */
export const getConsoleScreen = defineUndocumented({
  ...page,
  path: `${consolePath}/{*screen}`,
  request: { path: { screen: z.string() } },
  handler({ ctx, path }, { assets }) {
    if (path.screen === 'api' || path.screen.startsWith('api/')) throw new ApiError('not_found', 'path: not found')
    return sendPage(ctx.path, getAssetPath(assets, ''))
  },
})
