/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Values that a template accepts. Null and false are left out. */
export type HtmlValue = string | number | Html | null | false | undefined | readonly HtmlValue[]

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`)
}

function toHtml(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(toHtml).join('')
  return escapeHtml(String(value))
}

/** A template of HTML: values are escaped, unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + toHtml(values[index])).join(''))
}
