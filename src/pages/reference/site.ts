import { html } from '../serve/html.ts'
import { errorsPath } from './errors_page.ts'
import { type Guide, type GuideContent, listGuides, readFiles, renderGuide } from './guides.ts'
import { type Entry, type EntryGroup, type Frame, linkFrom, type Page, renderPage } from './layout.ts'
import type { ApiDocument } from './openapi.ts'
import { listReferenceEntries, listReferencePages } from './pages.ts'
import { createSearchIndex } from './search_index.ts'

/** A file of the site. */
export interface SiteFile {
  readonly type: string
  readonly text: string
}

/** The reference and the guides beside it. */
export interface Site {
  /** Every path that is served, without a leading slash. */
  readonly paths: readonly string[]
  /** The file at a path; null if there is none. */
  find(path: string): SiteFile | null
  /** What people are shown at a path, or at any other so deep, where there is nothing. */
  findNothing(path: string): SiteFile
}

export const siteScript = 'src/pages/reference/page/main.ts'
export const siteStyle = 'src/pages/reference/page/style.css'
export const siteIcon = 'src/pages/reference/page/icon.svg'
const searchPath = 'docs/search.json'

function once<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return key => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** Opens the site of a document. Pages are made when they are first asked for. */
export function openSite(document: ApiDocument, getAssetPath: (path: string) => string): Site {
  const sections = listGuides()
  const guides = new Map(sections.flatMap(section => section.guides).map(guide => [guide.path, guide]))
  const pages = listReferencePages(document, sections)
  const files = readFiles()
  const paths = [...pages.keys(), ...guides.keys(), ...files.keys(), searchPath]
  const isServed = (path: string): boolean => paths.includes(path)
  const errorCodes = new Set(document['x-errors'].map(({ code }) => code))
  const readGuide = once((guide: Guide): GuideContent => {
    const link = (path: string): string => linkFrom(guide.path, path)
    return renderGuide(guide, isServed, link, text => (errorCodes.has(text) ? `${link(errorsPath)}#${text}` : null))
  })
  const toEntry = (guide: Guide): Entry => ({
    title: guide.title,
    path: guide.path,
  })
  const createGroups = (open: string): readonly EntryGroup[] => [
    { title: 'API reference', entries: listReferenceEntries(document) },
    ...sections.map(({ title, guides: own }) => ({
      title,
      entries: own.map(guide =>
        guide.path === open ? { ...toEntry(guide), anchors: listAnchors(readGuide(guide)) } : toEntry(guide),
      ),
    })),
  ]
  const createGuidePage = (guide: Guide): Page => ({
    path: guide.path,
    title: guide.title,
    description: `${guide.title}: ${document.info.title}`,
    layout: 'guide',
    content: html`<article>${readGuide(guide).content}</article>`,
  })
  const createFrame = (path: string): Frame => ({
    name: document.info.title,
    version: document.info.version,
    groups: createGroups(path),
    assets: { script: getAssetPath(siteScript), style: getAssetPath(siteStyle), icon: getAssetPath(siteIcon) },
  })
  const createNothing = (path: string): Page => ({
    path,
    title: 'No such page',
    description: 'There is nothing at this address.',
    layout: 'guide',
    content: html`<article><h1>There is no such page</h1><p>The address may be misspelt, or from another version.</p>
<p>Search for what you need, choose it from the contents, or begin with the <a href="${linkFrom(path, 'docs')}">API reference</a> or the <a href="${linkFrom(path, 'docs/integrate/quickstart')}">quickstart</a>.</p></article>`,
  })
  const toFile = (page: Page): SiteFile => ({ type: 'text/html', text: renderPage(createFrame(page.path), page) })
  const make = once((path: string): SiteFile => {
    const file = files.get(path)
    if (file !== undefined) return file
    if (path === searchPath)
      return { type: 'application/json', text: JSON.stringify(createSearchIndex(document, sections, readGuide)) }
    const guide = guides.get(path)
    const page = guide === undefined ? pages.get(path)?.() : createGuidePage(guide)
    if (page === undefined) throw new Error(`there is no page ${path}`)
    return toFile(page)
  })
  return {
    paths,
    find: path => (isServed(path) ? make(path) : null),
    findNothing: once(path => toFile(createNothing(path))),
  }
}

function listAnchors({ sections }: GuideContent) {
  return sections.flatMap(({ heading: { level, id, text } }) => (level === 2 ? [{ id, title: text }] : []))
}
