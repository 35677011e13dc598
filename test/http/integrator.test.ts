import { checkDestination } from '@attestor/outbound'
import test from 'ava'
import type { Answer, CallOptions } from '../calls.ts'
import { oneDialect, sqlite } from '../database.ts'
import { kyc, openTransaction, registerCustomer, sdk, tokenForm } from '../service/client.ts'
import { smallPhoto } from '../small_photo.ts'
import { openTestDoor } from './door.ts'

const saysImpossible =
  'phone_number: must be a possible telephone number: there is no such country code, or its numbers have another length'
const webhook = { url: 'https://receiver.example/hook' }

for (const engine of oneDialect) {
  test(`${engine.name}: a customer and a transaction are created and read`, async t => {
    const door = await openTestDoor(t, engine)
    const { token } = door
    const json = { external_customer_id: 'x', email: null, phone_number: '+442079460123', 'ä,\r\n': 1 }
    const customer = await door.call('POST', `${kyc}/customer`, { token, json })
    t.is(customer.status, 201)
    t.deepEqual(Object.keys(customer.body).sort(), ['created_at', 'customer_id', 'external_customer_id'])
    t.is(customer.body.created_at, '2026-11-17T12:00:00.000Z')
    t.is(customer.headers.get('x-ignored-fields'), '%C3%A4%2C%0D%0A')
    const { customer_id } = customer.body
    t.is(customer.headers.get('location'), `${door.url}${kyc}/customer/${customer_id}`)
    const person = await door.call('GET', `${kyc}/customer/${customer_id}`, { token })
    t.deepEqual(person.body, { ...customer.body, email: null, phone_number: '+442079460123' })
    const again = await door.call('POST', `${kyc}/customer`, { token, json: { ...json, email: undefined } })
    t.is(again.status, 200)
    t.deepEqual(again.body, customer.body)
    const conflict = await door.call('POST', `${kyc}/customer`, { token, json: { external_customer_id: 'x' } })
    t.is(conflict.status, 409)
    t.deepEqual(conflict.body, {
      error: `external_customer_id: already registered, with other data, as ${customer_id}`,
    })

    const call = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { webhook, transaction_ttl_minutes: 5 } }
    const opened = await door.call('POST', `${kyc}/transaction`, { token, json: call })
    t.is(opened.status, 201)
    const members = ['expires_in', 'sdk_token', 'token_type', 'transaction_id', 'verify_url']
    t.deepEqual(Object.keys(opened.body).sort(), members)
    t.like(opened.body, { token_type: 'Bearer', expires_in: 300 })
    const path = `${kyc}/transaction/${opened.body.transaction_id}`
    t.is(opened.headers.get('location'), `${door.url}${path}`)
    const view = await door.call('GET', path, { token })
    t.deepEqual(view.body, {
      id: opened.body.transaction_id,
      customer_id,
      status: 'CREATED',
      created_at: '2026-11-17T12:00:00.000Z',
      initiated_at: null,
      completed_at: null,
      processing_at: null,
      finished_at: null,
      result_data: null,
    })
    const head = await door.call('HEAD', path, { token })
    t.like(head, { status: 200, text: '' })
    const stored = await door.service.store.read({ sql: 'SELECT * FROM transactions', values: [] })
    t.false(JSON.stringify(stored).includes(String(opened.body.sdk_token)), 'only its hash is stored')
  })

  test(`${engine.name}: a customer's new address is used from then on`, async t => {
    const door = await openTestDoor(t, engine)
    const { token } = door
    const json = { external_customer_id: 'x', email: 'Ana@Example.org', phone_number: '+442079460123' }
    const { body: made } = await door.call('POST', `${kyc}/customer`, { token, json })
    const path = `${kyc}/customer/${made.customer_id}`
    const change = (change: object, of = token) => door.call('PATCH', path, { token: of, json: change })
    const changed = await change({ email: 'ana@new.example', external_customer_id: 'y' })
    t.is(changed.status, 200)
    t.deepEqual(changed.body, { ...made, ...json, email: 'ana@new.example' })
    t.is(changed.headers.get('x-ignored-fields'), 'external_customer_id')
    t.deepEqual((await door.call('GET', path, { token })).body, changed.body)
    const none = { ...changed.body, phone_number: null }
    t.deepEqual((await change({ phone_number: null })).body, none, 'null takes it away')
    t.deepEqual((await change({})).body, none, 'what is absent stays')
    const both = await Promise.all([change({ email: null }), change({ phone_number: '+34600000000' })])
    t.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
    const last = { ...made, external_customer_id: 'x', email: null, phone_number: '+34600000000' }
    t.deepEqual((await door.call('GET', path, { token })).body, last, 'neither change is lost')
    const again = await door.call('POST', `${kyc}/customer`, { token, json: { ...last, email: undefined } })
    t.deepEqual([again.status, again.body], [200, made])
    const refusals = [
      [{ phone_number: '+9991234567' }, saysImpossible],
      [{ phone_number: '+44207' + '9460123456' }, saysImpossible],
    ] as const
    for (const [wrong, error] of refusals) {
      const { status, body } = await change(wrong)
      t.deepEqual([status, body], [400, { error }])
    }
  })

  test(`${engine.name}: ids are read in upper and lower case, and written in lower case`, async t => {
    const door = await openTestDoor(t, engine)
    const { token } = door
    const upper = (id: unknown): string => String(id).toUpperCase()
    const customer_id = await registerCustomer(door.call, token)
    const read = await door.call('GET', `${kyc}/customer/${upper(customer_id)}`, { token })
    t.deepEqual([read.status, read.body.customer_id], [200, customer_id])
    const { transaction_id, sdk_token: device } = await openTransaction(door.call, token, {
      customer_id: upper(customer_id),
    })
    const view = await door.call('GET', `${kyc}/transaction/${upper(transaction_id)}`, { token })
    t.deepEqual([view.status, view.body.id, view.body.customer_id], [200, transaction_id, customer_id])
    const listed = await door.call('GET', `${kyc}/transaction?customer_id=${upper(customer_id)}`, { token })
    t.is((listed.body.data as unknown[]).length, 1)
    const form = tokenForm({ ...door.account, client_id: upper(door.account.client_id) })
    t.is((await door.call('POST', '/oauth2/token', { form })).status, 200)
    await door.call('POST', `${sdk}/start`, { token: device, json: {} })
    const { body: challenge } = await door.call('POST', `${sdk}/liveness/challenge`, { token: device })
    const raw = await smallPhoto()
    const frame = `${sdk}/liveness/${upper(challenge.challenge_id)}/0`
    t.is((await door.call('PUT', frame, { token: device, raw, type: 'image/jpeg' })).status, 200)
    const erased = await door.call('DELETE', `${kyc}/customer/${upper(customer_id)}`, { token })
    t.deepEqual([erased.status, erased.body.subject_id], [200, customer_id])
  })

  test(`${engine.name}: a misspelt member of a device is ignored and named`, async t => {
    const door = await openTestDoor(t, engine)
    const { token } = door
    const customer_id = await registerCustomer(door.call, token)
    const config = { locale: 'pt_BR', expected_data: { firstname: 'Ana' }, webhook: { ...webhook, event: [] } }
    const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config, type: 'x' }
    const opened = await door.call('POST', `${kyc}/transaction`, { token, json })
    t.is(opened.headers.get('x-ignored-fields'), 'type, config.webhook.event, config.expected_data.firstname')
    const device = { token: String(opened.body.sdk_token) }
    const start = { consent: true, location: 'granted', device: { isEmulator: true, is_emulator: false } }
    const started = await door.call('POST', `${sdk}/start`, { ...device, json: start })
    t.is(started.headers.get('x-ignored-fields'), 'location, device.isEmulator')
    t.is(started.body.locale, 'pt-BR', 'whatever speaks to the person knows their language')
    const signals = { geolocation: { lat: 1, latitude: 1, longitude: 2 }, network: { vpn: true }, device: null }
    const put = await door.call('PUT', `${sdk}/signals`, { ...device, json: signals })
    t.deepEqual([put.status, put.headers.get('x-ignored-fields')], [204, 'network.vpn, geolocation.lat'])
    const fine = await door.call('PUT', `${sdk}/signals`, { ...device, json: { network: { vpn_detected: true } } })
    t.is(fine.headers.get('x-ignored-fields'), null)
    const cancel = await door.call('POST', `${sdk}/cancel`, { ...device, json: { finale: true } })
    t.is(cancel.headers.get('x-ignored-fields'), 'finale')
  })
}

