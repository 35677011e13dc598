import { openStore } from 'durable-xstate-sql'
import { type Call, callTo } from '../calls.ts'
import type { TestDatabase } from '../database.ts'
import { kyc, openTransaction, phoneOf, requestToken, sdk, signalsCall, startCall, tokenForm } from './client.ts'
import type { Hook } from './hook.ts'

/** The address that the proxy in front names. */
export const canaryIp = '203.0.113.77'

const person = {
  external_customer_id: 'canary-external',
  email: 'canary-mail@example.org',
  phone_number: '+4915112345678',
}
const expected_data = { first_name: 'CANARYFIRST', last_name: 'ERIKSSON', date_of_birth: '1974-08-12' }

/** Enough digits that no duration or count of the log has them by chance. */
const place = { latitude: 52.5170366, longitude: 13.3888599 }

/** Data that only the analysis and the device know. */
const foundOut = {
  mrz: 'L898902C',
  personal_number: 'ZE184226B',
  ip: canaryIp,
  model: 'Phone 9',
  latitude: String(place.latitude),
  longitude: String(place.longitude),
}

/** Values that a caller sends by mistake, or for himself alone. */
const slips = {
  idempotency_key: 'canary-key-of-a-call',
  wrong_secret: 'canary-secret-that-is-none',
  said: 'canary-answer',
  reference: 'canary-reference',
}

/** The responses to callers who put a secret or a person's data where they don't belong. */
async function errorsOf(call: Call, client_id: string, token: string): Promise<string> {
  const { email, phone_number } = person
  const wrong = tokenForm({ client_id, client_secret: slips.wrong_secret })
  const answers = [
    await call('POST', '/oauth2/token', { form: wrong }),
    await call('POST', `/oauth2/token?client_secret=${slips.wrong_secret}`),
    await call('GET', `${kyc}/customer/${email}`, { token }),
    await call('GET', `${kyc}/customer?external_customer_id=${email}`, { token }),
    await call('GET', `${kyc}/transaction?customer_id=${email}`, { token }),
    await call('POST', `${kyc}/customer`, { token, json: { ...person, email: phone_number, phone_number: email } }),
    await call('GET', `${kyc}/capture/${slips.wrong_secret}`),
    await call('GET', sdk, { token: slips.wrong_secret }),
  ]
  return answers.map(({ status, text, headers }) => JSON.stringify([status, text, [...headers]])).join('\n')
}

/** A whole verification full of secrets and personal data, some of them where they don't belong. */
export async function verifyCanary(url: string, hook: Hook, account: Readonly<Record<string, string>>) {
  const { client_id = '', client_secret = '' } = account
  const plain = callTo(() => url)
  const call: Call = (method, path, options) =>
    plain(method, path, { ...options, headers: { ...options?.headers, 'X-Forwarded-For': canaryIp } })
  const token = await requestToken(call, { client_id, client_secret })
  const headers = { 'Idempotency-Key': slips.idempotency_key }
  const { customer_id } = (await call('POST', `${kyc}/customer`, { token, json: person, headers })).body
  hook.answer(() => ({ status: 200, text: slips.said }))
  const config = { webhook: { url: hook.url }, expected_data, reference: slips.reference }
  const opened = await openTransaction(call, token, { customer_id: String(customer_id), config })
  const { sdk_token } = opened
  const phone = phoneOf(call, sdk_token)
  await phone.capture()
  await phone.signals({ ...signalsCall, geolocation: { ...signalsCall.geolocation, ...place } })
  await phone.start({ ...startCall, document_type: 'NONSENSE' })
  await call('GET', `${sdk}/result?wait=0&access_token=${sdk_token}`, { token: sdk_token })
  await phone.complete()
  await hook.seen(({ body }) => body.status === 'FINISHED')
  const path = `${kyc}/transaction/${opened.transaction_id}`
  const view = (await call('GET', path, { token })).body
  const captures = (await call('GET', `${path}/captures`, { token })).body.data as readonly { readonly id: string }[]
  const link = String((await call('POST', `${path}/captures/${captures[0]?.id}/link`, { token })).body.url)
  await call('GET', link.slice(url.length))
  const { payload } = JSON.parse((await call('GET', `${path}/evidence`, { token })).text) as { payload: string }
  const secrets = {
    client_secret,
    token,
    sdk_token,
    link: link.slice(-40),
    ...slips,
    ...person,
    ...expected_data,
    ...foundOut,
  }
  const responses = {
    errors: await errorsOf(call, client_id, token),
    timeline: (await call('GET', `${path}/events`, { token })).text,
    evidence: Buffer.from(payload, 'base64url').toString(),
  }
  return { secrets, result: JSON.stringify(view.result_data), responses }
}

const tables = [
  'accounts',
  'clients',
  'customers',
  'transactions',
  'captures',
  'deliveries',
  'delivery_attempts',
  'journal',
  'scheduled_jobs',
  'origins',
  'signing_keys',
  'idempotency_keys',
  'rate_limits',
  'erasures',
  'facts',
]

/** Everything that the database holds, as text, by table. */
export async function readableColumns({ address }: TestDatabase): Promise<Readonly<Record<string, string>>> {
  const store = await openStore(address, 2)
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
