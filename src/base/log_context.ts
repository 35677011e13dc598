import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log } from './log.ts'

type Fields = Record<string, unknown>

const storage = new AsyncLocalStorage<Fields>()

/** Runs `work`; each line that a `contextLog` writes meanwhile has `fields`, such as the id of a request. */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return storage.run({ ...fields }, work)
}

/** Adds what became known during the work to its later lines. */
export function addLogFields(fields: Readonly<Fields>): void {
  const current = storage.getStore()
  if (current !== undefined) Object.assign(current, fields)
}

/** A log whose lines name the request or the job that they belong to. A line's own fields win. */
export function contextLog(log: Log): Log {
  const complete = (fields: Fields): Fields => ({ ...storage.getStore(), ...fields })
  return {
    debug: (fields, message) => log.debug(complete(fields), message),
    info: (fields, message) => log.info(complete(fields), message),
    warn: (fields, message) => log.warn(complete(fields), message),
    error: (fields, message) => log.error(complete(fields), message),
  }
}
