import { Marked } from 'marked'
import { escapeHtml, Html } from '../serve/html.ts'

/** Descriptions are text: markup in one, such as `<field path>`, is shown as it is. */
const inline = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } })

/** Renders a description: code between backticks, and links. */
export function prose(text: string): Html {
  return new Html(String(inline.parseInline(text)))
}
