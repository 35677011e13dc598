import { Command, CommanderError } from 'commander'
import { asError, toApiError } from '../base/api_error.ts'
import { ConfigError } from '../base/setting.ts'
import { version } from '../base/version.ts'
import { addFeatureCommands } from '../feature_commands.ts'
import { addAccountCommands, addClientCommands } from './account.ts'
import { addBackupCommands, addMigrateCommand } from './backup.ts'
import { createShell, type Terminal } from './command.ts'
import { addCustomerCommands } from './customer.ts'
import { addDoctorCommand } from './doctor.ts'
import { addInspectCommand } from './inspect.ts'
import { addKeyCommands } from './keys.ts'
import { addLayoutCommands } from './layouts.ts'
import { addListenCommand } from './listen.ts'
import { addListings } from './listing.ts'
import { addMasterKeyCommands } from './master_key.ts'
import { addModelCommands } from './models.ts'
import { addAuditCommands, addOperatorCommands } from './operator.ts'
import { addRootKeyCommands } from './root_key.ts'
import { addEvidenceCommands, addTransactionCommands } from './transaction.ts'
import { addTrimCommand } from './trim.ts'
import { addWebhookCommands } from './webhook.ts'

/** The programs that stay: `npm start` and `npm run demo` in this repository. */
function addPrograms(program: Command): void {
  program
    .command('start')
    .description('run the service')
    .action(async () => void (await import('../main.ts')))
  program
    .command('demo')
    .description('run one verification end to end, with an invented person; --help has its options')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      // It reads its options itself, and knows the service by HTTP alone.
      process.argv.splice(2, 1)
      await import(new URL('../../lab/demo/main.ts', import.meta.url).href)
    })
}

const addCommands = [
  addPrograms,
  addAccountCommands,
  addClientCommands,
  addCustomerCommands,
  addTransactionCommands,
  addListings,
  addEvidenceCommands,
  addKeyCommands,
  addLayoutCommands,
  addFeatureCommands,
  addMasterKeyCommands,
  addRootKeyCommands,
  addWebhookCommands,
  addListenCommand,
  addInspectCommand,
  addModelCommands,
  addOperatorCommands,
  addAuditCommands,
  addDoctorCommand,
  addMigrateCommand,
  addBackupCommands,
  addTrimCommand,
]

function findLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(findLeaves)
}

/** Commands that stay. */
const withoutJson = ['start', 'demo', 'listen', 'inspect']

/** Commands that always print JSON accept the option too: scripts need not know which do. */
function acceptJson(command: Command): void {
  const hasJson = command.options.some(({ long }) => long === '--json')
  if (!hasJson && !withoutJson.includes(command.name())) command.option('--json', 'print JSON, as it does anyway')
}

/** The command line with all of its commands; the documentation lists them from here. */
export function createProgram(terminal: Terminal): Command {
  const shell = createShell(terminal)
  const program = new Command('attestor')
    .description('Runs and administers Attestor. The settings of the service, such as DATABASE_URL, apply here too.')
    .version(version)
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => void terminal.stdout.write(text),
      writeErr: text => void terminal.stderr.write(text),
    })
  for (const add of addCommands) add(program, shell)
  for (const command of findLeaves(program)) acceptJson(command)
  return program
}

/** Runs a command. Resolves with its exit code: 0 done, 1 failed, 2 not understood, or one of the command's own. */
export async function attestor(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed its own errors. Its code for them is 1.
    if (error instanceof CommanderError) return error.exitCode === 1 ? 2 : error.exitCode
    const { message, stack } = asError(error)
    const isForUser = toApiError(error) !== null || error instanceof ConfigError
    terminal.stderr.write(`${isForUser ? message : (stack ?? message)}\n`)
    return 1
  }
}
