import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import test from 'ava'
import { importJWK, type JWK, SignJWT } from 'jose'
import { createAccount, findClient } from '../../src/accounts/accounts.ts'
import { createAuthenticate } from '../../src/accounts/bearer.ts'
import { createTokenEndpoint } from '../../src/accounts/token_endpoint.ts'
import { loadTokenKeys, token_algorithm } from '../../src/accounts/token_keys.ts'
import { audienceOf } from '../../src/accounts/token_provider.ts'
import { unavailable } from '../../src/base/refusal.ts'
import { readKeys } from '../../src/store/signing_keys.ts'
import { openStore } from '../../src/store/source.ts'
import { run } from '../../src/store/statement.ts'
import { manualClock } from '../clock.ts'
import { databases } from '../database.ts'
import { type Door, openDoor, scope } from '../http/door.ts'

const kyc = '/api/account/integration/kyc'
const read = (door: Door, token: string) => door.call('GET', `${kyc}/transaction/none`, { token })
const fieldsOf = (door: Door) => {
  const { client_id, client_secret } = door.account
  return { grant_type: 'client_credentials', client_id, client_secret, scope }
}
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` })

for (const engine of databases) {
  test(`${engine.name}: a client gets a token by form and by Basic, and old tokens stay valid`, async t => {
    const door = await openDoor(engine)
    t.teardown(door.close)
    const { client_id, client_secret, ...rest } = fieldsOf(door)
    const form = await door.call('POST', '/oauth2/token', { form: fieldsOf(door) })
    t.is(form.status, 200)
    t.deepEqual(Object.keys(form.body), ['access_token', 'expires_in', 'token_type'])
    t.like(form.body, { expires_in: 3600, token_type: 'Bearer' })
    t.is(form.headers.get('cache-control'), 'no-store')
    const other = await door.call('POST', '/oauth2/token', { form: rest, headers: basic(client_id, client_secret) })
    t.is(other.status, 200)
    for (const token of [door.token, form.body.access_token, other.body.access_token])
      t.is((await read(door, String(token))).status, 404)
  })

  test(`${engine.name}: a token ends after an hour, and with its client within a minute`, async t => {
    const door = await openDoor(engine)
    t.teardown(door.close)
    await door.clock.turn(3_599_000)
    t.is((await read(door, door.token)).status, 404)
    await door.clock.turn(1_000)
    const late = await read(door, door.token)
    t.is(late.status, 401)
    t.is(late.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    const { token, account } = await door.newAccount()
    t.is((await read(door, token)).status, 404)
    await door.rooms.store.commit(() =>
      run({ sql: 'UPDATE clients SET revoked_at = 1 WHERE id = ?', values: [account.client_id] }),
    )
    await door.clock.turn(60_000)
    t.is((await read(door, token)).status, 401)
    const { client_id, client_secret } = account
    const again = await door.call('POST', '/oauth2/token', { form: { ...fieldsOf(door), client_id, client_secret } })
    t.is(again.status, 401)
  })

  test(`${engine.name}: nodes that start at once sign with one key, which another master key does not open`, async t => {
    const database = await engine.fresh()
    const stores = [1, 2, 3, 4].map(() => openStore(database.address, 2))
    t.teardown(async () => {
      for (const store of stores) await store.close()
      await database.drop()
    })
    const master = Buffer.alloc(32, 1)
    const clock = manualClock()
    const found = await Promise.all(stores.map(store => loadTokenKeys({ store, clock, master })))
    t.is(new Set(found.map(keys => keys[0]?.kid)).size, 1)
    t.true(found.every(keys => keys.length === 1))
    const [store] = stores
    if (store === undefined) return t.fail()
    await t.throwsAsync(readKeys(store, Buffer.alloc(32, 2), 'access_token'), { name: 'SealBroken' })
    const account = await createAccount({ store, clock, master }, { name: 'Acme' })
    const client = await findClient(store, account.client_id)
    t.false(JSON.stringify(client).includes(account.client_secret))
  })
}

const [first] = databases
if (first === undefined) throw new Error('no database')

test('every refusal of the token endpoint is an OAuth error that no cache keeps', async t => {
  const door = await openDoor(first)
  t.teardown(door.close)
  const good = fieldsOf(door)
  const encoded = new URLSearchParams(good).toString()
  const form_type = 'application/x-www-form-urlencoded'
  const { client_id: _id, client_secret: _secret, ...anonymous } = good
  const cases = [
    ['wrong secret', { form: { ...good, client_secret: 'x' } }, 401, 'invalid_client'],
    ['stored HMAC as secret', { form: { ...good, client_secret: 'A'.repeat(43) } }, 401, 'invalid_client'],
    ['unknown client', { form: { ...good, client_id: crypto.randomUUID() } }, 401, 'invalid_client'],
    ['odd client', { form: { ...good, client_id: "é' OR 1" } }, 401, 'invalid_client'],
    ['wrong Basic', { form: anonymous, headers: basic(good.client_id, 'x') }, 401, 'invalid_client'],
    ['broken Basic', { form: anonymous, headers: { Authorization: 'Basic !!' } }, 400, 'invalid_request'],
    ['two ways at once', { form: good, headers: basic(good.client_id, 'x') }, 400, 'invalid_request'],
    ['no client', { form: anonymous }, 400, 'invalid_request'],
    ['no scope', { form: { ...good, scope: '' } }, 400, 'invalid_scope'],
    ['wrong scope', { form: { ...good, scope: 'openid' } }, 400, 'invalid_scope'],
    ['more scopes', { form: { ...good, scope: `${scope} more` } }, 400, 'invalid_scope'],
    ['wrong grant', { form: { ...good, grant_type: 'password' } }, 400, 'unsupported_grant_type'],
    ['no grant', { form: { ...good, grant_type: '' } }, 400, 'invalid_request'],
    ['other resource', { form: { ...good, resource: 'https://x.example' } }, 400, 'invalid_target'],
    ['twice', { raw: `${encoded}&scope=x`, type: form_type }, 400, 'invalid_request'],
    ['twice a secret', { raw: `${encoded}&client_secret=x`, type: form_type }, 400, 'invalid_request'],
    ['nothing', { raw: '', type: form_type }, 400, 'invalid_request'],
    ['JSON', { json: good }, 400, 'invalid_request'],
    ['no type', { raw: new TextEncoder().encode(encoded) }, 400, 'invalid_request'],
    ['huge', { raw: `a=${'x'.repeat(16_384)}`, type: form_type }, 400, 'invalid_request'],
    ['HTML wanted', { form: { ...good, client_secret: 'x' }, headers: { Accept: 'text/html' } }, 401, 'invalid_client'],
  ] as const
  for (const [title, call, status, error] of cases) {
    const answer = await door.call('POST', '/oauth2/token', call)
    t.is(answer.status, status, title)
    t.deepEqual(Object.keys(answer.body), ['error', 'error_description'], title)
    t.is(answer.body.error, error, title)
    t.truthy(answer.headers.get('x-error-code'), title)
    t.is(answer.headers.get('cache-control'), 'no-store', title)
  }
  const wrong_method = await door.call('GET', '/oauth2/token')
  t.is(wrong_method.status, 405)
  t.is(wrong_method.headers.get('allow'), 'POST')
  t.deepEqual(
    door.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('only a token that we signed for this service, with the scope, opens the door', async t => {
  const door = await openDoor(first)
  t.teardown(door.close)
  const keys = await loadTokenKeys(door.rooms)
  const [key] = keys
  if (key === undefined) return t.fail()
  const authenticate = createAuthenticate(door.rooms, door.url, keys)
  const signer = await importJWK(key.private_jwk as JWK, token_algorithm)
  const seconds = Math.floor(door.clock.now() / 1000)
  const make = (claims: Record<string, unknown>, header: Record<string, string> = {}) =>
    new SignJWT({
      iss: door.url,
      aud: audienceOf(door.url),
      sub: door.account.client_id,
      iat: seconds,
      exp: seconds + 60,
      scope,
      ...claims,
    })
      .setProtectedHeader({ alg: token_algorithm, kid: key.kid, typ: 'at+jwt', ...header })
      .sign(signer)
  t.is((await authenticate(`Bearer ${await make({})}`)).account_id, door.account.account_id)
  t.is((await authenticate(`bearer ${await make({})}`)).account_id, door.account.account_id)
  const refused = [
    await make({ iss: 'https://other.example' }),
    await make({ aud: 'https://other.example' }),
    await make({ exp: seconds }),
    await make({ exp: undefined }),
    await make({ sub: crypto.randomUUID() }),
    await make({}, { kid: 'other' }),
    await make({}, { typ: 'JWT' }),
    `${await make({})}x`,
    (await make({})).replace(/[^.]+$/, ''),
    `${btoa('{"alg":"none"}')}.${btoa('{}')}.`,
    '',
  ]
  for (const token of refused) await t.throwsAsync(authenticate(`Bearer ${token}`), { code: 'invalid_token' }, token)
  for (const header of [undefined, '', 'Bearer', 'Basic YTpi', `Token ${door.token}`, `Bearer ${door.token} x`])
    await t.throwsAsync(authenticate(header), { code: 'invalid_token' }, header)
  for (const other of [undefined, 'openid', `${scope} more`])
    await t.throwsAsync(authenticate(`Bearer ${await make({ scope: other })}`), { code: 'insufficient_scope' }, other)
})

test('a database that is away is 503 with Retry-After, never a refused client', async t => {
  const door = await openDoor(first)
  t.teardown(door.close)
  const away = async (): Promise<never> => {
    throw unavailable('the database is unavailable')
  }
  const room = { ...door.rooms, store: { ...door.rooms.store, read: away } }
  const keys = await loadTokenKeys(door.rooms)
  const authenticate = createAuthenticate(room, door.url, keys)
  await t.throwsAsync(authenticate(`Bearer ${door.token}`), { code: 'unavailable' })
  const endpoint = createTokenEndpoint(room, door.url, keys)
  const form = Buffer.from(new URLSearchParams(fieldsOf(door)).toString())
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, { 'content-type': 'application/x-www-form-urlencoded', host: 'x' })
  const call = { request, response: new ServerResponse(request), form }
  const refusal = await t.throwsAsync(endpoint(call), { code: 'unavailable' })
  t.like(refusal, { status: 503, headers: { 'Retry-After': '2' } })
})
