import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createConsoleEndpoints } from '../../src/console/endpoints/table.ts'
import { consoleEndpoints as ofFeatures } from '../../src/feature_parts.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { oneDialect } from '../database.ts'
import { openTestDoor } from '../http/door.ts'
import { codeAt } from '../identity/operators/rig.ts'
import { api, cookieOf, loginAt, openConsole, pageHeaders, setCookieOf } from './rig.ts'

const consoleEndpoints = createConsoleEndpoints({ algorithm: 'ES256', signOn: null, ofFeatures })

/** Returns a path with unknown ids: an allowed caller gets an answer about them. */
function pathOf({ path }: Endpoint): string {
  return path.replaceAll(/\{\*?\w+\}/g, () => randomUUID())
}

function methodOf({ method }: Endpoint): string {
  return method.toUpperCase()
}

for (const engine of oneDialect) {
  test(`On ${engine.name} the console is not there until an operator is`, async t => {
    const door = await openTestDoor(t, engine)
    const headers = pageHeaders(door)
    const answers = () => Promise.all(consoleEndpoints.map(one => door.call(methodOf(one), pathOf(one), { headers })))
    for (const { status, body } of await answers()) t.deepEqual([status, body], [404, { error: 'path: not found' }])
    await createOperator(door.service, { name: 'ada', role: 'viewer' }, commandLine)
    // That each endpoint then asks who calls is tested in `endpoints.test.ts`.
    for (const { status } of await answers()) t.true([200, 400, 401].includes(status))
  })

  test(`On ${engine.name} any address below the console is answered with its page, and none of its API is`, async t => {
    const { door } = await openConsole(engine)
    t.teardown(door.close)
    const nonsense = [
      '%E0%A4%A',
      '%00',
      '%',
      '..%2F..%2Fme',
      '%2e%2e/',
      '/',
      '[|]',
      'a'.repeat(8000),
      '%0d%0aSet-Cookie:x',
    ]
    for (const text of nonsense) {
      const { status, headers } = await door.call('GET', `/console/transactions/${text}`)
      t.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], text)
      t.is(headers.get('set-cookie'), null)
    }
    for (const path of ['api', 'api/', 'api/%E0%A4%A', '%61pi/me', 'api%2Fme', 'api/nothing', 'api//me']) {
      const { status, body } = await door.call('GET', `/console/${path}`)
      t.deepEqual([status, body], [404, { error: 'path: not found' }], path)
    }
    t.is((await door.call('GET', '/consoles/%00')).status, 404)
  })

  test(`On ${engine.name} a log-in sets a cookie that only this host's page sends, and a revoked one is over`, async t => {
    const { door, as, operators, login } = await openConsole(engine)
    t.teardown(door.close)
    await door.clock.advance(60_000)
    const answer = await login(operators.viewer)
    const cookie = setCookieOf(answer)
    t.regex(cookie, /^attestor_console=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
    const headers = { ...pageHeaders(door), Cookie: cookieOf(answer) }
    const me = () => door.call('GET', `${api}/me`, { headers })
    t.like((await me()).body, { name: 'the.viewer', role: 'viewer', idle_ms: 1_800_000 })
    const { data } = (await as.admin('GET', '/session')).body as { data: { session_id: string; is_current: boolean }[] }
    t.is(data.length, 4)
    t.is(data.filter(one => one.is_current).length, 1)
    const session_id = String((await me()).body.session_id)
    t.is((await as.reviewer('POST', `/session/${session_id}/revoke`)).status, 404)
    t.is((await as.admin('POST', `/session/${session_id}/revoke`)).status, 204)
    t.is((await me()).status, 401)
    const out = await as.viewer('POST', '/logout')
    t.regex(setCookieOf(out), /^attestor_console=; .*Max-Age=0/)
    t.is((await as.viewer('GET', '/me')).status, 401)
  })

  test(`On ${engine.name} every refused log-in looks the same, and too many from one address are limited, but not those from others`, async t => {
    const perMinute = { per_minute: { login_failures: 3 } }
    const { door, operators, login } = await openConsole(engine, { trustedProxyHops: 1 }, perMinute)
    t.teardown(door.close)
    await door.clock.advance(60_000)
    const wrong = [{ password: 'wrong password' }, { code: '000000' }, { name: 'nobody' }]
    const answers = []
    for (const change of wrong) answers.push(await login(operators.admin, change))
    for (const { status, body } of answers)
      t.deepEqual([status, body], [401, { error: 'login: name, password or code is wrong' }])
    const limited = await login(operators.admin)
    t.is(limited.status, 429)
    t.is(limited.headers.get('x-error-code'), 'rate_limited')
    const { name, password, totp } = operators.admin
    const elsewhere = await door.call('POST', `${api}/login`, {
      json: { name, password, code: codeAt(door.clock.now(), totp.secret) },
      headers: { ...pageHeaders(door), 'X-Forwarded-For': '203.0.113.7' },
    })
    t.is(elsewhere.status, 200, 'who knows a name keeps nobody out')
    await door.clock.advance(60_000)
    t.is((await login(operators.admin)).status, 200)
    t.is((await login(operators.admin, { code: 'abcdef' })).status, 401)
  })

  test(`On ${engine.name} an admin makes, resets and disables operators, and the log says so`, async t => {
    const { door, as, operators } = await openConsole(engine)
    t.teardown(door.close)
    const made = await as.admin('POST', '/operator', { json: { name: 'Bob', role: 'reviewer' } })
    t.is(made.status, 201)
    const { operator_id, password, totp_secret } = made.body as Record<string, string>
    const credentials = { ...made.body, password, totp: { secret: totp_secret } } as never
    t.is((await loginAt(door)(credentials)).status, 200)
    t.is((await as.admin('POST', '/operator', { json: { name: 'bob', role: 'viewer' } })).body.error, 'name: is taken')
    t.is((await as.admin('POST', `/operator/${operator_id}/reset`)).status, 200)
    t.truthy((await as.admin('POST', `/operator/${operator_id}/disable`)).body.disabled_at)
    const own = operators.admin.operator_id
    t.is((await as.admin('POST', `/operator/${own}/disable`)).status, 409)
    const log = await as.admin('GET', `/audit?subject_id=${operator_id}`)
    const { data } = log.body as { data: { action: string; operator_name: string; address: string }[] }
    t.deepEqual(
      data.map(({ action, operator_name, address }) => [action, operator_name, address]),
      ['operator_disabled', 'operator_reset', 'operator_created'].map(action => [action, 'the.admin', '127.0.0.1']),
    )
  })
}
