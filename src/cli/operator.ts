import { type Command, Option } from 'commander'
import { renderUnicodeCompact } from 'uqr'
import { ApiError } from '../base/api_error.ts'
import { type Role, roles } from '../database/words.ts'
import { commandLine, recordAudit } from '../identity/operators/audit.ts'
import { BrokenAuditError, exportAudit } from '../identity/operators/audit_export.ts'
import {
  createOperator,
  disableOperator,
  listOperators,
  type OperatorCredentials,
  readOperator,
  resetOperator,
} from '../identity/operators/operators.ts'
import type { Shell } from './command.ts'

interface SetUpOptions {
  readonly passwordStdin?: true
  readonly json?: true
}

/** A password as an argument would be in the shell's history: it comes through stdin. */
async function readPassword({ passwordStdin }: SetUpOptions, { readInput }: Shell): Promise<string | null> {
  if (passwordStdin !== true) return null
  const password = (await readInput()).replace(/\r?\n$/, '')
  if (password === '') throw new ApiError('malformed_request', 'stdin: has no password')
  return password
}

function describeSetUp(credentials: OperatorCredentials, chosen: string | null, { json }: SetUpOptions): string {
  const { operator_id, name, role, password, totp } = credentials
  const shown = chosen === null ? { password } : {}
  const codes = { totp_secret: totp.secret, totp_uri: totp.uri }
  if (json === true) return JSON.stringify({ operator_id, name, role, ...shown, ...codes })
  return `name         ${name}
role         ${role}
${chosen === null ? `password     ${password}\n` : ''}totp_secret  ${totp.secret}
totp_uri     ${totp.uri}

${renderUnicodeCompact(totp.uri, { border: 2 })}

Scan the code with an authenticator app. Keep the rest: it is not shown again.`
}

function addSetUpOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from stdin; by default one is generated')
    .option('--json', 'print JSON, without the QR code')
}

export function addOperatorCommands(program: Command, shell: Shell): void {
  const { print, printDone, printJson, withDatabase } = shell
  const operator = program.command('operator').description('create, list, disable and reset operators of the console')
  addSetUpOptions(
    operator
      .command('create')
      .description('create an operator, and print once what they log in with; the first one opens the console')
      .argument('<name>', 'name that they log in with')
      .addOption(new Option('--role <role>', 'what they may do').choices(roles).makeOptionMandatory()),
  ).action(async (name: string, options: SetUpOptions & { role: Role }) => {
    const password = await readPassword(options, shell)
    await withDatabase(async context => {
      const created = await createOperator(context, { name, role: options.role, password }, commandLine)
      print(describeSetUp(created, password, options))
    })
  })
  operator
    .command('list')
    .description('list all operators, one JSON object a line')
    .action(() =>
      withDatabase(async ({ store }) => {
        for (const entry of await listOperators(store)) print(JSON.stringify(entry))
      }),
    )
  operator
    .command('show')
    .description('show an operator as JSON')
    .argument('<operator>', 'name or id')
    .action((name: string) => withDatabase(async ({ store }) => printJson(await readOperator(store, name))))
  operator
    .command('disable')
    .description('end an operator’s sessions, and let them log in no more')
    .argument('<operator>', 'name or id')
    .option('--json', 'print JSON')
    .action((name: string, options: { json?: true }) =>
      withDatabase(async context => {
        const { operator_id } = await disableOperator(context, name, commandLine)
        printDone(options, `The operator ${operator_id} is disabled.`, { operator_id, disabled: true })
      }),
    )
  addSetUpOptions(
    operator
      .command('reset')
      .description('give an operator a new password and new one-time codes; their sessions end')
      .argument('<operator>', 'name or id'),
  ).action(async (name: string, options: SetUpOptions) => {
    const password = await readPassword(options, shell)
    await withDatabase(async context =>
      print(describeSetUp(await resetOperator(context, { operator: name, password }, commandLine), password, options)),
    )
  })
}

export function addAuditCommands(program: Command, { stdout, withDatabase }: Shell): void {
  program
    .command('audit')
    .description('export what operators and clients did')
    .command('export')
    .description('print the audit log, the oldest entry first, one JSON object a line, and check its chain of hashes')
    .action(() =>
      withDatabase(async context => {
        await recordAudit(context, commandLine, { action: 'audit_exported' })
        try {
          for await (const line of exportAudit(context.store)) stdout.write(line)
        } catch (error) {
          throw error instanceof BrokenAuditError ? new ApiError('conflict', error.message) : error
        }
      }),
    )
}
