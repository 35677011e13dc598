#!/usr/bin/env node
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { createAccount, type NewAccount } from './accounts/accounts.ts'
import { systemClock } from './base/clock.ts'
import { isId } from './base/ids.ts'
import type { Log } from './base/log.ts'
import { asError, Refusal } from './base/refusal.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { openCustomerKey } from './customers/customer_key.ts'
import { checkMasterKey, loadMasterKey } from './master_key.ts'
import { migrate, openStore } from './store/source.ts'
import type { Store } from './store/store.ts'
import { readTrace } from './transactions/trace.ts'

const usage = `Usage:
  attestor account create --name NAME [--json]   make an account and tell its credentials, once
  attestor transaction trace ID                  why it was decided so, as JSON
  attestor migrate                               bring the database's schema up to this build
Settings come from the environment, as for the service: DATABASE_URL, MASTER_KEY, …
`

/** A call that makes no sense: usage on stderr, exit 2. */
class UsageError extends Error {}

/** stdout is for the answer alone. */
const errorLog: Log = {
  info: () => {},
  warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
}

const prepareDatabase = async ({ DATABASE_URL: address }: Config): Promise<void> => {
  if (address.dialect !== 'sqlite') return
  await mkdir(dirname(address.file), { recursive: true })
  await migrate(address)
}

const inWords = ({ account_id, client_id, client_secret }: NewAccount): string =>
  `account_id     ${account_id}\nclient_id      ${client_id}\nclient_secret  ${client_secret}\nKeep the secret: it is not shown again.\n`

/** What a command does with the database and the key that opens it. */
type Work = (opened: { readonly store: Store; readonly master: Buffer }) => Promise<void>

const withDatabase = async (config: Config, work: Work): Promise<void> => {
  await prepareDatabase(config)
  const master = await loadMasterKey(config, errorLog)
  const store = openStore(config.DATABASE_URL, 2)
  try {
    await checkMasterKey(store, master)
    await work({ store, master })
  } finally {
    await store.close()
  }
}

const accountCreate = (config: Config, name: string, json: boolean): Promise<void> =>
  withDatabase(config, async opened => {
    const account = await createAccount({ ...opened, clock: systemClock }, { name })
    process.stdout.write(json ? `${JSON.stringify(account)}\n` : inWords(account))
  })

const transactionTrace = (config: Config, id: string): Promise<void> =>
  withDatabase(config, async ({ store, master }) => {
    const customerKey = (customer_id: string, data_key: Uint8Array) => openCustomerKey(master, customer_id, data_key)
    const kept = await readTrace({ store, customerKey }, id)
    if (kept === null) throw new Refusal('not_found', 'trace: nothing was decided')
    if (!kept.pinned) throw new Refusal('conflict', 'trace: is not the one that the journal names')
    process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`)
  })

const runMigrations = async (config: Config): Promise<void> => {
  const { DATABASE_URL: address } = config
  if (address.dialect === 'sqlite') await mkdir(dirname(address.file), { recursive: true })
  const names = await migrate(address)
  process.stdout.write(names.length === 0 ? 'The schema is up to date.\n' : `Ran ${names.join(', ')}.\n`)
}

const readArguments = (words: readonly string[]) => {
  try {
    const options = {
      name: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(asError(error).message)
  }
}

const runCommand = async (words: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> => {
  const { values, positionals } = readArguments(words)
  if (values.help === true) return void process.stdout.write(usage)
  const command = positionals.join(' ')
  if (command === 'account create') {
    if (values.name === undefined) throw new UsageError('account create: --name is required')
    return accountCreate(readConfig(environment), values.name, values.json === true)
  }
  const [, , id = ''] = positionals
  if (command === `transaction trace ${id}` && isId(id)) return transactionTrace(readConfig(environment), id)
  if (command !== 'migrate')
    throw new UsageError(command === '' ? 'a command is required' : `unknown command: ${command}`)
  if (values.name !== undefined || values.json !== undefined) throw new UsageError('migrate: takes no options')
  return runMigrations(readConfig(environment))
}

/** Exit codes: 0 done, 1 not done, 2 not understood. */
const exitCodeOf = (error: unknown): number => {
  const { message, stack } = asError(error)
  if (error instanceof UsageError) {
    process.stderr.write(`${message}\n\n${usage}`)
    return 2
  }
  const is_told = error instanceof Refusal || error instanceof ConfigError
  process.stderr.write(`${is_told ? message : (stack ?? message)}\n`)
  return 1
}

process.exitCode = await runCommand(process.argv.slice(2), process.env).then(() => 0, exitCodeOf)
