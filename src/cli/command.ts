import { InvalidArgumentError } from 'commander'
import { systemClock } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { type OpenDatabase, openPresentDatabase } from '../node/open_database.ts'

/** Reads the settings when a command runs: help and version need none. @throws {ConfigError} */
export type ReadConfig = () => Config

export const parseIdArgument = (value: string): string => {
  const id = parseId(value)
  if (id === null) throw new InvalidArgumentError('It must be an id.')
  return id
}

/** Writes a line of the result; stdout carries nothing else. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Reports that a command is done: a sentence for a person, or JSON for a script. */
export const printDone = ({ json }: { readonly json?: true }, sentence: string, value: object): void =>
  print(json === true ? JSON.stringify(value) : sentence)

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Warnings and errors go to stderr. */
export const errorLog: Log = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
}

export interface CommandContext extends OpenDatabase {
  readonly clock: typeof systemClock
  readonly config: Config
}

/** A command runs its statements one after another. */
const connections = 2

/** Opens the existing database for a command, and closes it afterwards. */
export const withDatabase = async (config: Config, work: (context: CommandContext) => Promise<void>): Promise<void> => {
  const database = await openPresentDatabase({
    config: { ...config, DATABASE_CONNECTIONS: connections },
    log: errorLog,
  })
  try {
    await work({ ...database, clock: systemClock, config })
  } finally {
    await database.store.close()
  }
}

/** Aborts `work` after `ms`. */
export const withTimeout = async <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const abort = new AbortController()
  const cancel = systemClock.setTimer(ms, () => abort.abort(new Error('timed out')))
  try {
    return await work(abort.signal)
  } finally {
    cancel()
  }
}
