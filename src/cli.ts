#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { asError, toApiError } from './base/api_error.ts'
import { addAccountCommands, addClientCommands } from './cli/account.ts'
import { addCustomerCommands } from './cli/customer.ts'
import { addEvidenceCommands } from './cli/evidence.ts'
import { addInspectCommand } from './cli/inspect.ts'
import { addKeyCommands } from './cli/keys.ts'
import { addListenCommand } from './cli/listen.ts'
import { addMigrateCommand } from './cli/migrate.ts'
import { addTransactionCommands } from './cli/transaction.ts'
import { addWebhookCommands } from './cli/webhook.ts'
import { ConfigError, readConfig } from './config.ts'
import { version } from './version.ts'

const program = new Command('attestor')
  .description('Runs and administers Attestor. The settings of the service, such as DATABASE_URL, apply here too.')
  .version(version)
  .showHelpAfterError()
  .exitOverride()

const addCommands = [
  addAccountCommands,
  addClientCommands,
  addCustomerCommands,
  addTransactionCommands,
  addInspectCommand,
  addEvidenceCommands,
  addKeyCommands,
  addWebhookCommands,
  addListenCommand,
  addMigrateCommand,
]
for (const add of addCommands) add(program, () => readConfig(process.env))

// A reader such as `head` may close the pipe early.
process.stdout.on('error', error => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1))

/** 0 done, 1 failed, 2 not understood. Commander has already printed its own errors. */
const reportError = (error: unknown): number => {
  if (error instanceof CommanderError)
    return ['commander.helpDisplayed', 'commander.version'].includes(error.code) ? 0 : 2
  const { message, stack } = asError(error)
  const isForUser = toApiError(error) !== null || error instanceof ConfigError
  process.stderr.write(`${isForUser ? message : (stack ?? message)}\n`)
  return 1
}

process.exitCode = await program.parseAsync().then(() => 0, reportError)
