import { type AccountLook, lookFields, toLogo } from '@attestor/capture-page'
import { defaultFraudPolicy, type FraudPolicy, policyActions } from '@attestor/rules'
import { rowExists } from 'durable-xstate-sql/sql'
import { encode } from 'uqr'
import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
import { jsonBody, unusedBody } from '../../http/content.ts'
import type { HttpDeps } from '../../http/deps.ts'
import { defineUndocumented, type EndpointDeps } from '../../http/endpoint.ts'
import { createVerifyUrl } from '../../http/paths.ts'
import { toTransactionRequest, transactionBody } from '../../http/shapes/transaction_body.ts'
import { listClients, readAccount } from '../../identity/accounts/account_list.ts'
import { changeAccountSettings, readAccountSettings } from '../../identity/accounts/account_settings.ts'
import { createCustomer } from '../../identity/customers/customers.ts'
import { id } from '../../schemas/common.ts'
import { checkFields, closedObjectField, orNull, rule, wordField } from '../../schemas/fields.ts'
import { openTransaction } from '../../verification/transactions/transactions.ts'
import { audit, auditRecord, consoleApi, forOperators } from '../endpoint.ts'

const path = `${consoleApi}/account/{account_id}`

/** Longest logo: it comes in the body, whose size is bounded. */
const maxLogoBytes = 45_000

function toPicture(base64: string): Buffer {
  const content = Buffer.from(base64, 'base64')
  if (content.length > maxLogoBytes) throw new Error(`must be at most ${maxLogoBytes} bytes, not ${content.length}`)
  return toLogo(content).content
}

const logo = z.string({ error: rule('must be a picture in base64') }).transform((base64, context) => {
  try {
    return toPicture(base64)
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^logo: /, '') : String(error)
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
})

const notOrigin = 'must be an origin such as https://shop.example'

const origin = z
  .string({ error: rule(notOrigin) })
  .refine(text => URL.canParse(text) && text.startsWith('https://') && new URL(text).origin === text, {
    error: notOrigin,
  })

const notLanguages = 'must be one or more of the languages that the page is offered in'

function settingsBody(offered: readonly string[]) {
  const language = z.string({ error: notLanguages }).refine(code => offered.includes(code), { error: notLanguages })
  const look = closedObjectField({
    name: lookFields.name,
    accent: orNull(lookFields.accent),
    privacy_url: orNull(lookFields.privacy_url),
    contact_url: orNull(lookFields.contact_url),
    languages: orNull(z.array(language, { error: notLanguages }).min(1, { error: notLanguages }).max(100)),
  })
  const action = wordField(policyActions)
  const names = Object.keys(defaultFraudPolicy) as (keyof FraudPolicy)[]
  return closedObjectField({
    branding: look.nullish(),
    logo: logo.nullish(),
    fraud_policy: closedObjectField(Object.fromEntries(names.map(name => [name, action]))).nullish(),
    webhook_origins: z
      .array(origin, { error: 'must be a list of origins' })
      .min(1, { error: 'must name an origin, or be null for any' })
      .max(100, { error: 'must be at most 100 origins' })
      .nullish(),
  })
}

/** The settings of an account, and those that hold where it has none. */
async function viewSettings(
  { accounts: { store }, branding }: Pick<HttpDeps, 'accounts' | 'branding'>,
  account_id: string,
) {
  const { name } = await readAccount(store, account_id)
  const { version, logo: picture, ...settings } = await readAccountSettings(store, account_id)
  const inFile = branding.accounts.get(account_id) ?? branding
  const isUsed = await rowExists(store, {
    sql: 'SELECT id FROM transactions WHERE account_id = ? LIMIT 1',
    values: [account_id],
  })
  const look: AccountLook = {
    ...{ name: branding.accounts.get(account_id)?.name ?? name, accent: inFile.accent },
    ...{ privacy_url: inFile.privacy_url, contact_url: inFile.contact_url, languages: null },
  }
  return {
    ...settings,
    version,
    has_logo: (settings.branding === null ? inFile.logo : picture) !== null,
    is_used: isUsed,
    /** The settings of an account without any. */
    defaults: { branding: look, fraud_policy: defaultFraudPolicy, languages: inFile.languages },
  }
}

/** The look of an account's pages, its policies, and where its webhooks may go. */
export const getAccountSettings = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path: `${path}/settings`,
  request: { path: { account_id: id } },
  async handler({ path: { account_id } }, deps) {
    return { status: 200, body: await viewSettings(deps, account_id) }
  },
})

/** Members that are absent stay as they are; null sets one back. */
export const changeSettings = defineUndocumented({
  ...forOperators('admin'),
  method: 'patch',
  path: `${path}/settings`,
  request: { path: { account_id: id }, body: jsonBody(z.looseObject({})) },
  async handler({ caller, path: { account_id }, body }, deps) {
    const offered = (deps.branding.accounts.get(account_id) ?? deps.branding).languages
    const change = checkFields(settingsBody(offered), body)
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const details = Object.fromEntries(given.map(([name, value]) => [name, value === null ? 'unset' : 'set']))
    const subject = { type: 'account', id: account_id } as const
    const record = auditRecord(deps, caller, { action: 'account_changed', account_id, subject, details } as const)
    await changeAccountSettings(deps.accounts, account_id, Object.fromEntries(given), record)
    return { status: 200, body: await viewSettings(deps, account_id) }
  },
})

/** The customer of verifications that are opened to try the account out. */
const visitor = { external_customer_id: 'console-try-out', email: null, phone_number: null } as const

async function findCaller({ accounts: { store } }: EndpointDeps, account_id: string) {
  const client = (await listClients(store, account_id)).find(({ revoked_at }) => revoked_at === null)
  if (client === undefined) throw new ApiError('invalid_field', 'account_id: has no client that is not revoked')
  return { account_id, client_id: client.client_id }
}

/** Opens a verification for a first try: a link, and its code for a phone. */
export const tryAccount = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${path}/try`,
  request: { path: { account_id: id }, body: unusedBody },
  async handler({ caller, path: { account_id } }, deps) {
    const client = await findCaller(deps, account_id)
    const { customer } = await createCustomer(deps.customers, account_id, visitor)
    const { customer_id } = customer
    const call = transactionBody(deps).parse({ customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC' })
    const { transaction_id, sdk_token, expires_in } = await openTransaction(
      deps.transactions,
      client,
      toTransactionRequest(call),
    )
    const subject = { type: 'transaction', id: transaction_id } as const
    await audit(deps, caller, { action: 'transaction_opened', account_id, subject })
    const verify_url = createVerifyUrl(deps.baseUrl, sdk_token, transaction_id)
    return { status: 201, body: { transaction_id, verify_url, expires_in, qr: encode(verify_url).data } }
  },
})
