import { html } from '@attestor/page-files'
import { type EntryGroup, type Frame, linkFrom, type Page, renderPage } from './layout.ts'
import type { ApiDocument } from './openapi.ts'
import type { SearchEntry } from './page/entries.ts'
import { listReferenceEntries, listReferencePages, overviewPath } from './pages.ts'
import { createSearchIndex } from './search_index.ts'

/** A file of the site. */
export interface SiteFile {
  readonly type: string
  readonly text: string
}

/** Pages beside the reference's, in its frame and found by its search. */
export interface MorePages {
  readonly groups: readonly EntryGroup[]
  readonly pages: ReadonlyMap<string, () => Page>
  /** Files that are sent as they are, by their paths. */
  readonly files: ReadonlyMap<string, () => SiteFile>
  /** Returns the page of a repository's file; null if it has none. */
  readonly findPage: (file: string) => { readonly path: string; readonly title: string } | null
  /** The entries of the search, with URLs relative to a path. */
  readonly listEntries: (from: string) => readonly SearchEntry[]
  /** All pages with their subjects, in Markdown. */
  readonly index: string
}

/** The reference as pages. */
export interface Site {
  /** Functions that make the file at each path, which has no leading slash. */
  readonly files: ReadonlyMap<string, () => SiteFile>
  /** Creates the page for a path that does not exist, or for any other of the same depth. */
  createNothing(path: string): SiteFile
}

const indexPath = 'llms.txt'

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

const noPages: MorePages = {
  ...{ groups: [], pages: new Map(), files: new Map(), index: '' },
  findPage: () => null,
  listEntries: () => [],
}

/** Files that words name, as links to their pages. */
function linkFiles(text: string, from: string, findPage: MorePages['findPage']): string {
  return text.replaceAll(/<code>([\w/-]+\.md)<\/code>/g, (whole, file: string) => {
    const page = findPage(file)
    return page === null ? whole : html`<a href="${linkFrom(from, page.path)}">${page.title}</a>`.text
  })
}

/** An overview for programs that read text (llmstxt.org). */
function createIndex({ info }: ApiDocument, more: string): string {
  return `# ${info.title}

> ${info.description}

## API

- [OpenAPI document](openapi.json): every operation, with examples

${more}`
}

export function openSite(document: ApiDocument, getAssetPath: (path: string) => string, more = noPages): Site {
  const pages = listReferencePages(document)
  const frame: Frame = {
    name: document.info.title,
    version: document.info.version,
    groups: [{ title: 'API reference', entries: listReferenceEntries(document) }, ...more.groups],
    paths: {
      home: overviewPath,
      search: searchPath,
      download: 'openapi.json',
      script: getAssetPath(siteScript),
      style: getAssetPath(siteStyle),
      icon: getAssetPath(siteIcon),
    },
  }
  const toFile = (page: Page): SiteFile => ({
    type: 'text/html',
    text: linkFiles(renderPage(frame, page), page.path, more.findPage),
  })
  const createSearch = (): SiteFile => ({
    type: 'application/json',
    text: JSON.stringify([...createSearchIndex(document), ...more.listEntries(searchPath)]),
  })
  return {
    files: new Map([
      ...[...pages, ...more.pages].map(([path, createPage]) => [path, () => toFile(createPage())] as const),
      ...more.files,
      [searchPath, createSearch],
      [indexPath, () => ({ type: 'text/markdown', text: createIndex(document, more.index) })],
    ]),
    createNothing: path => toFile(createNothing(path)),
  }
}
