import { Argument, type Command, InvalidArgumentError } from 'commander'
import { featureSwitches, featureSwitchNames } from '../features.ts'
import { listAccounts, listClients, readAccount } from '../identity/accounts/account_list.ts'
import {
  createAccount,
  createClient,
  type NewAccount,
  revokeClient,
  switchAccount,
} from '../identity/accounts/accounts.ts'
import { parseAndroidApp, parseAppleApp, setApps } from '../identity/accounts/apps.ts'
import { commandLine, createAuditRecord } from '../identity/operators/audit.ts'
import { parseIdArgument, type Shell } from './command.ts'

function describeCredentials(account: NewAccount, { json }: { readonly json?: true }): string {
  const { account_id, client_id, client_secret } = account
  const text = `account_id     ${account_id}\nclient_id      ${client_id}\nclient_secret  ${client_secret}`
  return json === true ? JSON.stringify(account) : `${text}\nKeep the secret: it is not shown again.`
}

function parseName(value: string): string {
  if (value.startsWith('--')) throw new InvalidArgumentError('A name is missing.')
  return value
}

export function addAccountCommands(program: Command, { print, printDone, printJson, withDatabase }: Shell): void {
  const account = program.command('account').description('create and list accounts of integrators')
  account
    .command('create')
    .description('create an account, and print its credentials once')
    .requiredOption('--name <name>', 'name of the account', parseName)
    .option('--test', 'an account for tests: scripted results, and a clock of its own')
    .option('--json', 'print JSON')
    .action((options: { name: string; test?: true; json?: true }) =>
      withDatabase(async context => {
        const mode = options.test === true ? 'test' : 'live'
        const record = createAuditRecord(context, commandLine, ({ account_id }: NewAccount) => ({
          action: 'account_created',
          account_id,
          subject: { type: 'account', id: account_id },
          details: { mode },
        }))
        print(describeCredentials(await createAccount(context, { name: options.name, mode }, record), options))
      }),
    )
  const opened = 'for transactions opened from now on'
  const switches = [
    ['review', 'transactions that stay UNDETERMINED wait for a reviewer in the console', opened, 'Reviews are'],
    ['resubmission', 'the person may once take again what the analysis could not judge', opened, 'Resubmission is'],
    [
      'signed_captures',
      'each capture must be signed by a key that the device’s maker attests',
      opened,
      'Signed captures are',
    ],
    ...featureSwitchNames.map(name => {
      const { meaning, state, said } = featureSwitches[name].words
      return [name, meaning, state, said] as const
    }),
  ] as const
  for (const [name, meaning, when, said] of switches)
    account
      .command(name.replace('_', '-'))
      .description(`choose whether ${meaning}`)
      .argument('<account_id>', 'id of the account', parseIdArgument)
      .addArgument(new Argument('<state>', when).choices(['on', 'off']))
      .option('--json', 'print JSON')
      .action((account_id: string, state: string, options: { json?: true }) =>
        withDatabase(async context => {
          const subject = { type: 'account', id: account_id } as const
          const details = { [name]: state === 'on' }
          const event = { action: 'account_changed', account_id, subject, details } as const
          const record = createAuditRecord(context, commandLine, event)
          await switchAccount(context, account_id, name, state === 'on', record)
          printDone(options, `${said} ${state}.`, { account_id, ...details })
        }),
      )
  account
    .command('apps')
    .description('name the account’s own apps, in place of those that it named; without any, no app is another’s')
    .argument('<account_id>', 'id of the account', parseIdArgument)
    .option('--android <app...>', 'PACKAGE=SHA-256 of the signing certificate, in hex')
    .option('--ios <app...>', 'TEAM.bundle')
    .option('--json', 'print JSON')
    .action((account_id: string, options: { android?: string[]; ios?: string[]; json?: true }) =>
      withDatabase(async context => {
        const { android = [], ios = [] } = options
        const apps = { android: android.map(parseAndroidApp), ios: ios.map(parseAppleApp) }
        const subject = { type: 'account', id: account_id } as const
        const details = { apps: [...android, ...ios].join(' ') }
        const event = { action: 'account_changed', account_id, subject, details } as const
        await setApps(context, account_id, apps, createAuditRecord(context, commandLine, event))
        printDone(options, `The account has ${android.length + ios.length} apps.`, { account_id, apps })
      }),
    )
  account
    .command('list')
    .description('list all accounts, one JSON object a line')
    .action(() =>
      withDatabase(async ({ store }) => {
        for (const entry of await listAccounts(store)) print(JSON.stringify(entry))
      }),
    )
  account
    .command('show')
    .description('show an account and its clients as JSON')
    .argument('<account_id>', 'id of the account', parseIdArgument)
    .action((account_id: string) =>
      withDatabase(async ({ store }) => {
        const entry = await readAccount(store, account_id)
        printJson({ ...entry, clients: await listClients(store, account_id) })
      }),
    )
}

export function addClientCommands(program: Command, { print, printDone, withDatabase }: Shell): void {
  const client = program.command('client').description('create, list and revoke the clients of an account')
  client
    .command('create')
    .description('create a further client of an account, and print its credentials once')
    .argument('<account_id>', 'id of the account', parseIdArgument)
    .option('--json', 'print JSON')
    .action((account_id: string, options: { json?: true }) =>
      withDatabase(async context => {
        const record = createAuditRecord(context, commandLine, ({ client_id }: NewAccount) => ({
          action: 'client_created',
          account_id,
          subject: { type: 'client', id: client_id },
        }))
        print(describeCredentials(await createClient(context, account_id, record), options))
      }),
    )
  client
    .command('list')
    .description('list the clients of an account, revoked ones too, one JSON object a line')
    .argument('<account_id>', 'id of the account', parseIdArgument)
    .action((account_id: string) =>
      withDatabase(async ({ store }) => {
        for (const entry of await listClients(store, account_id)) print(JSON.stringify(entry))
      }),
    )
  client
    .command('revoke')
    .description('revoke a client; its tokens stop working within a minute')
    .argument('<client_id>', 'id of the client', parseIdArgument)
    .option('--json', 'print JSON')
    .action((client_id: string, options: { json?: true }) =>
      withDatabase(async context => {
        const record = createAuditRecord(context, commandLine, ({ account_id }: { readonly account_id: string }) => ({
          action: 'client_revoked',
          account_id,
          subject: { type: 'client', id: client_id },
        }))
        await revokeClient(context, client_id, record)
        printDone(options, `The client ${client_id} is revoked.`, { client_id, revoked: true })
      }),
    )
}
