import { type Html, html } from '@attestor/page-files'

/** Renders a description: code between backticks, and links. Everything else is text. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\(\S+?\))/).map((part, index) => {
    if (index % 2 === 0) return part
    const [, words, url] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? []
    return words === undefined || url === undefined
      ? html`<code>${part.slice(1, -1)}</code>`
      : html`<a href="${url}">${prose(words)}</a>`
  })
  return html`${parts}`
}
