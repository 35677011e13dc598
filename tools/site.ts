import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Entry, type Frame, linkFrom, renderPage, siteIcon, siteScript, siteStyle } from '@attestor/api-reference'
import { listAnchors, listGuideEntries, listGuides, readGuide } from '@attestor/guides'
import { html } from '@attestor/page-files'
import { build } from 'esbuild-wasm'
import { version } from '../src/base/version.ts'

/** `npm run site [FOLDER]`: builds the guides as a static site, in `site/` unless a folder is named. */

const root = join(import.meta.dirname, '..')

/** Returns the path of a repository's file in the site. */
function toPath(file: string): string {
  return file.replace(/(?<=^|\/)README\.md$/, 'index.html').replace(/\.md$/, '.html')
}

/** A page of the repository, rendered, with the files that it links to. */
function readPage(file: string) {
  const path = toPath(file)
  return { path, ...readGuide(root, file, target => linkFrom(path, toPath(target))) }
}

type SitePage = ReturnType<typeof readPage>

interface SiteGroup {
  readonly title: string
  readonly pages: readonly SitePage[]
}

const paths = {
  home: 'index.html',
  search: 'search.json',
  script: 'page/main.js',
  style: 'page/style.css',
  icon: 'page/icon.svg',
} as const satisfies Frame['paths']

function renderSitePage(page: SitePage, contents: readonly SiteGroup[]): string {
  const { path, title, content } = page
  const toEntry = (one: SitePage): Entry => ({ ...one, listAnchors: () => listAnchors(one) })
  return renderPage(
    {
      name: 'Attestor',
      version,
      paths,
      groups: contents.map(group => ({ ...group, entries: group.pages.map(toEntry) })),
    },
    { path, title, description: `${title}: Attestor`, layout: 'guide', content: html`<article>${content}</article>` },
  )
}

/** Builds the site into a folder. The files that a page links to come along, rendered if they are Markdown. */
export async function buildSite(folder: string): Promise<void> {
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const lists = listGuides(root)
  const files = new Set(lists.flatMap(list => list.files))
  const pages = new Map<string, SitePage>()
  // Grows while it is read.
  for (const file of files) {
    if (file.endsWith('.md')) {
      const page = readPage(file)
      pages.set(file, page)
      for (const one of page.linked) files.add(one)
    } else write(file, readFileSync(join(root, file)))
  }
  const contents = lists.map(list => ({ title: list.title, pages: list.files.flatMap(file => pages.get(file) ?? []) }))
  for (const page of pages.values()) write(page.path, renderSitePage(page, contents))
  const entries = contents.flatMap(group => group.pages.flatMap(page => listGuideEntries(group.title, page.path, page)))
  write(paths.search, JSON.stringify(entries))
  write(paths.icon, readFileSync(join(root, siteIcon)))
  await build({
    entryPoints: [siteScript, siteStyle].map(file => join(root, file)),
    entryNames: '[name]',
    outdir: join(folder, dirname(paths.script)),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
  })
}

if (import.meta.main) await buildSite(process.argv[2] ?? join(root, 'site'))
