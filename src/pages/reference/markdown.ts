import { Marked, type Tokens } from 'marked'
import { escapeHtml, Html, html } from '../serve/html.ts'
import { codeBlock } from './code.ts'

export interface Heading {
  readonly id: string
  readonly level: number
  readonly text: string
}

/** A part of a page: a heading, with the text until the next one. */
export interface Section {
  readonly heading: Heading
  readonly text: string
}

export interface RenderedMarkdown {
  readonly content: Html
  readonly sections: readonly Section[]
}

/** The URL of a link's or picture's target, from the page; null where the target is not served. */
export type ResolveTarget = (target: string) => string | null

function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}

/** Anchors of headings as GitHub makes them, which the links in the pages rely on. */
function createSlugs(): (text: string) => string {
  const taken = new Set<string>()
  return text => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    let id = slug
    for (let n = 1; taken.has(id); n++) id = `${slug}-${n}`
    taken.add(id)
    return id
  }
}

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  js: 'JavaScript',
  ts: 'TypeScript',
  yaml: 'YAML',
  text: 'Output',
}

/** The text after a heading, as words to search. */
function collectText(tokens: readonly { readonly type: string; readonly raw: string }[]): string {
  return tokens.map(({ raw }) => plainText(raw)).join(' ')
}

function findSections(tokens: readonly Tokens.Generic[], toSlug: (text: string) => string): readonly Section[] {
  const sections: { heading: Heading; tokens: Tokens.Generic[] }[] = []
  for (const token of tokens) {
    if (token.type !== 'heading') sections.at(-1)?.tokens.push(token)
    else {
      const text = plainText(String(token.text))
      sections.push({ heading: { id: toSlug(text), level: Number(token.depth), text }, tokens: [] })
    }
  }
  return sections.map(section => ({ heading: section.heading, text: collectText(section.tokens) }))
}

/** Renders a page of docs/, whose HTML is trusted. `linkCode` knows the URLs of words in code. */
export function renderMarkdown(
  source: string,
  resolveTarget: ResolveTarget,
  linkCode: (text: string) => string | null,
): RenderedMarkdown {
  const marked = new Marked()
  const tokens = marked.lexer(source)
  const sections = findSections(tokens, createSlugs())
  let index = 0
  let isLinked = false
  /** Inside a link, or a heading that is one, there are no further links. */
  const withoutLinks = (render: () => string): string => {
    isLinked = true
    const text = render()
    isLinked = false
    return text
  }
  marked.use({
    renderer: {
      heading({ depth, tokens: inside }) {
        const { heading } = sections[index++] ?? {}
        const text = new Html(withoutLinks(() => this.parser.parseInline(inside)))
        return html`<h${depth} id="${heading?.id ?? ''}"><a href="#${heading?.id ?? ''}">${text}</a></h${depth}>\n`.text
      },
      codespan({ text }) {
        const url = isLinked ? null : linkCode(text)
        return (url === null ? html`<code>${text}</code>` : html`<a href="${url}"><code>${text}</code></a>`).text
      },
      code: ({ text, lang = '' }) => codeBlock(languageNames[lang] ?? lang, text, lang).text,
      link({ href, tokens: inside }) {
        const text = withoutLinks(() => this.parser.parseInline(inside))
        const url = resolveTarget(href)
        return url === null ? text : `<a href="${escapeHtml(url)}">${text}</a>`
      },
      image: ({ href, text }) => html`<img src="${resolveTarget(href) ?? ''}" alt="${text}" loading="lazy">`.text,
      table(token) {
        return `<div class="table" tabindex="0">${renderTable(token, cell => this.parser.parseInline(cell))}</div>`
      },
    },
  })
  return { content: new Html(marked.parser(tokens)), sections }
}

function renderTable(
  { header, rows }: Tokens.Table,
  renderCell: (tokens: Tokens.TableCell['tokens']) => string,
): string {
  const hasHead = header.some(({ text }) => text !== '')
  const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th'): string =>
    `<tr>${cells
      .map(({ tokens, align }) => {
        const name = tag === 'th' && tokens.length === 0 ? 'td' : tag
        return `<${name}${align === null ? '' : ` class="${align}"`}>${renderCell(tokens)}</${name}>`
      })
      .join('')}</tr>`
  const head = hasHead ? `<thead>${row(header, 'th')}</thead>` : ''
  return `<table>${head}<tbody>${rows.map(cells => row(cells, 'td')).join('')}</tbody></table>`
}
