import { createHash } from 'node:crypto'
import { Html, html } from '@attestor/page-files'
import { defineUndocumented } from '../endpoint.ts'

const style = `:root{color-scheme:light dark;background:light-dark(#fff,#121417);color:light-dark(#14181d,#e8eaed);font:1rem/1.5 system-ui,sans-serif;--accent:light-dark(#0b57d0,#8ab4f8);--line:light-dark(#d5dae1,#3c4450);--soft:light-dark(#526070,#a3afbd);--good:light-dark(#146c2e,#6dd58c)}
body{max-width:48rem;margin:10vh auto;padding:0 1.25rem}h1{margin:0;font-size:2rem}
.lead{max-width:36rem;margin:.5rem 0 1rem;font-size:1.125rem}
.state{display:inline-block;margin:0 0 2rem;padding:.125rem .75rem;border:1px solid;border-radius:1rem;font-size:.9375rem}.ready{color:var(--good)}
ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));gap:1rem;margin:0 0 2rem;padding:0;list-style:none}
li a{display:block;height:100%;box-sizing:border-box;padding:1rem 1.125rem;border:1px solid var(--line);border-radius:.625rem;color:inherit;text-decoration:none}
li a:hover,li a:focus-visible{border-color:var(--accent)}li b{color:var(--accent);font-size:1.125rem}li span{display:block;margin-top:.25rem}
.programs,li span{color:var(--soft)}.programs a{color:var(--accent)}`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Doors for people, by their addresses relative to the service's own. */
const doors = {
  guides: ['Guides', 'The quickstart, how to integrate and operate it, what it can and cannot do'],
  docs: ['API reference', 'Every operation with an example, and a search'],
  console: ['Console', 'See what happens, understand each decision, and review'],
  'console/accounts': [
    'Try a verification',
    'In the console, an account’s page opens one with a press: a link, and a code for a phone',
  ],
} as const

/** Doors for programs. */
const documents = {
  'openapi.json': 'OpenAPI document',
  'llms.txt': 'guides as Markdown',
  charts: 'state charts',
  '.well-known/oauth-authorization-server': 'token metadata',
} as const

function renderPage(reasons: readonly string[]): string {
  const state = reasons.length === 0 ? 'Ready' : `Not ready: ${reasons.join('; ')}`
  const items = Object.entries(doors).map(
    ([path, [name, meaning]]) => html`
        <li><a href="${path}"><b>${name}</b><span>${meaning}</span></a></li>`,
  )
  const programs = Object.entries(documents).map(
    ([path, name], index) => html`${index > 0 ? ', ' : ''}<a href="${path}">${name}</a>`,
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
      <p class="lead">This service verifies identities: a document and a selfie become a decision that a backend can trust.</p>
      <p class="state${reasons.length === 0 ? ' ready' : ''}" role="status">${state}</p>
      <ul>${items}
      </ul>
      <p class="programs">For programs: ${programs}</p>
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
    const links = Object.keys({ ...doors, ...documents }).map(path => [path, new URL(path, `${baseUrl}/`).href])
    return {
      status: 200,
      headers,
      body: { service: 'attestor', ready: reasons.length === 0, links: Object.fromEntries(links) },
    }
  },
})
