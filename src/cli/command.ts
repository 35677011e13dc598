import type { ParseArgsOptionsConfig } from 'node:util'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type OpenDatabase, openPresentDatabase } from '../composition/database.ts'
import type { Config } from '../config.ts'

/** A call that makes no sense: usage on stderr, exit 2. */
export class UsageError extends Error {}

/** What a command was called with: its options by name, and the words after its own. */
export interface Call {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly words: readonly string[]
  readonly config: Config
}

/** One command of the command line. Its answer goes to stdout, and nothing else does. */
export interface Command {
  /** Its words, such as `account create`. */
  readonly name: string
  /** What follows them, as the usage shows it. */
  readonly takes: string
  readonly means: string
  readonly options: ParseArgsOptionsConfig
  /** Words that it takes after its own, none by default. */
  readonly most_words?: number
  readonly run: (call: Call) => Promise<void>
}

/** An option that must be given. @throws {UsageError} */
export const required = ({ values }: Call, command: string, name: string): string => {
  const value = values[name]
  if (typeof value !== 'string') throw new UsageError(`${command}: --${name} is required`)
  return value
}

/** Writes a line of the answer. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** stdout is for the answer alone. */
export const errorLog: Log = {
  info: () => {},
  warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
}

/** What a command works with. */
export interface Opened extends OpenDatabase {
  readonly clock: typeof systemClock
}

/** A command does one thing after another. */
const connections = 2

/** Opens the database that there is, for a command, and closes it afterwards. */
export const withDatabase = async (config: Config, work: (opened: Opened) => Promise<void>): Promise<void> => {
  const opened = await openPresentDatabase({ config: { ...config, DATABASE_CONNECTIONS: connections }, log: errorLog })
  try {
    await work({ ...opened, clock: systemClock })
  } finally {
    await opened.store.close()
  }
}
