import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { systemClock } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { type Config, type Environment, readConfig } from '../config/settings.ts'
import { type OpenDatabase, openPresentDatabase } from '../node/open_database.ts'

/** Characters that a terminal interprets or that reorder words (Unicode annex 9), except tabs and ends of lines. */
const controls = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Each as its code, in the form of JSON, which stays valid. */
function showControls(text: string): string {
  return text.replace(controls, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A stream that a command writes to. */
export interface Output {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

/** The environment of the command line: `process` is one. */
export interface Terminal {
  readonly env: Environment
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: Output
  readonly stderr: Output
}

export function parseIdArgument(value: string): string {
  const id = parseId(value)
  if (id === null) throw new InvalidArgumentError('It must be an id.')
  return id
}

/** The input of a command, and its ways to write. */
function openTerminal(terminal: Terminal) {
  const { env, stdout, stderr } = terminal
  const print = (line: string): void => void stdout.write(`${showControls(line)}\n`)
  const warn = (line: string): void => void stderr.write(`${line}\n`)
  const logLine: Log['warn'] = (fields, message) => warn(`${message} ${JSON.stringify(fields)}`)
  return {
    stdout,
    stderr,
    /** Help and version need no settings. @throws {ConfigError} */
    readConfig: () => readConfig(env),
    /** `process` opens its stdin when it is first asked for. */
    readInput: () => text(terminal.stdin),
    /** Writes a line of the result; stdout carries nothing else. */
    print,
    printJson: (value: unknown): void => print(JSON.stringify(value, null, 2)),
    /** Reports that a command is done: a sentence for a person, or JSON for a script. */
    printDone: ({ json }: { readonly json?: true }, sentence: string, value: object): void =>
      print(json === true ? JSON.stringify(value) : sentence),
    warn,
    log: { debug: () => {}, info: () => {}, warn: logLine, error: logLine },
  }
}

export interface CommandContext extends OpenDatabase, ReturnType<typeof openTerminal> {
  readonly clock: typeof systemClock
  readonly config: Config
}

/** A command runs its statements one after another. */
const connections = 2

/** The functions that commands share on a terminal. */
export function createShell(terminal: Terminal) {
  const opened = openTerminal(terminal)
  /** Opens the existing database for a command, and closes it afterwards. */
  const withDatabase = async <T>(work: (context: CommandContext) => Promise<T>): Promise<T> => {
    const config = opened.readConfig()
    const options = { config: { ...config, DATABASE_CONNECTIONS: connections }, log: opened.log }
    const database = await openPresentDatabase(options)
    try {
      return await work({ ...opened, ...database, clock: systemClock, config })
    } finally {
      await database.store.close()
    }
  }
  return { ...opened, withDatabase }
}

export type Shell = ReturnType<typeof createShell>
