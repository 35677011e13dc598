import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { siteIcon, siteScript } from '@attestor/api-reference'
import {
  type Entry,
  type Frame,
  gatherWords,
  linkFrom,
  renderPage,
  type SearchEntry,
} from '@attestor/api-reference/testing'
import { html } from '@attestor/page-files'
import { build } from 'esbuild-wasm'
import { version } from '../src/base/version.ts'
import { renderMarkdown } from './site/markdown.ts'

/** `npm run site [FOLDER]`: builds the guides as a static site, in `site/` unless a folder is named. */

const root = join(import.meta.dirname, '..')

/** The contents: the pages for each reader, the index first. */
const groups = [
  { title: 'Attestor', index: 'README.md', files: '{CHANGELOG,SECURITY}.md' },
  { title: 'Integrate', index: 'docs/integrate/index.md', files: '{docs/integrate/*,clients/*/README}.md' },
  { title: 'Operate', index: 'docs/operate/index.md', files: 'docs/operate/*.md' },
  { title: 'Understand', index: 'docs/understand/index.md', files: 'docs/{understand/*,figures}.md' },
  { title: 'Develop', index: 'docs/develop/index.md', files: '{docs/develop/*,docs/glossary,CONTRIBUTING}.md' },
] as const

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Where a file of the repository is in the site. */
function toPath(file: string): string {
  return file.replace(/(?<=^|\/)README\.md$/, 'index.html').replace(/\.md$/, '.html')
}

/** Pages in the order in which the index names them. */
function listFiles({ index, files }: (typeof groups)[number]): readonly string[] {
  const text = readText(index)
  const findPosition = (file: string): number => {
    const position = text.indexOf(`](${posix.relative(dirname(index), file)}`)
    return position < 0 ? text.length : position
  }
  const found = globSync(files, { cwd: root }).filter(file => file !== index)
  return [index, ...found.sort((a, b) => findPosition(a) - findPosition(b) || (a < b ? -1 : 1))]
}

/** A page of the repository, rendered, with the files that it links to. */
function readPage(file: string) {
  const path = toPath(file)
  const linked = new Set<string>()
  const resolve = (target: string): string => {
    const [, name = '', anchor = ''] = /^(?![a-z]+:)([^#]+)(.*)$/.exec(target) ?? []
    if (name === '') return target
    const found = posix.join(dirname(file), name)
    linked.add(found)
    return linkFrom(path, toPath(found)) + anchor
  }
  const { content, sections } = renderMarkdown(readText(file), resolve)
  return { path, content, sections, linked, title: sections[0]?.title ?? file }
}

type SitePage = ReturnType<typeof readPage>

function createEntries(group: string, { path, title, sections }: SitePage): readonly SearchEntry[] {
  return sections.map(({ id, level, title: heading, text }) => ({
    title: heading,
    place: level === 1 ? group : `${group} › ${title}`,
    url: level === 1 ? path : `${path}#${id}`,
    words: gatherWords(text),
  }))
}

function listAnchors({ sections }: SitePage) {
  return sections.filter(({ level }) => level === 2)
}

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
  const toEntry = (one: SitePage): Entry => (one === page ? { ...one, anchors: listAnchors(one) } : one)
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

/** Builds the site into a folder. What a page links to comes along, rendered where it is Markdown. */
export async function buildSite(folder: string): Promise<void> {
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const lists = groups.map(group => ({ title: group.title, files: listFiles(group) }))
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
  const entries = contents.flatMap(group => group.pages.flatMap(page => createEntries(group.title, page)))
  write(paths.search, JSON.stringify(entries))
  write(paths.icon, readFileSync(join(root, siteIcon)))
  await build({
    entryPoints: [siteScript, 'tools/site/style.css'].map(file => join(root, file)),
    entryNames: '[name]',
    outdir: join(folder, dirname(paths.script)),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
  })
}

if (import.meta.main) await buildSite(process.argv[2] ?? join(root, 'site'))
