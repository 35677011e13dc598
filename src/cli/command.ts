import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import { checkMasterKey, loadMasterKey } from '../master_key.ts'
import { migrate, openStore } from '../store/source.ts'
import type { Store } from '../store/store.ts'

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

/** Brings the schema up to this build; resolves with what ran. SQLite's file is made where it is not there. */
export const migrateDatabase = async ({ DATABASE_URL: address }: Config): Promise<readonly string[]> => {
  if (address.dialect === 'sqlite') await mkdir(dirname(address.file), { recursive: true })
  return migrate(address)
}

/** The database and the master key that it was sealed with. */
export interface Opened {
  readonly store: Store
  readonly clock: typeof systemClock
  readonly master: Buffer
}

/** Opens the database for a command, and closes it afterwards. An embedded one is made and migrated first. */
export const withDatabase = async (config: Config, work: (opened: Opened) => Promise<void>): Promise<void> => {
  const master = await loadMasterKey(config, errorLog)
  if (config.DATABASE_URL.dialect === 'sqlite') await migrateDatabase(config)
  const store = openStore(config.DATABASE_URL, 2)
  try {
    await checkMasterKey(store, master)
    await work({ store, clock: systemClock, master })
  } finally {
    await store.close()
  }
}
