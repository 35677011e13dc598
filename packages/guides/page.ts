import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gatherWords, type SearchEntry } from '@attestor/api-reference'
import type { Html } from '@attestor/page-files'
import { renderMarkdown, type Section } from './markdown.ts'

/** A file of Markdown as a page. */
export interface GuidePage {
  readonly title: string
  readonly content: Html
  readonly sections: readonly Section[]
  /** Files that it links to, by their paths in the repository. */
  readonly linked: ReadonlySet<string>
}

/**
 * Renders a file. `toUrl` makes the URL of another file, by its path in the repository; for null the words are shown
 * without a link.
 */
export function readGuide(root: string, file: string, toUrl: (file: string) => string | null): GuidePage {
  const linked = new Set<string>()
  const { content, sections } = renderMarkdown(readFileSync(join(root, file), 'utf8'), target => {
    const [, name = '', anchor = ''] = /^(?![a-z]+:)([^#]+)(.*)$/.exec(target) ?? []
    if (name === '') return target
    const found = posix.join(posix.dirname(file), name)
    const url = toUrl(found)
    if (url === null) return null
    linked.add(found)
    return url + anchor
  })
  return { title: sections[0]?.title ?? file, content, sections, linked }
}

/** The search's entries of a page: itself, and each of its headings. */
export function listGuideEntries(
  group: string,
  url: string,
  { title, sections }: Pick<GuidePage, 'title' | 'sections'>,
): readonly SearchEntry[] {
  return sections.map(({ id, level, title: heading, text }) => ({
    title: heading,
    place: level === 1 ? group : `${group} › ${title}`,
    url: level === 1 ? url : `${url}#${id}`,
    words: gatherWords(text),
  }))
}

/** The headings that the contents show while the page is open. */
export function listAnchors({ sections }: Pick<GuidePage, 'sections'>): readonly Section[] {
  return sections.filter(({ level }) => level === 2)
}
