import { type SiteValues, siteIcon, siteScript, siteStyle } from '../../src/pages/reference/site.ts'
import { html } from '../../src/pages/serve/html.ts'
import { type Frame, linkFrom, type Page, renderPage } from './layout.ts'
import type { ApiDocument } from './openapi.ts'
import { listReferenceEntries, listReferencePages, overviewPath } from './pages.ts'
import { createSearchIndex } from './search_index.ts'

const searchPath = 'docs/search.json'

/** In the written files, until the service fills it in. */
export function placeholder(name: keyof SiteValues): string {
  return `{{${name}}}`
}

/** Shown where there is no page; its links are those of a page directly below `docs`. */
function createNothing(): Page {
  const path = 'docs/-'
  return {
    path,
    title: 'No such page',
    description: 'There is nothing at this address.',
    layout: 'guide',
    content: html`<article><h1>There is no such page</h1><p>The address may be misspelt, or from another version.</p>
<p>Search for what you need, choose it from the contents, or begin with the <a href="${linkFrom(path, overviewPath)}">API reference</a>.</p></article>`,
  }
}

/** The text of each file of the reference, by its name: the document, the search's index, and the pages. */
export function writeSite(document: ApiDocument): Readonly<Record<string, string>> {
  const toAssetPath = (path: string): string => `${placeholder('assets')}/${path}`
  const frame: Frame = {
    name: document.info.title,
    version: document.info.version,
    groups: [{ title: 'API reference', entries: listReferenceEntries(document) }],
    paths: {
      home: overviewPath,
      search: searchPath,
      download: 'openapi.json',
      script: toAssetPath(siteScript),
      style: toAssetPath(siteStyle),
      icon: toAssetPath(siteIcon),
    },
  }
  const pages = listReferencePages(document).map(page => [`${page.path}.html`, renderPage(frame, page)] as const)
  return {
    ...Object.fromEntries(pages),
    'nothing.html': renderPage(frame, createNothing()),
    [searchPath]: `${JSON.stringify(createSearchIndex(document), null, 1)}\n`,
    'openapi.json': `${JSON.stringify(document, null, 1)}\n`,
  }
}
