import { listAccounts, listClients, readAccount } from '../accounts/account_list.ts'
import { createAccount, createClient, type NewAccount, revokeClient } from '../accounts/accounts.ts'
import { parseId } from '../base/ids.ts'
import { type Call, type Command, required, say, UsageError, withDatabase } from './command.ts'

const inWords = ({ account_id, client_id, client_secret }: NewAccount): string =>
  `account_id     ${account_id}\nclient_id      ${client_id}\nclient_secret  ${client_secret}\nKeep the secret: it is not shown again.`

/** `attestor account create`. */
export const accountCreate: Command = {
  name: 'account create',
  takes: '--name NAME [--test] [--json]',
  means: 'make an account (for tests) and tell its credentials, once',
  options: { name: { type: 'string' }, test: { type: 'boolean' }, json: { type: 'boolean' } },
  run: async call => {
    const name = required(call, 'account create', 'name')
    await withDatabase(call.config, async opened => {
      const account = await createAccount(opened, { name, mode: call.values.test === true ? 'test' : 'live' })
      say(call.values.json === true ? JSON.stringify(account) : inWords(account))
    })
  },
}

const idIn = ({ words: [named = ''] }: Call, command: string, of: string): string => {
  const id = parseId(named)
  if (id === null) throw new UsageError(`${command}: the id of ${of} is required`)
  return id
}

/** `attestor account list`. */
export const accountList: Command = {
  name: 'account list',
  takes: '',
  means: 'all accounts, a line each as JSON',
  options: {},
  run: async ({ config }) => {
    await withDatabase(config, async ({ store }) => {
      for (const account of await listAccounts(store)) say(JSON.stringify(account))
    })
  },
}

/** `attestor account show`. */
export const accountShow: Command = {
  name: 'account show',
  takes: 'ACCOUNT_ID',
  means: 'an account and its clients, as JSON',
  options: {},
  most_words: 1,
  run: async call => {
    const account_id = idIn(call, 'account show', 'an account')
    await withDatabase(call.config, async ({ store }) => {
      const account = await readAccount(store, account_id)
      say(JSON.stringify({ ...account, clients: await listClients(store, account_id) }, null, 2))
    })
  },
}

/** `attestor client list`. */
export const clientList: Command = {
  name: 'client list',
  takes: 'ACCOUNT_ID',
  means: 'the clients of an account, a line each as JSON, revoked ones too',
  options: {},
  most_words: 1,
  run: async call => {
    const account_id = idIn(call, 'client list', 'an account')
    await withDatabase(call.config, async ({ store }) => {
      for (const client of await listClients(store, account_id)) say(JSON.stringify(client))
    })
  },
}

/** `attestor client create`. */
export const clientCreate: Command = {
  name: 'client create',
  takes: 'ACCOUNT_ID [--json]',
  means: 'make a further client of an account and tell its credentials, once',
  options: { json: { type: 'boolean' } },
  most_words: 1,
  run: async call => {
    const account_id = idIn(call, 'client create', 'an account')
    await withDatabase(call.config, async opened => {
      const client = await createClient(opened, account_id)
      say(call.values.json === true ? JSON.stringify(client) : inWords(client))
    })
  },
}

/** `attestor client revoke`. */
export const clientRevoke: Command = {
  name: 'client revoke',
  takes: 'CLIENT_ID',
  means: 'let a client in no more; its tokens end within a minute',
  options: {},
  most_words: 1,
  run: async call => {
    const client_id = idIn(call, 'client revoke', 'a client')
    await withDatabase(call.config, async opened => {
      await revokeClient(opened, client_id)
      say(`The client ${client_id} is revoked.`)
    })
  },
}
