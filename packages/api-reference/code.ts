import { escapeHtml, Html, html } from '@attestor/page-files'

const jsonTokens = /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/** JSON with its names, texts and other values marked. */
function markJson(text: string): string {
  const marked: string[] = []
  let end = 0
  for (const match of text.matchAll(jsonTokens)) {
    const [whole, string, colon, word] = match
    const kind = string === undefined ? (word === undefined ? 'n' : 'w') : colon === undefined ? 's' : 'k'
    marked.push(escapeHtml(text.slice(end, match.index)), `<b class="${kind}">${escapeHtml(string ?? whole)}</b>`)
    marked.push(escapeHtml(string === undefined ? '' : (colon ?? '')))
    end = match.index + whole.length
  }
  return marked.join('') + escapeHtml(text.slice(end))
}

const shellTokens = /(\$\{?\w+\}?)|('(?:[^'])*')|(^|\s)(#.*)$/gm

/** Commands of a shell with their variables and comments marked. */
function markShell(text: string): string {
  const marked: string[] = []
  let end = 0
  for (const match of text.matchAll(shellTokens)) {
    const [whole, variable, , space, comment] = match
    const kind = variable === undefined ? (comment === undefined ? null : 'c') : 'v'
    marked.push(escapeHtml(text.slice(end, match.index) + (space ?? '')))
    const shown = escapeHtml(comment ?? whole)
    marked.push(kind === null ? shown : `<b class="${kind}">${shown}</b>`)
    end = match.index + whole.length
  }
  return marked.join('') + escapeHtml(text.slice(end))
}

const markers: Readonly<Record<string, (text: string) => string>> = { json: markJson, sh: markShell }

/** Code with its parts marked, where its language is known here. */
function markCode(text: string, language: string): Html {
  return new Html((markers[language] ?? escapeHtml)(text))
}

/** A block of code with its title. The page's script adds the button that copies it. */
export function codeBlock(title: Html | string, text: string, language: string): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code class="language-${language}">${markCode(text, language)}</code></pre></figure>`
}