type Broken = readonly [resource: string, json: object, error: string]
type Good = Readonly<Record<string, unknown>>

const ttl = 'config.transaction_ttl_minutes: must be an integer from 1 to 1440'
const https = 'config.webhook.url: must be an https URL'
const text = 'must be a string of 1 to 255 characters'
const special = 'config.webhook.url: must not name a private, loopback or otherwise special address'

/** The contract’s own rules, and those that no schema shows: `endpoints.test.ts` tests what the schemas show. */
const brokenCustomers: readonly Broken[] = [
  ['customer', {}, 'external_customer_id: is required'],
  ['customer', { external_customer_id: 1, email: 1 }, `external_customer_id: ${text}`],
  ['customer', { external_customer_id: '\ud800' }, `external_customer_id: ${text}`],
  ['customer', { external_customer_id: 'y', email: 'x', phone_number: 1 }, 'email: must be an e-mail address'],
  [
    'customer',
    { external_customer_id: 'y', phone_number: '0044' },
    'phone_number: must be a telephone number: + and 7 to 15 digits',
  ],
]

const brokenRedirects: readonly (readonly [url: unknown, error: string])[] = [
  ['http://shop.example/done', 'must be an https URL'],
  ['https:/shop.example', 'must be an https URL'],
  ['javascript:alert(1)', 'must be an https URL'],
  ['/done', 'must be an https URL'],
  ['com.example.other://done', 'must be an https URL'],
  ['https://ana@shop.example/', 'must not contain a user name or password'],
  ['https://127.0.0.1/', 'must not name a private, loopback or otherwise special address'],
]

