import { openStore } from '../../src/store/source.ts'
import type { TestDatabase } from '../database.ts'
import { type Call, callTo, kyc, phoneOf, scope, sdk, startCall } from './client.ts'
import type { Hook } from './hook.ts'

/** The address that the proxy in front names. */
export const canary_ip = '203.0.113.77'

const person = {
  external_customer_id: 'canary-external',
  email: 'canary-mail@example.org',
  phone_number: '+4915112345678',
}
const expected_data = { first_name: 'CANARYFIRST', last_name: 'ERIKSSON', date_of_birth: '1974-08-12' }

/** What only the analysis and the device know. */
const found_out = { mrz: 'L898902C', personal_number: 'ZE184226B', ip: canary_ip, model: 'Phone 9', place: '52.52' }

/** A whole verification full of secrets and personal data, some of them where they don't belong. */
export const verifyCanary = async (url: string, hook: Hook, account: Readonly<Record<string, string>>) => {
  const { client_id = '', client_secret = '' } = account
  const plain = callTo(() => url)
  const call: Call = (method, path, options) =>
    plain(method, path, { ...options, headers: { 'X-Forwarded-For': canary_ip } })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
  const token = String((await call('POST', '/oauth2/token', { form })).body.access_token)
  const { customer_id } = (await call('POST', `${kyc}/customer`, { token, json: person })).body
  const config = { webhook: { url: hook.url }, expected_data }
  const json = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
  const opened = (await call('POST', `${kyc}/transaction`, { token, json })).body
  const sdk_token = String(opened.sdk_token)
  const phone = phoneOf(call, sdk_token)
  await phone.capture()
  await phone.start({ ...startCall, document_type: 'NONSENSE' })
  await call('GET', `${sdk}/result?wait=0&access_token=${sdk_token}`, { token: sdk_token })
  await phone.complete()
  await hook.seen(({ body }) => body.status === 'FINISHED')
  const view = (await call('GET', `${kyc}/transaction/${opened.transaction_id}`, { token })).body
  const secrets = { client_secret, token, sdk_token, ...person, ...expected_data, ...found_out }
  return { secrets, result: JSON.stringify(view.result_data) }
}

const tables = [
  ...['accounts', 'clients', 'customers', 'transactions', 'captures', 'deliveries', 'delivery_attempts', 'journal'],
  ...['due', 'origins', 'signing_keys', 'idempotency_keys', 'rate_limits', 'erasures', 'facts'],
]

/** Everything that the database holds, as text, by table. */
export const readableColumns = async ({ address }: TestDatabase): Promise<Readonly<Record<string, string>>> => {
  const store = openStore(address, 2)
  const places: Record<string, string> = {}
  for (const table of tables) {
    const rows = await store.read({ sql: `SELECT * FROM ${table}`, values: [] })
    const texts = rows.flatMap(row =>
      Object.values(row).map(value => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)),
    )
    places[table] = texts.join('\n')
  }
  await store.close()
  return places
}
