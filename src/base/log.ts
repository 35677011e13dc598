import { AsyncLocalStorage } from 'node:async_hooks'

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

/** A log for programs and tests that want none. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type LineFields = Record<string, unknown>

const storage = new AsyncLocalStorage<LineFields>()

/** Runs `work`; each line that a `contextLog` writes meanwhile has `fields`, such as the id of a request. */
export function withLogFields<T>(fields: LineFields, work: () => T): T {
  return storage.run({ ...fields }, work)
}

/** Adds fields to the later lines of the current work. */
export function addLogFields(fields: Readonly<LineFields>): void {
  const current = storage.getStore()
  if (current !== undefined) Object.assign(current, fields)
}

/** A log whose lines name the request or the job that they belong to. A line's own fields win. */
export function contextLog(log: Log): Log {
  const complete = (fields: LineFields): LineFields => ({ ...storage.getStore(), ...fields })
  return {
    debug: (fields, message) => log.debug(complete(fields), message),
    info: (fields, message) => log.info(complete(fields), message),
    warn: (fields, message) => log.warn(complete(fields), message),
    error: (fields, message) => log.error(complete(fields), message),
  }
}
