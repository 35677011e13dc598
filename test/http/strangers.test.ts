import test from 'ava'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import { oneDialect } from '../database.ts'
import { type Call, type Door, kyc, openTestDoor, scope, sdk } from './door.ts'
import { documentOf } from './fuzzed_door.ts'

/** Bodies that would be accepted from the right caller. */
const bodies: Readonly<Record<string, (ids: Ids) => object>> = {
  changeCustomer: () => ({ email: null }),
  createTransaction: ({ customer_id }) => ({ customer_id, transaction_type: 'BIOMETRIC_ONLY' }),
  walkTransaction: () => ({ to: 'INITIATED' }),
  advanceTestClock: ({ transaction_id }) => ({ transaction_id, advance_seconds: 1 }),
  reportAttempt: () => ({ lease: 'a.b', status: 200, duration_ms: 1 }),
}

interface Ids {
  readonly customer_id: string
  readonly transaction_id: string
  readonly delivery_id: string
  readonly capture_id: string
  readonly erasure_id: string
}

/** Operations that name no object of another account: their answer is about the caller's own. */
const ofTheCaller = [
  'createCustomer',
  'listTransactions',
  'listCustomers',
  'listAllDeliveries',
  'redeliverAll',
  'listen',
]

async function testAccount(door: Door): Promise<string> {
  const { client_id, client_secret } = await createAccount(door.service, { name: 'Stranger', mode: 'test' })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
  return String((await door.call('POST', '/oauth2/token', { form })).body.access_token)
}

/** A transaction that was begun, with a delivery and a capture. */
async function openVictim(door: Door) {
  const token = await testAccount(door)
  const call = (path: string, json: object) => door.call('POST', `${kyc}${path}`, { token, json })
  const customer_id = String((await call('/customer', { external_customer_id: 'victim' })).body.customer_id)
  const config = { webhook: { url: 'https://listen.invalid/' }, test: { decision: 'APPROVED' } }
  const opened = await call('/transaction', { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config })
  const transaction_id = String(opened.body.transaction_id)
  await call(`/test/transaction/${transaction_id}/walk`, { to: 'COMPLETED' })
  const one = async (sql: string): Promise<string> =>
    String((await door.service.store.read({ sql, values: [transaction_id] }))[0]?.id)
  const delivery_id = await one('SELECT id FROM deliveries WHERE transaction_id = ? ORDER BY sequence')
  const capture_id = await one(`SELECT id FROM captures WHERE transaction_id = ? AND kind = 'selfie'`)
  const gone = String((await call('/customer', { external_customer_id: 'gone' })).body.customer_id)
  const erasure_id = String((await door.call('DELETE', `${kyc}/customer/${gone}`, { token })).body.erasure_id)
  const ids: Ids = { customer_id, transaction_id, delivery_id, capture_id, erasure_id }
  return { token, sdk_token: String(opened.body.sdk_token), ids }
}

for (const engine of oneDialect)
  test(`On ${engine.name} every operation that names something of another account finds nothing, and changes nothing`, async t => {
    const door = await openTestDoor(t, engine)
    const victim = await openVictim(door)
    const stranger = await testAccount(door)
    const everything = async () => [
      (await door.call('GET', `${kyc}/transaction/${victim.ids.transaction_id}`, { token: victim.token })).body,
      (await door.call('GET', `${kyc}/transaction/${victim.ids.transaction_id}/events`, { token: victim.token })).body,
      (await door.call('GET', `${kyc}/customer/${victim.ids.customer_id}`, { token: victim.token })).body,
    ]
    const before = await everything()
    t.is(before[0]?.status, 'COMPLETED')
    const { paths } = await documentOf(door)
    let tried = 0
    for (const [route, methods] of Object.entries(paths))
      for (const [method, { operationId, security }] of Object.entries(methods)) {
        if (!Object.hasOwn(security?.[0] ?? {}, 'access_token')) continue
        const path = Object.entries(victim.ids).reduce((at, [name, id]) => at.replace(`{${name}}`, id), route)
        t.notRegex(path, /[{}]/, `${operationId} names a thing that this test has not`)
        const json = bodies[operationId]?.(victim.ids)
        const call = (token?: string): Call => ({ token, ...(json === undefined ? {} : { json }) })
        for (const token of [undefined, 'guess', victim.sdk_token, `${victim.token}x`]) {
          const answer = await door.call(method.toUpperCase(), path, call(token))
          t.is(answer.status, 401, `${operationId} with ${token}`)
          t.regex(String(answer.headers.get('www-authenticate')), /^Bearer/, operationId)
        }
        if (ofTheCaller.includes(operationId)) continue
        const answer = await door.call(method.toUpperCase(), path, call(stranger))
        t.is(answer.status, 404, `${operationId}: ${answer.text}`)
        tried++
      }
    t.true(tried >= 10)
    const listed = await door.call('GET', `${kyc}/transaction`, { token: stranger })
    t.deepEqual(listed.body.data, [])
    const customers = await door.call('GET', `${kyc}/customer`, { token: stranger })
    t.deepEqual(customers.body.data, [])
    const found = await door.call('GET', `${kyc}/customer?external_customer_id=victim`, { token: stranger })
    t.is(found.status, 404)
    const { body } = await door.call('POST', `${kyc}/test/listen`, { token: stranger, json: {} })
    t.is(body.delivery, null)
    t.deepEqual(await everything(), before)
    for (const token of [victim.token, stranger]) t.is((await door.call('GET', sdk, { token })).status, 401)
  })
