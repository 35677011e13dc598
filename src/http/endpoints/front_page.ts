import { createHash } from 'node:crypto'
import { Html, html } from '@attestor/page-files'
import { defineUndocumented } from '../endpoint.ts'

const style = `:root{color-scheme:light dark;font:1.0625rem/1.5 system-ui,sans-serif}
body{max-width:38rem;margin:12vh auto;padding:0 1.25rem}h1{margin:0;font-size:1.75rem}
ul{padding:0;list-style:none}li{margin:.75rem 0}a{font-weight:600;color:inherit}
.state{display:inline-block;margin:.5rem 0 1rem;padding:.125rem .75rem;border:1px solid currentcolor;border-radius:1rem}`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Doors of the service, by their addresses relative to its own. */
const doors = {
  docs: ['API reference', 'every operation with an example, and a search'],
  guides: ['Guides', 'quickstart, how to operate it, what it can and cannot do'],
  console: ['Console', 'operators see what happens, understand decisions and review'],
  charts: ['State charts', 'the courses that a transaction, a delivery and a capture can take, as JSON'],
  'openapi.json': ['OpenAPI document', 'the API for programs'],
  'llms.txt': ['Index for programs', 'every guide as Markdown'],
  '.well-known/oauth-authorization-server': ['Token metadata', 'where a backend gets its access token'],
} as const

function renderPage(reasons: readonly string[]): string {
  const state = reasons.length === 0 ? 'Ready' : `Not ready: ${reasons.join('; ')}`
  const items = Object.entries(doors).map(
    ([path, [name, meaning]]) => html`
      <li><a href="${path}">${name}</a>: ${meaning}</li>`,
  )
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Attestor</title>
    <style>${new Html(style)}</style>
  </head>
  <body>
    <main>
      <h1>Attestor</h1>
      <p>This service verifies identities: a document and a selfie become a decision that a backend can trust.</p>
      <p class="state" role="status">${state}</p>
      <ul>${items}
      </ul>
    </main>
  </body>
</html>
`.text
}

/** The first address that anybody opens: a page for people, and the same doors for programs. */
export const getFrontPage = defineUndocumented({
  method: 'get',
  path: '/',
  authentication: 'none',
  isPage: true,
  async handler({ ctx }, { unreadiness, baseUrl }) {
    const reasons = await unreadiness()
    const headers = { Vary: 'Accept', 'Cache-Control': 'no-store' }
    if (ctx.accepts('json', 'html') === 'html') {
      const own = { ...headers, 'Content-Security-Policy': policy }
      return { status: 200, headers: own, type: 'text/html; charset=utf-8', body: renderPage(reasons) }
    }
    const links = Object.keys(doors).map(path => [path, new URL(path, `${baseUrl}/`).href])
    return {
      status: 200,
      headers,
      body: { service: 'attestor', ready: reasons.length === 0, links: Object.fromEntries(links) },
    }
  },
})
