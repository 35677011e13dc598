import { codeBlock } from '@attestor/api-reference'
import { escapeHtml, Html, html } from '@attestor/page-files'
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

/**
 * Renders Markdown; HTML in it is shown as text. `resolve` makes the URL of a link's target; for null the words are
 * shown without a link.
 */
export function renderMarkdown(source: string, resolve: (target: string) => string | null) {
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
      html: ({ text: raw }) => (/^\s*<!--/.test(raw) ? '' : escapeHtml(raw)),
      link({ href, tokens: inside }) {
        const url = resolve(href)
        const words = new Html(this.parser.parseInline(inside))
        return url === null ? words.text : html`<a href="${url}">${words}</a>`.text
      },
      image({ href, text: words }) {
        const url = resolve(href)
        return url === null ? escapeHtml(words) : html`<img src="${url}" alt="${words}">`.text
      },
      // For people who don't see it, a cell without words heads nothing.
      tablecell: ({ header, tokens: inside }) => header && inside.length === 0 && '<td></td>',
    },
  })
  const text = marked
    .parser(tokens)
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
  return { content: new Html(text), sections }
}
