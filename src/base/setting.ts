import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { asError } from './api_error.ts'

/** Malformed or unknown settings. The message names them, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export interface Setting<T> {
  /** A secret. The setting `…_FILE` may name a file that contains it. */
  readonly is_secret?: true
  /** A URL that a node calls. */
  readonly is_called?: true
  /** Absent: the setting is null where it is not set. */
  readonly default?: string
  /** The setting without which it is of no use, and that is of none without it. */
  readonly goes_with?: string
  readonly read: (text: string, name: string) => T
  readonly description: string
}

export function fail(name: string, rule: string): never {
  throw new ConfigError(`${name}: ${rule}`)
}

export function readFilePath(value: string): string {
  return resolve(value)
}

export function readReadableFile(value: string, name: string): string {
  const file = readFilePath(value)
  try {
    readFileSync(file)
    return file
  } catch (error) {
    return fail(name, `can't be read: ${asError(error).message}`)
  }
}

export function wholeNumber(from: number, to: number) {
  return (value: string, name: string): number => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= from && number <= to ? number : fail(name, `must be a whole number from ${from} to ${to}`)
  }
}
