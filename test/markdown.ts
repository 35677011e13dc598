import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The repository's folder. */
export const root = join(import.meta.dirname, '..')

/** A Markdown page by its path from the repository's folder. */
export interface Page {
  readonly file: string
  readonly text: string
}

/** Reads every page of the documentation, and the pages beside code. */
export function readPages(): readonly Page[] {
  return [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'docs/changes/README.md',
    ...globSync('{docs,packages,src,clients,examples,bench}/**/*.md', {
      cwd: root,
      exclude: ['**/node_modules/**'],
    }).sort(),
  ].map(file => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }))
}

const fence = /^ *(```+|~~~+)[^\n]*\n(.*?)^ *\1 *$/gms
const span = /(`+)(.+?)\1/gs

/** The page without its code, which may look like a link or a heading. */
export function proseOf(text: string): string {
  return text.replaceAll(fence, '').replaceAll(span, '')
}

/** The contents of a page's code blocks and code spans. */
export function codeOf(text: string): readonly string[] {
  return [
    ...[...text.matchAll(fence)].map(([, , code]) => code ?? ''),
    ...[...text.replaceAll(fence, '').matchAll(span)].map(([, , code]) => code ?? ''),
  ]
}

/** The targets of a page's links and pictures. */
export function linksOf(text: string): readonly string[] {
  return [
    ...[...proseOf(text).matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target ?? ''),
    ...[...proseOf(text).matchAll(/<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)"/g)].map(
      ([, target]) => target ?? '',
    ),
  ]
}

/** A heading's anchor as GitHub makes it. */
function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors that a link to the page can name. A heading that comes again gets a number. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(fence, '').matchAll(/^#{1,6} +(.+?) *#* *$/gm)) {
    const slug = slugOf(heading)
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}