const brokenConfigs: readonly (readonly [config: object, error: string])[] = [
  ...[0, -1, 1441, 1.5, '5', true, 1e300].map(minutes => [{ transaction_ttl_minutes: minutes }, ttl] as const),
  [{ webhook: { url: 1 }, transaction_ttl_minutes: 0 }, https],
  [{ webhook: { url: 'http://receiver.example' } }, https],
  [{ webhook: { url: 'javascript:1' } }, https],
  [{ webhook: { url: 'https://[::1]/' } }, special],
  [{ device_policy: { on_emulator: 'reject' } }, 'config.device_policy.on_emulator: must be REJECT, WARN or IGNORE'],
  [{ device_policy: { on_emulators: 'WARN' } }, 'config.device_policy.on_emulators: unknown member'],
  [{ webhook: { url: webhook.url, events: [] } }, 'config.webhook.events: must be a list of 1 to 6 statuses'],
  [{ locale: 'x y' }, 'config.locale: must be a language tag such as en or pt-BR'],
  ...brokenRedirects.map(([redirect_url, error]) => [{ redirect_url }, `config.redirect_url: ${error}`] as const),
  [
    { embed_origins: ['https://shop.example', 'https://other.example'] },
    'config.embed_origins.1: must be an origin that the operator allows by EMBED_ORIGINS',
  ],
  [
    { expected_data: { date_of_birth: '2001-02-29' } },
    'config.expected_data.date_of_birth: must be a date, YYYY-MM-DD',
  ],
  [{ expected_data: { last_name: '-' } }, 'config.expected_data.last_name: must contain a letter'],
  [{ expected_data: { first_name: ' . 1' } }, 'config.expected_data.first_name: must contain a letter'],
]

function brokenRules(good: Good): readonly Broken[] {
  return [
    ...brokenCustomers,
    ['transaction', {}, 'customer_id: is required'],
    ['transaction', { customer_id: good.customer_id }, 'transaction_type: is required'],
    [
      'transaction',
      { ...good, transaction_type: 'biometric_only' },
      'transaction_type: must be DOCUMENT_AND_BIOMETRIC, BIOMETRIC_ONLY or AGE',
    ],
    ...brokenConfigs.map(([config, error]): Broken => ['transaction', { ...good, config }, error]),
  ]
}

