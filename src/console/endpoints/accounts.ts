import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { jsonBody, unusedBody } from '../../http/content.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { listAccounts as listAll, listClients, readAccount } from '../../identity/accounts/account_list.ts'
import { changeAccountSettings } from '../../identity/accounts/account_settings.ts'
import * as accounts from '../../identity/accounts/accounts.ts'
import { id } from '../../schemas/common.ts'
import { closedObjectField, rule, textField, wordField } from '../../schemas/fields.ts'
import { auditRecord, consoleApi, forOperators } from '../endpoint.ts'

const path = `${consoleApi}/account`

const flag = z.boolean({ error: rule('must be true or false') })

const newAccount = closedObjectField({
  name: textField(1, 255),
  mode: wordField(['live', 'test']).default('live'),
  review: flag.default(false),
})

const switches = Object.fromEntries(accounts.accountSwitches.map(name => [name, flag.optional()])) as Readonly<
  Record<accounts.AccountSwitch, z.ZodOptional<typeof flag>>
>

const accountChange = closedObjectField(switches)

/** All accounts, the oldest first. */
export const listAccounts = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path,
  async handler(_call, { operators: { store } }) {
    return { status: 200, body: { data: await listAll(store) } }
  },
})

/** An account with its clients. */
export const getAccount = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path: `${path}/{account_id}`,
  request: { path: { account_id: id } },
  async handler({ path: { account_id } }, { operators: { store } }) {
    const account = await readAccount(store, account_id)
    return { status: 200, body: { ...account, clients: await listClients(store, account_id) } }
  },
})

/** A new account, with credentials that are shown once. */
export const createAccount = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path,
  request: { body: jsonBody(newAccount) },
  async handler({ caller, body }, deps) {
    const details = { mode: body.mode, review: body.review }
    const record = auditRecord(deps, caller, ({ account_id }: accounts.NewAccount) => ({
      action: 'account_created',
      account_id,
      subject: { type: 'account', id: account_id },
      details,
    }))
    const made = await accounts.createAccount(deps.accounts, body, record)
    // People see this name of the company from the first page on.
    const name = [...body.name.trim()].slice(0, 60).join('')
    const look = { name, accent: null, privacy_url: null, contact_url: null, languages: null }
    await changeAccountSettings(deps.accounts, made.account_id, { branding: look })
    return { status: 201, body: made }
  },
})

/** Sets switches of an account, such as whether UNDETERMINED results wait for a reviewer. */
export const changeAccount = defineUndocumented({
  ...forOperators('admin'),
  method: 'patch',
  path: `${path}/{account_id}`,
  request: { path: { account_id: id }, body: jsonBody(accountChange) },
  async handler({ caller, path: { account_id }, body }, deps) {
    const { store } = deps.accounts
    const subject = { type: 'account', id: account_id } as const
    const about = (details: Readonly<Record<string, boolean>>) =>
      auditRecord(deps, caller, { action: 'account_changed', account_id, subject, details } as const)
    for (const name of accounts.accountSwitches) {
      const on = body[name]
      if (on !== undefined) await accounts.switchAccount(deps.accounts, account_id, name, on, about({ [name]: on }))
    }
    return { status: 200, body: await readAccount(store, account_id) }
  },
})

/** A further client, with a secret that is shown once. */
export const createClient = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${path}/{account_id}/client`,
  request: { path: { account_id: id }, body: unusedBody },
  async handler({ caller, path: { account_id } }, deps) {
    const record = auditRecord(deps, caller, ({ client_id }: accounts.NewAccount) => ({
      action: 'client_created',
      account_id,
      subject: { type: 'client', id: client_id },
    }))
    return { status: 201, body: await accounts.createClient(deps.accounts, account_id, record) }
  },
})

/** A revoked client gets no more tokens. */
export const revokeClient = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${consoleApi}/client/{client_id}/revoke`,
  request: { path: { client_id: id }, body: unusedBody },
  async handler({ caller, path: { client_id } }, deps) {
    const record = auditRecord(deps, caller, ({ account_id }: { readonly account_id: string }) => ({
      action: 'client_revoked',
      account_id,
      subject: { type: 'client', id: client_id },
    }))
    const { account_id } = await accounts.revokeClient(deps.accounts, client_id, record)
    const revoked = (await listClients(deps.accounts.store, account_id)).find(one => one.client_id === client_id)
    if (revoked === undefined) throw new ApiError('not_found', 'client_id: not found')
    return { status: 200, body: revoked }
  },
})
