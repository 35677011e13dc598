/**
 * `node tools/comment_hints.ts [FILES OR FOLDERS…]` lists comments that begin with a word from which a sentence seldom comes,
 * such as "What" or "Of", in all files by default. It is a hint for their author and fails nothing: STYLE.md says why.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const opening = /^\s*(?:\/\*\*?|\/\/)\s*(?:\n\s*\*\s*)?((?:What|How|Where|Of|By|As|Who|Whose|Whoever|Which)\b.*)/

interface Hint {
  readonly line: number
  readonly text: string
}

/** Returns the comments of a source that begin so. A line that continues a `//` comment is none. */
export function findHints(source: string): readonly Hint[] {
  const lines = source.split('\n')
  return lines.flatMap((text, at) => {
    const continues = /^\s*\/\//.test(text) && /^\s*\/\//.test(lines[at - 1] ?? '')
    const isBlock = /^\s*\/\*\*?\s*$/.test(text)
    const found = opening.exec(isBlock ? `${text}\n${lines[at + 1]}` : text)
    return continues || found === null ? [] : [{ line: at + 1, text: (found[1] ?? '').replace(/\s*\*\/\s*$/, '') }]
  })
}

if (import.meta.main) {
  const listed = execFileSync('git', ['ls-files', '--', ...process.argv.slice(2)], { encoding: 'utf8' })
  const files = listed.split('\n').filter(file => /\.(ts|css)$/.test(file) && !/\.generated\.ts$|\/api\.ts$/.test(file))
  const hints = files.flatMap(file =>
    findHints(readFileSync(file, 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
  )
  console.log([...hints, `${hints.length} comments may be no sentences`].join('\n'))
}