test('the error names the first rule broken, and its field', async t => {
  const door = await openTestDoor(t, sqlite)
  const { token } = door
  const customer_id = await registerCustomer(door.call, token)
  const good = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC' }
  for (const [resource, json, error] of brokenRules(good)) {
    const answer = await door.call('POST', `${kyc}/${resource}`, { token, json })
    t.is(answer.status, 400, error)
    t.deepEqual(answer.body, { error })
    t.is(answer.headers.get('x-error-code'), 'invalid_field')
  }
  const rows = await door.service.store.read({ sql: 'SELECT COUNT(*) AS n FROM transactions', values: [] })
  t.is(rows[0]?.n, 0)
})

test('the person gets a link with the token in its fragment, and a way back to the integrator', async t => {
  const receiver = 'localhost:7357'
  const door = await openTestDoor(t, sqlite, { checkDestination: url => checkDestination(url, [receiver]) })
  const { token } = door
  const customer_id = await registerCustomer(door.call, token)
  const open = async (redirect_url: string | null) => {
    const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { redirect_url } }
    const opened = await door.call('POST', `${kyc}/transaction`, { token, json })
    t.is(opened.status, 201, opened.text)
    t.is(opened.headers.get('x-ignored-fields'), null)
    t.is(opened.body.verify_url, `${door.url}/verify#${opened.body.sdk_token}`)
    return (await door.call('GET', sdk, { token: String(opened.body.sdk_token) })).body.redirect_url
  }
  const back = 'https://shop.example/done?order=7#top'
  t.is(await open(back), back)
  t.is(await open(null), null)
  t.is(await open('com.example.app://done'), 'com.example.app://done', 'where the operator allows the scheme')
  t.is(await open(`http://${receiver}/done`), `http://${receiver}/done`, 'where the operator allows a webhook')
})

test('a link whose # a mailer has escaped leads to the page, and its secret to no log', async t => {
  const door = await openTestDoor(t, sqlite)
  const id = crypto.randomUUID()
  const follow = async (path: string, method = 'GET') => {
    const response = await fetch(`${door.url}${path}`, { method, redirect: 'manual' })
    const location = response.headers.get('location')
    return [response.status, location === null ? null : new URL(location, response.url).href.replace(door.url, '')]
  }
  for (const [path, page] of [
    ['/verify%23handoff=c0de', '/verify#handoff=c0de'],
    ['/verify/%23handoff=c0de', '/verify#handoff=c0de'],
    ['/verify%23c0de?utm_source=mail', '/verify#c0de'],
    [`/verify-${id}%23c0de`, `/verify-${id}#c0de`],
    ['/verify%23handoff%3Dc0de', '/verify#handoff%3Dc0de'],
  ] as const)
    t.deepEqual(await follow(path), [302, page])
  t.deepEqual(await follow('/verify%23c0de', 'HEAD'), [302, '/verify#c0de'])
  t.is((await follow('/verify%23c0de', 'POST'))[0], 404)
  for (const path of ['/verify%23', '/verify%23//elsewhere.example', '/verifyx%23c0de', '/api%23c0de'])
    t.is((await follow(path))[0], 404, path)
  t.true(door.lines.length > 0)
  t.false(JSON.stringify(door.lines).includes('c0de'))
})

test('a transaction that may be framed has a link of its own', async t => {
  const door = await openTestDoor(t, sqlite)
  const config = { embed_origins: ['https://shop.example'] }
  const opened = await openTransaction(door.call, door.token, { config })
  t.is(opened.verify_url, `${door.url}/verify-${opened.transaction_id}#${opened.sdk_token}`)
})

