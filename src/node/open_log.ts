import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { pino } from 'pino'
import type { Log, logFormats, logLevels } from '../base/log.ts'
import { openStdout } from './stdout.ts'

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

const secretNames = new Set(['authorization', 'token', 'sdk_token', 'access_token', 'client_secret'])

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A second line of defence: hides credentials among the fields, and in objects among them. */
function hideSecrets(fields: Fields, depth = 1): Fields {
  let shown = fields
  for (const name in fields) {
    const value = fields[name]
    if (secretNames.has(name)) shown = { ...shown, [name]: '[Redacted]' }
    else if (depth > 0 && isObject(value)) {
      const inner = hideSecrets(value, depth - 1)
      if (inner !== value) shown = { ...shown, [name]: inner }
    }
  }
  return shown
}

function asItIs(json: string): string {
  return json
}

interface LogOptions {
  readonly level: (typeof logLevels)[number]
  /** `json` by default. */
  readonly format?: (typeof logFormats)[number]
  /** Fields for each line, such as the request that it belongs to. */
  readonly readFields?: () => object
}

/**
 * Lines on stdout, in JSON: `time` in ISO-8601, `level` by name, `message`; or in text, for a terminal. Credentials are
 * hidden.
 */
export function openLog({ level, format = 'json', readFields = () => ({}) }: LogOptions): Log {
  const options = {
    level,
    base: null,
    mixin: readFields,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const isText = format === 'text' || (format === 'auto' && isatty(1))
  const toLine = isText ? toTextLine : asItIs
  const write = openStdout(dropped => log.warn({ dropped }, 'lines were dropped: the reader of the log was too slow'))
  const log = pino(options, { write: line => write(toLine(line)) })
  return {
    debug: (fields, message) => log.debug(hideSecrets(fields), message),
    info: (fields, message) => log.info(hideSecrets(fields), message),
    warn: (fields, message) => log.warn(hideSecrets(fields), message),
    error: (fields, message) => log.error(hideSecrets(fields), message),
  }
}
