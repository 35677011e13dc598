#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ApiError, asError } from './base/api_error.ts'
import { accountCreate, accountList, accountShow, clientCreate, clientList, clientRevoke } from './cli/account.ts'
import { type Command, say, UsageError } from './cli/command.ts'
import { customerErase } from './cli/customer.ts'
import { evidenceVerify } from './cli/evidence.ts'
import { keysList, keysRotate } from './cli/keys.ts'
import { listenToWebhooks } from './cli/listen.ts'
import { migrateSchema } from './cli/migrate.ts'
import { transactionTrace } from './cli/transaction.ts'
import { webhookList, webhookPaused, webhookRedeliver, webhookResume } from './cli/webhook.ts'
import { ConfigError, readConfig } from './config.ts'
import { version } from './version.ts'

/** Every command, in the order in which the usage lists them. */
const commands: readonly Command[] = [
  accountCreate,
  accountList,
  accountShow,
  clientCreate,
  clientList,
  clientRevoke,
  customerErase,
  transactionTrace,
  evidenceVerify,
  keysRotate,
  keysList,
  webhookList,
  webhookRedeliver,
  webhookPaused,
  webhookResume,
  listenToWebhooks,
  migrateSchema,
]

/** The words that may be a command's own. */
const named = (words: readonly string[]): readonly string[] => words.filter(word => !word.startsWith('-')).slice(0, 2)

/** Of all commands, or of those that begin with the words. */
const usage = (words: readonly string[] = []): string => {
  const meant = commands.filter(({ name }) => name.split(' ').every((word, index) => (words[index] ?? word) === word))
  const shown = meant.length === 0 ? commands : meant
  const lines = shown.map(({ name, takes, means }) => [`attestor ${name} ${takes}`.trimEnd(), means] as const)
  const width = Math.max(...lines.map(([call]) => call.length)) + 3
  const listed = lines.map(([call, means]) => `  ${call.padEnd(width)}${means}`)
  return `Usage:\n${listed.join('\n')}\nSettings come from the environment, as for the service: DATABASE_URL, MASTER_KEY, …\n`
}

/** The command that the first words name. @throws {UsageError} */
const commandOf = (words: readonly string[]): Command => {
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  if (command !== undefined) return command
  const given = words.filter(word => !word.startsWith('-')).join(' ')
  throw new UsageError(given === '' ? 'a command is required' : `unknown command: ${given}`)
}

/** The value of an option may begin with a dash, as one in 64 secrets once did: `parseArgs` wants it joined to its option. */
const joined = (options: Command['options'], args: readonly string[]): string[] => {
  const typeOf = (word = ''): string | undefined =>
    word.startsWith('--') ? options[word.slice(2).replace(/=.*/s, '')]?.type : undefined
  const words: string[] = []
  for (const word of args) {
    const last = words.at(-1) ?? ''
    const is_value = word.startsWith('-') && typeOf(word) === undefined
    if (is_value && !last.includes('=') && typeOf(last) === 'string') words.splice(-1, 1, `${last}=${word}`)
    else words.push(word)
  }
  return words
}

const readArguments = ({ name, options, most_words = 0 }: Command, args: readonly string[]) => {
  try {
    const { values, positionals } = parseArgs({
      args: joined(options, args),
      options,
      allowPositionals: true,
      strict: true,
    })
    if (positionals.length > most_words) throw new Error(`unexpected argument ${positionals[most_words]}`)
    return { values: values as Readonly<Record<string, string | boolean | undefined>>, words: positionals }
  } catch (error) {
    throw new UsageError(`${name}: ${asError(error).message}`)
  }
}

const runCommand = async (words: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> => {
  if (words.some(word => word === '--help' || word === '-h')) return void process.stdout.write(usage(named(words)))
  if (words[0] === '--version') return say(version)
  const command = commandOf(words)
  const given = readArguments(command, words.slice(command.name.split(' ').length))
  await command.run({ ...given, config: readConfig(environment) })
}

// Who reads the answer may have enough of it, as `head` does: that is no fault.
process.stdout.on('error', error => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1))

/** Exit codes: 0 done, 1 not done, 2 not understood. */
const exitCodeOf = (error: unknown): number => {
  const { message, stack } = asError(error)
  if (error instanceof UsageError) {
    process.stderr.write(`${message}\n\n${usage(named(process.argv.slice(2)))}`)
    return 2
  }
  const is_told = error instanceof ApiError || error instanceof ConfigError
  process.stderr.write(`${is_told ? message : (stack ?? message)}\n`)
  return 1
}

process.exitCode = await runCommand(process.argv.slice(2), process.env).then(() => 0, exitCodeOf)
