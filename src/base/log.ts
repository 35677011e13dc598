import { isatty } from 'node:tty'
import { pino } from 'pino'
import { openStdout } from './stdout.ts'
import { toTextLine } from './text_line.ts'

/** One event of the service's life. Fields are snake_case; they never hold tokens, secrets or personal data. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

/** Levels that `LOG_LEVEL` can name. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** Forms that `LOG_FORMAT` can name: `auto` is text on a terminal, JSON elsewhere. */
export const logFormats = ['auto', 'json', 'text'] as const

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

export interface LogOptions {
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

/** For programs and tests that want no log at all. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
