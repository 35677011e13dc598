import { codeBlock } from '@attestor/api-reference/testing'
import { Html, html } from '@attestor/page-files'
import { Marked, type Tokens } from 'marked'

/** A heading, with the text until the next one. */
export interface Section {
  readonly id: string
  readonly level: number
  readonly title: string
  readonly text: string
}

function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}

/** Anchors of headings as GitHub makes them, which the links in the pages rely on. One that comes again gets a number. */
function createSlugs(): (text: string) => string {
  const counts = new Map<string, number>()
  return text => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

function findSections(tokens: readonly Tokens.Generic[]): readonly Section[] {
  const toSlug = createSlugs()
  const sections: { id: string; level: number; title: string; text: string }[] = []
  for (const { type, depth, text, raw } of tokens) {
    const title = plainText(String(text))
    if (type === 'heading') sections.push({ id: toSlug(title), level: Number(depth), title, text: '' })
    else for (const section of sections.slice(-1)) section.text += plainText(raw)
  }
  return sections
}

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  js: 'JavaScript',
  ts: 'TypeScript',
  yaml: 'YAML',
  text: 'Output',
}

/** Renders a page of the repository, whose HTML is trusted. `resolve` makes the URL of what it links to. */
export function renderMarkdown(source: string, resolve: (target: string) => string) {
  const marked = new Marked()
  const tokens = marked.lexer(source)
  const sections = findSections(tokens)
  let index = 0
  marked.use({
    renderer: {
      heading({ depth, tokens: inside }) {
        const id = sections[index++]?.id ?? ''
        return html`<h${depth} id="${id}"><a href="#${id}">${new Html(this.parser.parseInline(inside))}</a></h${depth}>\n`
          .text
      },
      code: ({ text, lang = '' }) => codeBlock(languageNames[lang] ?? lang, text, lang).text,
      // For people who don't see it, a cell without words heads nothing.
      tablecell: ({ header, tokens: inside }) => header && inside.length === 0 && '<td></td>',
    },
  })
  const text = marked
    .parser(tokens)
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll(/(?<= (?:href|src)=")[^"]*/g, resolve)
  return { content: new Html(text), sections }
}
