import test from 'ava'
import { run } from 'durable-xstate-sql'
import { unavailable } from '../../../src/base/api_error.ts'
import { issueAccessToken, readAccessToken } from '../../../src/identity/accounts/access_token.ts'
import { findClient } from '../../../src/identity/accounts/accounts.ts'
import { createAuthenticator } from '../../../src/identity/accounts/bearer.ts'
import { oneDialect, sqlite } from '../../database.ts'
import { type Door, openTestDoor } from '../../http/door.ts'
import { scope, tokenForm } from '../../service/client.ts'

const kyc = '/api/account/integration/kyc'

function read(door: Door, token: string) {
  return door.call('GET', `${kyc}/transaction/none`, { token })
}

function fieldsOf({ account }: Door) {
  return tokenForm(account)
}

function basic(id: string, secret: string) {
  return { Authorization: `Basic ${btoa(`${id}:${secret}`)}` }
}

for (const engine of oneDialect) {
  test(`${engine.name}: a client gets a token by form and by Basic, and old tokens stay valid`, async t => {
    const door = await openTestDoor(t, engine)
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
    const door = await openTestDoor(t, engine)
    await door.clock.advance(3_599_000)
    t.is((await read(door, door.token)).status, 404)
    await door.clock.advance(1_000)
    const late = await read(door, door.token)
    t.is(late.status, 401)
    t.is(late.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    const { token, account } = await door.newAccount()
    t.is((await read(door, token)).status, 404)
    await door.service.store.commit(() =>
      run({ sql: 'UPDATE clients SET revoked_at = 1 WHERE id = ?', values: [account.client_id] }),
    )
    await door.clock.advance(60_000)
    t.is((await read(door, token)).status, 401)
    const { client_id, client_secret } = account
    const again = await door.call('POST', '/oauth2/token', { form: { ...fieldsOf(door), client_id, client_secret } })
    t.is(again.status, 401)
  })

  test(`${engine.name}: every node of a service takes its tokens, and of a secret only an HMAC is kept`, async t => {
    const door = await openTestDoor(t, engine)
    const beside = await openTestDoor(t, engine, {}, { beside: door })
    t.is((await read(beside, door.token)).status, 404)
    const client = await findClient(door.service.store, door.account.client_id)
    t.false(JSON.stringify(client).includes(door.account.client_secret))
  })
}

/** Calls that get no token: the fault of each, its status and its code. */
function failingCalls(door: Door) {
  const good = fieldsOf(door)
  const encoded = new URLSearchParams(good).toString()
  const formType = 'application/x-www-form-urlencoded'
  const { client_id: _id, client_secret: _secret, ...anonymous } = good
  return [
    ['wrong secret', { form: { ...good, client_secret: 'x' } }, 401, 'invalid_client'],
    ['stored HMAC as secret', { form: { ...good, client_secret: 'A'.repeat(43) } }, 401, 'invalid_client'],
    ['unknown client', { form: { ...good, client_id: crypto.randomUUID() } }, 401, 'invalid_client'],
    ['odd client', { form: { ...good, client_id: "é' OR 1" } }, 401, 'invalid_client'],
    ['wrong Basic', { form: anonymous, headers: basic(good.client_id, 'x') }, 401, 'invalid_client'],
    ['broken Basic', { form: anonymous, headers: { Authorization: 'Basic !!' } }, 401, 'invalid_client'],
    ['Basic that encodes nothing', { form: anonymous, headers: basic('%', 'x') }, 401, 'invalid_client'],
    ['a bearer as client', { form: anonymous, headers: { Authorization: 'Bearer x' } }, 401, 'invalid_client'],
    ['two ways at once', { form: good, headers: basic(good.client_id, 'x') }, 400, 'invalid_request'],
    [
      'two clients at once',
      { form: { ...anonymous, client_id: 'y' }, headers: basic(good.client_id, good.client_secret) },
      400,
      'invalid_request',
    ],
    ['no client', { form: anonymous }, 401, 'invalid_client'],
    ['no secret', { form: { ...good, client_secret: '' } }, 401, 'invalid_client'],
    ['no scope', { form: { ...good, scope: '' } }, 400, 'invalid_scope'],
    ['wrong scope', { form: { ...good, scope: 'openid' } }, 400, 'invalid_scope'],
    ['more scopes', { form: { ...good, scope: `${scope} more` } }, 400, 'invalid_scope'],
    ['no grant', { form: { ...good, grant_type: '' } }, 400, 'invalid_request'],
    ['twice', { raw: `${encoded}&scope=x`, type: formType }, 400, 'invalid_request'],
    ['twice a secret', { raw: `${encoded}&client_secret=x`, type: formType }, 400, 'invalid_request'],
    ['nothing', { raw: '', type: formType }, 400, 'invalid_request'],
    ['JSON', { json: good }, 400, 'invalid_request'],
    ['no type', { raw: new TextEncoder().encode(encoded) }, 400, 'invalid_request'],
    ['huge', { raw: `a=${'x'.repeat(16_384)}`, type: formType }, 400, 'invalid_request'],
    ['HTML wanted', { form: { ...good, client_secret: 'x' }, headers: { Accept: 'text/html' } }, 401, 'invalid_client'],
  ] as const
}

test('every error of the token endpoint is an OAuth error that no cache keeps', async t => {
  const door = await openTestDoor(t, sqlite)
  for (const [title, call, status, error] of failingCalls(door)) {
    const answer = await door.call('POST', '/oauth2/token', call)
    t.is(answer.status, status, title)
    t.deepEqual(Object.keys(answer.body), ['error', 'error_description'], title)
    t.is(answer.body.error, error, title)
    t.truthy(answer.headers.get('x-error-code'), title)
    t.is(answer.headers.get('cache-control'), 'no-store', title)
  }
  const wrongMethod = await door.call('GET', '/oauth2/token')
  t.is(wrongMethod.status, 405)
  t.is(wrongMethod.headers.get('allow'), 'POST')
  t.deepEqual(
    door.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('any other grant is not supported', async t => {
  const door = await openTestDoor(t, sqlite)
  for (const grant_type of ['password', 'authorization_code', 'refresh_token', 'implicit', 'urn:x:jwt-bearer']) {
    const { status, body } = await door.call('POST', '/oauth2/token', { form: { ...fieldsOf(door), grant_type } })
    t.deepEqual([status, body.error], [400, 'unsupported_grant_type'], grant_type)
  }
})

test('only a token that this service issued, with the scope, is accepted', async t => {
  const door = await openTestDoor(t, sqlite)
  const authenticate = createAuthenticator(door.service)
  const { client_id } = door.account
  const claims = { client_id, scope, expires_at: door.clock.now() + 60_000 }
  const make = (other: Partial<typeof claims> = {}): string =>
    issueAccessToken(door.service.serviceKeys, { ...claims, ...other })
  t.is((await authenticate(`Bearer ${make()}`)).account_id, door.account.account_id)
  t.is((await authenticate(`bearer ${make()}`)).account_id, door.account.account_id)
  t.false(make().includes('.'), 'it does not look like a token that anyone else could verify')
  t.deepEqual(readAccessToken(door.service.serviceKeys, make()), claims)
  const token = make()
  const damaged = [...token].map((sign, at) => `${token.slice(0, at)}${sign === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`)
  const refused = [
    ...damaged,
    make({ expires_at: door.clock.now() }),
    make({ client_id: crypto.randomUUID() }),
    issueAccessToken({ ...door.service.serviceKeys, roots: [Buffer.alloc(32, 2)] }, claims),
    ...door.service.serviceKeys.roots.map(root => Buffer.from(root).toString('base64url')),
    `${token}A`,
    `${token}=`,
    token.slice(0, -1),
    '',
  ]
  for (const other of refused) await t.throwsAsync(authenticate(`Bearer ${other}`), { code: 'invalid_token' }, other)
  for (const header of [undefined, '', 'Bearer', 'Basic YTpi', `Token ${door.token}`, `Bearer ${door.token} x`])
    await t.throwsAsync(authenticate(header), { code: 'invalid_token' }, header)
  for (const other of ['', 'openid', `${scope} more`])
    await t.throwsAsync(authenticate(`Bearer ${make({ scope: other })}`), { code: 'insufficient_scope' }, other)
})

test('too many token requests get an error of RFC 6749', async t => {
  const door = await openTestDoor(t, sqlite, {}, { per_minute: { tokens: 1 } })
  const again = await door.call('POST', '/oauth2/token', { form: fieldsOf(door) })
  t.deepEqual([again.status, again.body.error], [429, 'invalid_request'])
  t.regex(String(again.body.error_description), /^rate limit: at most 1 access tokens a minute/)
  t.is(again.headers.get('x-error-code'), 'rate_limited')
  t.truthy(again.headers.get('retry-after'))
})

test('a client can configure itself by the metadata of RFC 8414', async t => {
  const door = await openTestDoor(t, sqlite, { baseUrl: 'https://id.example/kyc' })
  for (const path of ['', '/kyc']) {
    const { status, body } = await door.call('GET', `/.well-known/oauth-authorization-server${path}`)
    t.is(status, 200)
    t.like(body, {
      issuer: 'https://id.example/kyc',
      token_endpoint: 'https://id.example/kyc/oauth2/token',
      grant_types_supported: ['client_credentials'],
      scopes_supported: [scope],
    })
    for (const [name, value] of Object.entries(body)) if (Array.isArray(value)) t.true(value.length > 0, name)
  }
})

test('a database that is away is 503 with Retry-After, never an invalid client', async t => {
  const door = await openTestDoor(t, sqlite)
  const away = async (): Promise<never> => {
    throw unavailable('the database is unavailable')
  }
  const accounts = { ...door.service, store: { ...door.service.store, read: away } }
  await t.throwsAsync(createAuthenticator(accounts)(`Bearer ${door.token}`), { code: 'unavailable' })
  const cutOff = await openTestDoor(t, sqlite, { accounts }, { beside: door })
  const { status, headers, body } = await cutOff.call('POST', '/oauth2/token', { form: fieldsOf(door) })
  t.deepEqual([status, headers.get('retry-after')], [503, '2'])
  t.deepEqual(body, { error: 'the database is unavailable' })
})