test('members that mean nothing here are ignored and named; null is absent', async t => {
  const door = await openTestDoor(t, sqlite)
  const { token } = door
  const customer_id = await registerCustomer(door.call, token)
  const expected_data = { last_name: 'Muster', first_name: null, age: 1 }
  const config = {
    webhook: { ...webhook, events: ['FINISHED'], secret: 1 },
    transaction_ttl_minutes: null,
    device_policy: { on_emulator: 'WARN' },
    reference: 'r-1',
    locale: 'pt-BR',
    expected_data,
    ui: {},
  }
  const json = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config, metadata: {} }
  const opened = await door.call('POST', `${kyc}/transaction`, { token, json })
  t.is(opened.status, 201)
  t.is(opened.body.expires_in, 3600)
  t.is(opened.headers.get('x-ignored-fields'), 'metadata, config.ui, config.webhook.secret, config.expected_data.age')
  const [row] = await door.service.store.read({
    sql: 'SELECT config, reference, expected_data FROM transactions',
    values: [],
  })
  t.like(JSON.parse(String(row?.config)), {
    webhook: { ...webhook, events: ['FINISHED'] },
    transaction_ttl_minutes: 60,
    device_policy: { on_emulator: 'WARN', on_compromised_device: 'REJECT' },
    locale: 'pt-BR',
  })
  t.regex(String(row?.reference), /^hmac:[\w-]{43}$/)
  t.false(Buffer.from(row?.expected_data as Uint8Array).includes('Muster'))
  for (const nothing of [undefined, null, {}]) {
    const call = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: nothing }
    t.is((await door.call('POST', `${kyc}/transaction`, { token, json: call })).status, 201)
  }
})

test('a body that is no JSON object in UTF-8 of at most 64 KiB is rejected', async t => {
  const door = await openTestDoor(t, sqlite)
  const type = 'application/json'
  const sized = (bytes: number): string => `{"external_customer_id":"z","x":"${'x'.repeat(bytes - 35)}"}`
  const deep = `{"external_customer_id":"d","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const many = `{${Array.from({ length: 5000 }, (_, n) => `"m${n}":1`)}}`
  const gzip = { 'Content-Encoding': 'gzip' }
  const cases: readonly [string, CallOptions, number, string][] = [
    ['no body', {}, 400, 'body: must be a JSON object'],
    ['array', { json: [] }, 400, 'body: must be a JSON object'],
    ['null', { raw: 'null', type }, 400, 'body: must be a JSON object'],
    ['text', { raw: '"x"', type }, 400, 'body: must be a JSON object'],
    ['cut', { raw: '{"a":', type }, 400, 'body: must be valid JSON'],
    ['latin-1', { raw: Buffer.from('{"a":"\xe9"}', 'latin1'), type }, 400, 'body: must be UTF-8'],
    ['UTF-16', { raw: Buffer.from('{}', 'utf16le'), type }, 400, 'body: must be valid JSON'],
    ['deep', { raw: deep, type }, 400, 'body: is nested too deeply'],
    ['deep and cut', { raw: `{"x":${'['.repeat(60_000)}`, type }, 400, 'body: is nested too deeply'],
    ['many members', { raw: many, type }, 400, 'body: must have at most 1000 members'],
    ['many elements', { raw: `{"x":[${'1,'.repeat(1000)}1]}`, type }, 400, 'body: must have at most 1000 members'],
    ['open strings', { raw: `{${'"'.repeat(60_001)}`, type }, 400, 'body: must be valid JSON'],
    ['large', { raw: sized(65_537), type }, 413, 'body: must be at most 65536 bytes'],
    ['form', { form: { external_customer_id: 'x' } }, 415, 'content-type: must be application/json'],
    ['odd type', { raw: '{}', type: 'application/jsonx' }, 415, 'content-type: must be application/json'],
    ['charset', { raw: '{}', type: `${type}; charset=utf-16` }, 415, 'content-type: the charset must be utf-8'],
    ['gzip', { raw: '{}', type, headers: gzip }, 415, 'content-encoding: must be absent'],
    ['prototype', { raw: '{"__proto__":{"a":1}}', type }, 400, 'body: must not contain __proto__'],
    ['twice', { raw: '{"a":"}","b":{"c":1,"a":2,"\\u0063":3}}', type }, 400, 'c: given more than once'],
    ['twice apart', { raw: '{"a":[{"b":1},{"b":2}],"b":"a","a":{}}', type }, 400, 'a: given more than once'],
  ]
  const post = (call: CallOptions): Promise<Answer> =>
    door.call('POST', `${kyc}/customer`, { ...call, token: door.token })
  for (const [title, call, status, error] of cases) {
    const answer = await post(call)
    t.deepEqual([answer.status, answer.body], [status, { error }], title)
  }
  t.is((await post({ raw: sized(65_536), type: 'Application/JSON; charset="UTF-8"' })).status, 201)
  t.is((await door.call('POST', `${kyc}/customer`, { raw: '{' })).status, 401, 'who calls is asked before what')
})
