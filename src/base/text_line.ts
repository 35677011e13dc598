import { styleText } from 'node:util'

const colors = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const

/**
 * Control, format, private and unassigned characters, and line separators: a terminal interprets some of them, and
 * shows none.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu

function escapeHidden(text: string): string {
  return text.replace(hidden, character => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

const plainWord = /^[\w.:/@+-]+$/

/** A value on one line: a plain word as it is, anything else as JSON. */
function show(value: unknown): string {
  return typeof value === 'string' && plainWord.test(value) ? value : escapeHidden(JSON.stringify(value) ?? 'undefined')
}

/** Indented, so that no line of it can pass for one of the log. */
function showStack(stack: unknown): string {
  return typeof stack === 'string'
    ? stack
        .split('\n')
        .map(line => `\n    ${escapeHidden(line)}`)
        .join('')
    : ''
}

/** The fields to search the log by come first. */
const firstNames = ['request_id', 'transaction_id']

/** A JSON line of the log as a person reads it on a terminal. */
export function toTextLine(json: string): string {
  const { time, level, message, stack, ...fields } = JSON.parse(json) as Record<string, unknown>
  const names = [...firstNames.filter(name => name in fields), ...Object.keys(fields)]
  const shown = [...new Set(names)].map(name => `${escapeHidden(name)}=${show(fields[name])}`)
  const color = colors[level as keyof typeof colors]
  const name = String(level).toUpperCase().padEnd(5)
  // It is colourless where stdout is no terminal, and with NO_COLOR.
  const label = color === undefined ? name : styleText(color, name, { stream: process.stdout })
  return `${[time, label, escapeHidden(String(message)), ...shown].join(' ')}${showStack(stack)}\n`
}
