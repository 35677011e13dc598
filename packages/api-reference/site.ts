import { html } from '@attestor/page-files'
import { type Frame, linkFrom, type Page, renderPage } from './layout.ts'
import type { ApiDocument } from './openapi.ts'
import { listReferenceEntries, listReferencePages, overviewPath } from './pages.ts'
import { createSearchIndex } from './search_index.ts'

/** A file of the site. */
export interface SiteFile {
  readonly type: string
  readonly text: string
}

/** The reference as pages. */
export interface Site {
  /** What makes the file at each path, which has no leading slash. */
  readonly files: ReadonlyMap<string, () => SiteFile>
  /** What people are shown at a path, or at any other so deep, where there is nothing. */
  createNothing(path: string): SiteFile
}

export const siteScript = 'packages/api-reference/page/main.ts'
export const siteStyle = 'packages/api-reference/page/style.css'
export const siteIcon = 'packages/api-reference/page/icon.svg'
const searchPath = 'docs/search.json'

function createNothing(path: string): Page {
  return {
    path,
    title: 'No such page',
    description: 'There is nothing at this address.',
    layout: 'guide',
    content: html`<article><h1>There is no such page</h1><p>The address may be misspelt, or from another version.</p>
<p>Search for what you need, choose it from the contents, or begin with the <a href="${linkFrom(path, overviewPath)}">API reference</a>.</p></article>`,
  }
}

export function openSite(document: ApiDocument, getAssetPath: (path: string) => string): Site {
  const pages = listReferencePages(document)
  const frame: Frame = {
    name: document.info.title,
    version: document.info.version,
    groups: [{ title: 'API reference', entries: listReferenceEntries(document) }],
    paths: {
      home: overviewPath,
      search: searchPath,
      download: 'openapi.json',
      script: getAssetPath(siteScript),
      style: getAssetPath(siteStyle),
      icon: getAssetPath(siteIcon),
    },
  }
  const toFile = (page: Page): SiteFile => ({ type: 'text/html', text: renderPage(frame, page) })
  return {
    files: new Map([
      ...[...pages].map(([path, createPage]) => [path, () => toFile(createPage())] as const),
      [searchPath, () => ({ type: 'application/json', text: JSON.stringify(createSearchIndex(document)) })],
    ]),
    createNothing: path => toFile(createNothing(path)),
  }
}
