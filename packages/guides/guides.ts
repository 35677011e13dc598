import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type EntryGroup, linkFrom, type MorePages, type Page, type SiteFile } from '@attestor/api-reference'
import { html } from '@attestor/page-files'
import { listGuides } from './contents.ts'
import { type GuidePage, listAnchors, listGuideEntries, readGuide } from './page.ts'

/** The address of a running service's guides. */
const guidesPath = 'guides'

/** The path of a file's page: `docs/integrate/index.md` is at `guides/integrate`. A picture keeps its name. */
function toPath(file: string): string {
  const name = file
    .replace(/^docs\//, '')
    .replace(/(^|\/)(README|index)\.md$/, '')
    .replace(/\.md$/, '')
  return posix.join(guidesPath, name)
}

/** The path of the Markdown itself. */
function toSourcePath(path: string): string {
  return path === guidesPath ? `${guidesPath}/index.md` : `${path}.md`
}

function readTitle(text: string, file: string): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file
}

/** The first paragraph, as one line. */
function readSummary(text: string): string {
  const [paragraph = ''] = text.split(/\n{2,}/).filter(part => /^[\p{L}`*[]/u.test(part))
  return paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
}

/** Files outside the contents are pages where a guide links to them. */
function findLinked(root: string, files: Iterable<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const queue = [...files]
  for (const file of queue) {
    if (texts.has(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    texts.set(file, text)
    if (!file.endsWith('.md')) continue
    for (const [, target = ''] of text.matchAll(/\]\((?![a-z]+:)([^)#\s]+\.(?:md|svg))/g)) {
      const found = posix.join(posix.dirname(file), target)
      if (!found.startsWith('..') && existsSync(join(root, found))) queue.push(found)
    }
  }
  return texts
}

/** The guides of a service: pages beside its reference, the Markdown of each, and an index of them for programs. */
export interface Guides extends MorePages {
  readonly files: ReadonlyMap<string, () => SiteFile>
}

/** Opens the guides in a folder, the root of the repository or of an installation. Each page is made when it is asked for. */
export function openGuides(root: string): Guides {
  const groups = listGuides(root)
  const texts = findLinked(
    root,
    groups.flatMap(({ files }) => files),
  )
  const read = new Map<string, GuidePage>()
  const open = (file: string): GuidePage => {
    const from = toPath(file)
    const toUrl = (target: string): string | null => (texts.has(target) ? linkFrom(from, toPath(target)) : null)
    const page = read.get(file) ?? readGuide(root, file, toUrl)
    read.set(file, page)
    return page
  }
  const toPage = (file: string): Page => {
    const { title, content } = open(file)
    const path = toPath(file)
    return {
      ...{ path, title, description: readSummary(texts.get(file) ?? ''), layout: 'guide' },
      content: html`<article>${content}</article>`,
      source: toSourcePath(path),
    }
  }
  const toSource = (file: string): SiteFile => ({
    type: 'text/markdown',
    // Links lead to the Markdown of other guides.
    text: (texts.get(file) ?? '').replaceAll(/\]\((?![a-z]+:)([^)#\s]+)/g, (whole, target: string) => {
      const found = posix.join(posix.dirname(file), target)
      if (!texts.has(found)) return whole
      const path = toPath(found)
      const to = found.endsWith('.md') ? toSourcePath(path) : path
      return `](${linkFrom(toSourcePath(toPath(file)), to)}`
    }),
  })
  const pages = [...texts.keys()].filter(file => file.endsWith('.md'))
  const pictures = [...texts.keys()].filter(file => file.endsWith('.svg'))
  const toEntry = (file: string) => ({
    title: readTitle(texts.get(file) ?? '', file),
    path: toPath(file),
    listAnchors: () => listAnchors(open(file)),
  })
  const toGroup = ({ title, files }: (typeof groups)[number]): EntryGroup => ({ title, entries: files.map(toEntry) })
  const describe = (file: string): string => {
    const text = texts.get(file) ?? ''
    return `- [${readTitle(text, file)}](${toSourcePath(toPath(file))}): ${readSummary(text)}`
  }
  return {
    groups: groups.map(toGroup),
    pages: new Map(pages.map(file => [toPath(file), () => toPage(file)])),
    files: new Map([
      ...pages.map(file => [toSourcePath(toPath(file)), () => toSource(file)] as const),
      ...pictures.map(file => [toPath(file), () => ({ type: 'image/svg+xml', text: texts.get(file) ?? '' })] as const),
    ]),
    findPage: file => (texts.has(file) ? { path: toPath(file), title: readTitle(texts.get(file) ?? '', file) } : null),
    listEntries: from =>
      groups.flatMap(({ title, files }) =>
        files.flatMap(file => listGuideEntries(title, linkFrom(from, toPath(file)), open(file))),
      ),
    index: groups.map(({ title, files }) => `## ${title}\n\n${files.map(describe).join('\n')}\n`).join('\n'),
  }
}
