import { globSync, readFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import type { Html } from '../serve/html.ts'
import { renderMarkdown, type Section } from './markdown.ts'

const root = join(import.meta.dirname, '../../..')

/** A page of docs/. */
export interface Guide {
  /** Where it is served: `docs/integrate/quickstart`. */
  readonly path: string
  readonly title: string
  readonly file: string
}

/** A page's content, made when it is asked for. */
export interface GuideContent {
  readonly content: Html
  readonly sections: readonly Section[]
}

/** Pages for one reader, the index first. */
export interface GuideSection {
  readonly title: string
  readonly guides: readonly Guide[]
}

const folders = [
  { title: 'Integrate', index: 'docs/integrate/index.md', files: '{docs/integrate/*,clients/*/README}.md' },
  { title: 'Operate', index: 'docs/operate/index.md', files: 'docs/{operate/*,operate/runbooks/*}.md' },
  { title: 'Understand', index: 'docs/understand/index.md', files: 'docs/{understand/*,figures}.md' },
  { title: 'Develop', index: 'docs/develop/index.md', files: 'docs/{develop/*,glossary}.md' },
] as const

/** Types of the files beside the pages that are linked from them. */
const fileTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.sh': 'text/plain',
  '.mjs': 'text/plain',
  '.py': 'text/plain',
  '.go': 'text/plain',
  '.ts': 'text/plain',
  '.json': 'application/json',
}

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Everything is served under `docs`; a folder's path shows its index. */
function toPath(file: string): string {
  return `docs/${file.replace(/^docs\//, '').replace(/(\/(index|README))?\.md$/, '')}`
}

function readTitle(file: string): string {
  return /^# (.+)$/m.exec(readText(file))?.[1]?.replaceAll('`', '') ?? file
}

/** Pages in the order in which the index names them. */
function listFiles({ index, files }: (typeof folders)[number]): readonly string[] {
  const text = readText(index)
  const found = globSync(files, { cwd: root }).filter(file => file !== index)
  const findPosition = (file: string): number => {
    const place = text.indexOf(`](${posix.relative(dirname(index), file)}`)
    return place < 0 ? text.length : place
  }
  return [index, ...found.sort((a, b) => findPosition(a) - findPosition(b) || (a < b ? -1 : 1))]
}

export function listGuides(): readonly GuideSection[] {
  return folders.map(folder => ({
    title: folder.title,
    guides: listFiles(folder).map(file => ({ path: toPath(file), title: readTitle(file), file })),
  }))
}

/** The files beside the pages: what is linked from them and served as it is. */
export function readFiles(): ReadonlyMap<string, { readonly type: string; readonly text: string }> {
  return new Map(
    globSync(`{docs,clients}/**/*{${Object.keys(fileTypes).join(',')}}`, {
      cwd: root,
      exclude: ['**/node_modules/**'],
    }).map(file => [toPath(file), { type: fileTypes[extname(file)] ?? '', text: readText(file) }]),
  )
}

/** Charts are served by the API itself, and whole: also where a page shows the overview. */
const drawing = /^machines\/drawings\/(\w+)\.v(\d+)(?:\.overview)?\.(svg|mmd)$/

/** The path at which a file of the repository is served; null where it is not. */
function toServedPath(file: string, isServed: (path: string) => boolean): string | null {
  const [, name, version, format] = drawing.exec(file) ?? []
  if (name !== undefined) return `charts/${name}/${version}.${format}`
  const path = toPath(file)
  return isServed(path) ? path : null
}

export function renderGuide(
  { file }: Guide,
  isServed: (path: string) => boolean,
  link: (path: string) => string,
  linkCode: (text: string) => string | null,
): GuideContent {
  const resolveTarget = (target: string): string | null => {
    if (/^(https?:|#)/.test(target)) return target
    const [linked = '', anchor] = target.split('#')
    const path = toServedPath(posix.join(dirname(file), linked), isServed)
    return path === null ? null : `${link(path)}${anchor === undefined ? '' : `#${anchor}`}`
  }
  return renderMarkdown(readText(file), resolveTarget, linkCode)
}
