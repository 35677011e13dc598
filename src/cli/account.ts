import { createAccount, type NewAccount } from '../accounts/accounts.ts'
import { type Command, required, say, withDatabase } from './command.ts'

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
