import { siteIcon, siteScript, siteStyle } from '@attestor/api-reference'
import { captureScript } from '@attestor/capture-page'
import { type Assets, openAssets } from '@attestor/page-files'
import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { markShared } from './response_memory.ts'

/** Files that no module of a page imports: its styles, its first module, its workers. Paths in the repository. */
const entries: readonly string[] = [
  captureScript,
  siteScript,
  siteStyle,
  siteIcon,
  ...['main.ts', 'styles/console.css', 'styles/parts.css', 'styles/screens.css'].map(
    name => `packages/console-page/page/${name}`,
  ),
  'packages/page-files/icon.svg',
]

/** The files of all pages, which do not change while the process runs. */
export const pageAssets: Assets = openAssets(entries)

/** Returns the path at which a file of a page is served. A page names them relative to itself. */
export function getAssetPath({ version }: Assets, path: string): string {
  return `assets/${version}/${path}`
}

/** A worker is bound by the policy of its own response: it may load the page's modules and models, and compile WebAssembly. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** A page with this policy starts only workers that have it, too. */
export const embedderPolicy = { 'Cross-Origin-Embedder-Policy': 'require-corp' } as const

function acceptsGzip(ctx: Context): boolean {
  return ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
}

/**
 * The reply with a file of a page. Another version's URL gets this version's file: during an upgrade a page of one node
 * may ask another. Such a response is not cached. @throws {ApiError} `not_found`
 */
export function sendAsset(ctx: Context, assets: Assets, { version, path }: { version: string; path: string }) {
  const asset = assets.get(path)
  if (asset === null) throw new ApiError('not_found', 'path: not found')
  const body = acceptsGzip(ctx) ? (asset.gzip ?? asset.content) : asset.content
  const headers: Record<string, string> = {
    'Cache-Control': version === assets.version ? 'public, max-age=31536000, immutable' : 'no-store',
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy,
    ...embedderPolicy,
    ...(body === asset.gzip ? { 'Content-Encoding': 'gzip' } : {}),
  }
  return { status: 200, headers, type: asset.type, body: markShared(body) } as const
}
