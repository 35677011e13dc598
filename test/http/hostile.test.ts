import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import test from 'ava'
import fc from 'fast-check'
import { readClientAddress } from '../../src/http/client_address.ts'
import { createHttpServer, serveWhileStarting } from '../../src/http/server.ts'
import { createReadinessCheck, type NodePhase } from '../../src/node/readiness.ts'
import { anyText } from '../any_text.ts'
import { poll } from '../awaited.ts'
import type { Answer } from '../calls.ts'
import { sqlite } from '../database.ts'
import { kyc, openTransaction, sdk } from '../service/client.ts'
import { rounds } from '../tier.ts'
import { type Door, openDoor, openTestDoor } from './door.ts'

/** Headers of every answer, from all parts of the service. */
const strict = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const

/** Whether the answer is an error of the client: the body is exactly `{error}`. */
function isClientError({ status, body, headers }: Answer): boolean {
  return (
    status >= 400 &&
    status < 500 &&
    Object.keys(body).join() === 'error' &&
    typeof body.error === 'string' &&
    headers.get('x-error-code') !== null
  )
}

test('hostile bodies, tokens and fields never get more than an error', async t => {
  const door = await openTestDoor(t, sqlite)
  const { token } = door
  const { customer_id, sdk_token } = await openTransaction(door.call, token)
  const base = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
  await door.call('POST', `${sdk}/start`, { token: sdk_token, json: {} })
  const odd = fc.oneof(
    fc.json().map(text => JSON.parse(text) as unknown),
    anyText(),
    fc.double(),
  )
  const members = fc.dictionary(
    fc.constantFrom(
      'webhook',
      'transaction_ttl_minutes',
      'device_policy',
      'locale',
      'expected_data',
      'redirect_url',
      'url',
      '__proto__',
    ),
    odd,
  )
  const targets = [
    ['POST', `${kyc}/customer`, token, (value: unknown) => ({ external_customer_id: value, email: value })],
    ['POST', `${kyc}/transaction`, token, (value: unknown) => ({ ...base, config: value })],
    ['POST', `${kyc}/transaction`, token, (value: unknown) => ({ ...base, config: { webhook: value } })],
    ['POST', `${kyc}/transaction`, token, (value: unknown) => ({ ...base, config: { webhook: { url: value } } })],
    ['POST', `${kyc}/transaction`, token, (value: unknown) => ({ ...base, config: { device_policy: value } })],
    ['POST', `${kyc}/transaction`, token, (value: unknown) => value],
    ['POST', `${sdk}/start`, sdk_token, (value: unknown) => ({ device: value, document_type: value })],
    ['PUT', `${sdk}/signals`, sdk_token, (value: unknown) => ({ network: value, geolocation: value })],
    ['PUT', `${sdk}/selfie`, sdk_token, (value: unknown) => value],
    ['POST', `${sdk}/complete`, sdk_token, (value: unknown) => value],
  ] as const
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), fc.oneof(odd, members), async (target, value) => {
      const [method, path, bearer, around] = target
      const answer = await door.call(method, path, {
        token: bearer,
        raw: JSON.stringify(around(value)) ?? '',
        type: 'application/json',
      })
      if (answer.status >= 300 && !isClientError(answer))
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    }),
    { numRuns: rounds(120, 1000) },
  )
  t.deepEqual(
    door.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('hostile paths, methods and headers never get more than an error', async t => {
  const door = await openTestDoor(t, sqlite)
  const piece = fc.oneof(
    fc.constantFrom('..', '%2e%2e', '%2F', '%00', '%zz', '%', '*', ':', '__proto__', 'constructor', '', '?', '#', '\\'),
    fc.string({ maxLength: 12 }).map(encodeURI),
  )
  const path = fc
    .tuple(
      fc.constantFrom('', kyc, `${kyc}/transaction`, sdk, `${sdk}/liveness`, '/oauth2'),
      fc.array(piece, { maxLength: 4 }),
    )
    .map(([prefix, pieces]) => `${prefix}/${pieces.join('/')}`)
    // The first page is one that anybody may open.
    .filter(at => !/^\/{1,2}($|[?#])/.test(at))
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')
  const value = fc.stringMatching(/^[\x21-\x7e]{1,60}$/)
  await fc.assert(
    fc.asyncProperty(method, path, value, async (verb, at, word) => {
      const text = await door.raw(
        `${verb} ${at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${word}\r\nX-Request-Id: ${word}\r\nConnection: close\r\n\r\n`,
      )
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
      const keys = Object.keys(JSON.parse(body) as object)
      const expected = /^\/oauth2\/token\/?$/.test(at.split('?')[0] ?? '') && verb === 'POST' ? 2 : 1
      if (!(status >= 400 && status < 500) || keys.length !== expected || keys[0] !== 'error')
        throw new Error(`${verb} ${at}: ${text}`)
    }),
    { numRuns: rounds(120, 1000) },
  )
  t.deepEqual(
    door.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('an error of the parser looks like any other, and the connection ends', async t => {
  const door = await openTestDoor(t, sqlite)
  const host = 'Host: x\r\n'
  const json = 'Content-Type: application/json\r\n'
  const call = `POST ${kyc}/customer HTTP/1.1\r\n${host}${json}Authorization: Bearer ${door.token}\r\n`
  const cases = [
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', `GET / HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`, 400],
    ['unknown method', `BREW / HTTP/1.1\r\n${host}\r\n`, 400],
    ['large header', `GET / HTTP/1.1\r\n${host}X: ${'y'.repeat(17_000)}\r\n\r\n`, 431],
    ['two lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    ['smuggling', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
    ['bad chunk', `POST /oauth2/token HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['tunnel', `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, 405],
    ['expectation', `GET / HTTP/1.1\r\n${host}Expect: cake\r\nConnection: close\r\n\r\n`, 417],
    ['length beyond 32 bits', `${call}Content-Length: 9007199254740993\r\nConnection: close\r\n\r\n`, 413],
    ['length beyond all', `${call}Content-Length: 4294967297\r\nConnection: close\r\n\r\n`, 413],
    ['two tokens', `GET / HTTP/1.1\r\n${host}Authorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n`, 400],
  ] as const
  for (const [title, text, status] of cases) {
    const answer = await door.raw(text)
    t.true(answer.startsWith(`HTTP/1.1 ${status} `), `${title}: ${answer}`)
    const body = /\{.*\}/.exec(answer)?.[0] ?? ''
    t.deepEqual(Object.keys(JSON.parse(body) as object), ['error'], title)
    t.regex(answer, /^x-error-code: \w+\r$/im, title)
    t.regex(answer, /^x-request-id: [\w-]+\r$/im, title)
    const lines = answer.split('\r\n').map(line => line.replace(/^[^:]+/, name => name.toLowerCase()))
    for (const [name, value] of Object.entries(strict))
      t.is(lines.filter(line => line === `${name}: ${value}`).length, 1, `${title}: ${name}`)
  }
})

test('a tunnel that breaks off, or stays open, is rejected and holds nothing', async t => {
  const door = await openTestDoor(t, sqlite)
  const port = Number(new URL(door.url).port)
  const tunnel = (use: (socket: Socket) => void): Promise<void> =>
    new Promise(resolve => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
      socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', () => use(socket))
    })
  for (let n = 0; n < 20; n++)
    await tunnel(socket => (n % 2 === 0 ? socket.resetAndDestroy() : setImmediate(() => socket.resetAndDestroy())))
  // Its caller's half stays open: the service closes the whole, as a later write shows.
  await tunnel(socket => socket.on('end', () => socket.write('more', () => socket.write('and more'))).resume())
  t.is((await door.call('GET', '/healthz')).status, 200)
  t.regex(await door.raw('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'), /^allow: DELETE, GET, HEAD, PATCH, POST, PUT\r$/im)
})

test('every response has the strict headers', async t => {
  const webhookKeys = async (): Promise<never> => {
    throw new TypeError('a fault of ours')
  }
  const door = await openDoor(sqlite)
  const faulty = await openDoor(sqlite, { webhookKeys })
  t.teardown(door.close)
  t.teardown(faulty.close)
  const calls = [
    [door, 'GET', '/.well-known/jwks.json', 200],
    [door, 'HEAD', '/.well-known/jwks.json', 200],
    [door, 'GET', '/charts', 200],
    [door, 'GET', '/nope', 404],
    [door, 'GET', '/HEALTHZ', 404],
    [door, 'GET', '/metrics', 404],
    [door, 'HEAD', '/nope', 404],
    [door, 'GET', '/a%2fb', 404],
    [door, 'DELETE', '/healthz', 405],
    [door, 'OPTIONS', `${kyc}/customer`, 405],
    [door, 'GET', `${kyc}/transaction`, 401],
    [door, 'GET', sdk, 401],
    [door, 'POST', '/oauth2/token', 400],
    [faulty, 'GET', '/.well-known/jwks.json', 500],
  ] as const
  for (const [at, method, path, status] of calls) {
    const answer = await at.call(method, path)
    t.is(answer.status, status, `${method} ${path}`)
    t.like(Object.fromEntries(answer.headers), strict, `${method} ${path}`)
  }
})

test('readiness is checked once for many concurrent calls, and a node that drains says so at once', async t => {
  const door = await openTestDoor(t, sqlite)
  const { store, definitions, clock, serviceKeys } = door.service
  let reads = 0
  let commits = 0
  const read: typeof store.read = statement => {
    reads++
    return store.read(statement)
  }
  const commit: typeof store.commit = (unit, options) => {
    commits++
    return store.commit(unit, options)
  }
  const lifecycle = { phase: 'ready' as NodePhase, listStarting: () => [] }
  const readiness = createReadinessCheck(
    { store: { ...store, read, commit }, definitions, clock, serviceKeys },
    lifecycle,
  )
  await readiness()
  const once = reads
  t.true(once > 0)
  const all = await Promise.all(Array.from({ length: 50 }, readiness))
  t.deepEqual([all.flat(), reads], [[], 2 * once])
  const looking = readiness()
  lifecycle.phase = 'draining'
  t.deepEqual(await readiness(), ['the node is draining'])
  t.deepEqual([await looking, reads], [[], 3 * once])
  t.is(commits, 1, 'and a write is tried once a second')
  const left = await store.read({ sql: "SELECT name FROM facts WHERE name LIKE 'write_probe%'", values: [] })
  t.deepEqual(left, [])
})

test('a call before the application exists returns 503, and /healthz 200', async t => {
  const server = createHttpServer()
  const serve = serveWhileStarting(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [method, path] of [
    ['GET', '/readyz'],
    ['POST', '/oauth2/token'],
    ['PUT', `${sdk}/selfie`],
  ] as const) {
    const early = await fetch(url + path, { method, ...(method === 'GET' ? {} : { body: 'x'.repeat(100_000) }) })
    t.is(early.status, 503, path)
    t.is(early.headers.get('retry-after'), '2')
    t.is(early.headers.get('x-error-code'), 'unavailable')
    t.is(early.headers.get('x-content-type-options'), 'nosniff')
    t.deepEqual(await early.json(), { error: 'not ready: the node is starting' })
  }
  const alive = await fetch(`${url}/healthz`)
  t.deepEqual([alive.status, await alive.json()], [200, { status: 'alive' }])
  serve((_, response) => response.end('served'))
  t.is(await (await fetch(`${url}/readyz`)).text(), 'served')
})

test('readiness, keys, request ids and security headers', async t => {
  const reasons: string[] = []
  const door = await openTestDoor(t, sqlite, { unreadiness: async () => reasons })
  t.is((await door.call('GET', '/readyz')).status, 200)
  reasons.push('chart 7 is unknown', 'draining')
  const unready = await door.call('GET', '/readyz')
  t.deepEqual([unready.status, unready.body], [503, { error: 'not ready: chart 7 is unknown; draining' }])
  t.truthy(unready.headers.get('retry-after'))
  t.is((await door.call('GET', '/healthz')).status, 200)
  const jwks = await door.call('GET', '/.well-known/jwks.json')
  t.is(jwks.headers.get('cache-control'), 'public, max-age=3600')
  const [key] = jwks.body.keys as Record<string, unknown>[]
  t.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  const given = { 'X-Request-Id': 'my-own-id:1.2_3' }
  t.is((await door.call('GET', '/healthz', { headers: given })).headers.get('x-request-id'), 'my-own-id:1.2_3')
  const odd = await door.call('GET', '/nope', { headers: { 'X-Request-Id': 'a b<script>' } })
  t.regex(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  t.is(odd.headers.get('x-content-type-options'), 'nosniff')
  t.is(odd.headers.get('cache-control'), 'no-store')
  // A probe is of interest where it fails.
  const [, ...calls] = door.lines.filter(({ message }) => message === 'call')
  t.deepEqual(
    calls.map(({ route, status, level }) => `${route} ${status} ${level}`),
    [
      '/readyz 200 debug',
      '/readyz 503 info',
      '/healthz 200 debug',
      '/.well-known/jwks.json 200 info',
      '/healthz 200 debug',
      'null 404 info',
    ],
  )
})

test('the first address is a page for people and links for programs, whose doors open, ready or not', async t => {
  const reasons: string[] = []
  const door = await openTestDoor(t, sqlite, { unreadiness: async () => reasons })
  const page = await door.call('GET', '/', { headers: { Accept: 'text/html,*/*;q=0.8' } })
  t.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  t.regex(page.text, />Ready</)
  const { status, body } = await door.call('GET', '/')
  t.like([status, body], [200, { service: 'attestor', ready: true }])
  const links = Object.entries(body.links as Record<string, string>)
  t.deepEqual(
    [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path),
    links.map(([path]) => path),
  )
  for (const [path, link] of links.filter(([path]) => !path.startsWith('console'))) {
    t.true(link.endsWith(`/${path}`), link)
    t.is((await door.call('GET', `/${path}`)).status, 200, path)
  }
  reasons.push('<chart 7> is unknown')
  const unready = await door.call('GET', '/', { headers: { Accept: 'text/html' } })
  t.regex(unready.text, /Not ready: &#60;chart 7&#62; is unknown/)
  t.like((await door.call('GET', '/')).body, { ready: false })
})

test('an internal error discloses nothing, and is logged with its request id', async t => {
  const unreadiness = async (): Promise<never> => {
    throw new TypeError('the secret of the house')
  }
  const door = await openTestDoor(t, sqlite, { unreadiness })
  const answer = await door.call('GET', '/readyz')
  t.deepEqual([answer.status, answer.body], [500, { error: 'internal error' }])
  const [line] = door.lines.filter(({ level }) => level === 'error')
  t.is(line?.request_id, answer.headers.get('x-request-id') as never)
  t.true(String(line?.stack).includes('the secret of the house'))
})

test('a caller that hangs up in the middle of its body is no internal error, and hides none', async t => {
  const faults: (Error | null)[] = [null, new TypeError('a fault of ours')]
  for (const fault of faults) {
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const authenticate = async () => {
      asked.resolve()
      if (fault === null) return caller
      await gone.promise
      throw fault
    }
    const door = await openTestDoor(t, sqlite, { authenticate })
    const caller = { account_id: door.account.account_id, client_id: door.account.client_id }
    const socket = connect(Number(new URL(door.url).port), '127.0.0.1')
    socket.write(
      `POST ${kyc}/customer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    )
    await asked.promise
    const before = door.lines.length
    socket.resetAndDestroy()
    // Waits until the service has seen it, too.
    await poll(() => socket.closed)
    for (let rounds = 0; rounds < 200; rounds++) await new Promise(setImmediate)
    gone.resolve()
    await poll(() => door.lines.slice(before).some(({ message }) => message === 'call'))
    const errors = door.lines.filter(({ level }) => level === 'error').map(({ name }) => name)
    t.deepEqual(errors, fault === null ? [] : ['TypeError'])
  }
})

test('only as many proxies are believed as the operator trusts', t => {
  const from = (forwarded: string | undefined, hops: number, own = '::ffff:10.0.0.1'): string =>
    readClientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: own } } as never, hops)
  t.is(from('1.1.1.1', 0), '10.0.0.1')
  t.is(from('9.9.9.9, 1.1.1.1', 1), '1.1.1.1')
  t.is(from('9.9.9.9, 1.1.1.1, 10.0.0.2', 2), '1.1.1.1')
  t.is(from('1.1.1.1', 3), '1.1.1.1')
  t.is(from('nonsense', 1), '10.0.0.1')
  t.is(from(undefined, 1), '10.0.0.1')
  t.is(from('[2001:db8::1]', 1, '::1'), '2001:db8::1')
})

function* pieces(byteCount: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, ' ')
  for (let left = byteCount; left > 0; left -= piece.length) yield piece.subarray(0, left)
}

/** Sends the whole of a call before it reads, as many clients do; a connection that is reset rejects. */
async function sendWhole(door: Door, call: string, headers: readonly string[], byteCount: number): Promise<number> {
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1')
  const head = [`${call} HTTP/1.1`, 'Host: x', ...headers, `Content-Length: ${byteCount}`, '', ''].join('\r\n')
  socket.write(head)
  const received: Buffer[] = []
  const sending = pipeline(Readable.from(pieces(byteCount)), socket, { end: false })
  await sending
  for await (const chunk of socket) received.push(chunk)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(received).toString())?.[1])
}

test('a body beyond every limit is answered, and the connection stays open until it was sent', async t => {
  const door = await openTestDoor(t, sqlite)
  const { token } = door
  const { sdk_token } = await openTransaction(door.call, token)
  await door.call('POST', `${sdk}/start`, { token: sdk_token, json: {} })
  for (const [call, bearer, type, megabytes, status] of [
    [`POST ${kyc}/customer`, token, 'application/json', 7, 413],
    [`POST ${kyc}/customer`, 'nobody', 'application/json', 7, 401],
    ['POST /oauth2/token', token, 'application/x-www-form-urlencoded', 7, 400],
    [`PUT ${sdk}/selfie`, sdk_token, 'image/jpeg', 17, 413],
    // It takes no body, and looks at none.
    [`POST ${sdk}/liveness/challenge`, sdk_token, 'application/json', 7, 201],
  ] as const) {
    const headers = [`Authorization: Bearer ${bearer}`, `Content-Type: ${type}`, 'Connection: close']
    t.is(await sendWhole(door, call, headers, megabytes * 2 ** 20), status, call)
  }
  t.deepEqual(
    door.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('a body that never ends is cut off once its caller was answered', async t => {
  const door = await openTestDoor(t, sqlite)
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1')
  const length = 'Transfer-Encoding: chunked'
  socket.write(`POST ${kyc}/customer HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n2\r\n{}\r\n`)
  const [answer] = await once(socket, 'data')
  t.regex(String(answer), /^HTTP\/1\.1 401 .*connection: close/is)
  const closed = once(socket, 'close')
  await door.clock.advance(29_000)
  t.false(socket.closed)
  await door.clock.advance(1000)
  await closed
})
