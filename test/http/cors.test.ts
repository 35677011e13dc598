import test from 'ava'
import { ConfigError } from '../../src/base/setting.ts'
import { readConfig } from '../../src/config/settings.ts'
import { sqlite } from '../database.ts'
import { kyc, sdk } from '../service/client.ts'
import { openTestDoor } from './door.ts'

const page = 'https://app.example.com'
const preflight = {
  Origin: page,
  'Access-Control-Request-Method': 'PUT',
  'Access-Control-Request-Headers': 'authorization',
}

function corsHeaders(headers: Headers): readonly string[] {
  return [...headers.keys()].filter(name => name.startsWith('access-control-'))
}

test('A page of an allowed origin may call the device side, and read its errors', async t => {
  const door = await openTestDoor(t, sqlite, { corsOrigins: [page, 'http://localhost:5173'] })
  const asked = await door.call('OPTIONS', `${sdk}/document/front`, { headers: preflight })
  t.is(asked.status, 204)
  t.like(Object.fromEntries(asked.headers), {
    'access-control-allow-origin': page,
    'access-control-allow-methods': 'DELETE, GET, POST, PUT',
    'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id',
    'access-control-max-age': '600',
    vary: 'Origin',
  })
  for (const origin of [page, 'http://localhost:5173']) {
    const answer = await door.call('GET', sdk, { token: 'x'.repeat(43), headers: { Origin: origin } })
    t.is(answer.status, 401)
    t.is(answer.headers.get('access-control-allow-origin'), origin)
    t.regex(answer.headers.get('access-control-expose-headers') ?? '', /Retry-After, X-Error-Code/)
    t.is(answer.headers.get('access-control-allow-credentials'), null)
    t.is(answer.headers.get('vary'), 'Origin')
  }
})

test('Another origin may call nothing, and an allowed one may call only the device side', async t => {
  const door = await openTestDoor(t, sqlite, { corsOrigins: [page] })
  const strangers = ['https://evil.example.com', `${page}.evil.example`, 'http://app.example.com', 'null', '*']
  for (const origin of strangers) {
    const asked = await door.call('OPTIONS', `${sdk}/start`, { headers: { ...preflight, Origin: origin } })
    t.is(asked.status, 405, origin)
    t.deepEqual(corsHeaders(asked.headers), [])
    const answer = await door.call('GET', sdk, { headers: { Origin: origin } })
    t.deepEqual(corsHeaders(answer.headers), [])
    t.is(answer.headers.get('vary'), 'Origin', 'no cache gives it to the page that may')
  }
  for (const path of [`${kyc}/customer`, '/oauth2/token', `${sdk}s`, '/docs']) {
    const answer = await door.call('OPTIONS', path, { headers: preflight })
    t.true(answer.status >= 400)
    t.deepEqual(corsHeaders(answer.headers), [], path)
  }
})

test('The device side is closed to pages without the setting', async t => {
  const door = await openTestDoor(t, sqlite)
  const asked = await door.call('OPTIONS', `${sdk}/start`, { headers: preflight })
  t.is(asked.status, 405)
  for (const answer of [asked, await door.call('GET', sdk, { headers: { Origin: page } })])
    t.deepEqual([corsHeaders(answer.headers), answer.headers.get('vary')], [[], null])
})

test('Allowed origins are origins: https, or http on this machine', t => {
  t.deepEqual(readConfig({}).CORS_ORIGINS, [])
  const { CORS_ORIGINS } = readConfig({ CORS_ORIGINS: `${page}, http://localhost:5173,https://A.example:8443` })
  t.deepEqual(CORS_ORIGINS, [page, 'http://localhost:5173', 'https://a.example:8443'])
  for (const bad of [
    '*',
    'null',
    'app.example.com',
    `${page}/`,
    `${page}/path`,
    'http://app.example.com',
    'https://*.example.com',
  ])
    t.throws(
      () => readConfig({ CORS_ORIGINS: bad }),
      { instanceOf: ConfigError, message: /^CORS_ORIGINS: must be of/ },
      bad,
    )
})
