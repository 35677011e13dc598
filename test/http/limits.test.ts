import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { openStore } from 'durable-xstate-sql'
import fc from 'fast-check'
import { newId } from '../../src/base/ids.ts'
import { openRateLimits } from '../../src/database/rate_limits.ts'
import { toNetwork } from '../../src/http/rate_limits.ts'
import { createHttpServer, type ServerOptions } from '../../src/http/server.ts'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import { happened, until } from '../awaited.ts'
import { manualClock } from '../clock.ts'
import { oneDialect, openTestStore, sqlite } from '../database.ts'
import { kyc, openTransaction, sdk, tokenForm } from '../service/client.ts'
import { openTestDoor } from './door.ts'

const serviceKeys = { roots: [Buffer.alloc(32, 7)], lookup: Buffer.alloc(32, 8) }

for (const engine of oneDialect) {
  test(`On ${engine.name} nodes share a limit: together they allow just what it says, and again as time passes`, async t => {
    const database = await engine.fresh()
    const clock = manualClock()
    const stores = await Promise.all([1, 2, 3].map(() => openStore(database.address, 4)))
    t.teardown(async () => {
      await Promise.all(stores.map(store => store.close()))
      await database.drop()
    })
    const nodes = stores.map(store => openRateLimits(store, clock, serviceKeys))
    const rate = { name: 'reads', per_minute: 60 }
    const allowed = async (calls: number): Promise<number> => {
      const turns = Array.from({ length: calls }, (_, n) => nodes[n % nodes.length]?.take(rate, 'account'))
      return (await Promise.all(turns)).filter(turn => turn?.allowed === true).length
    }
    t.is(await allowed(200), 60)
    t.is(await allowed(20), 0)
    await clock.advance(10_000)
    t.is(await allowed(100), 10, 'a turn a second comes back')
    await clock.advance(3_600_000)
    t.is(await allowed(200), 60, 'and never more than the limit at once')
    t.is((await nodes[0]?.take(rate, 'another'))?.allowed, true, 'every subject has a limit of its own')
    await clock.advance(3_600_000)
    await nodes[0]?.take(rate, 'third')
    const rows = await stores[0]?.read({ sql: 'SELECT id FROM rate_limits', values: [] })
    t.is(rows?.length, 1, 'what is over is removed')
  })

  test(`On ${engine.name} a clock that was an hour ahead and is put right locks nobody out`, async t => {
    const { store } = await openTestStore(t, engine, 4)
    const right = manualClock()
    let aheadMs = 3_600_000
    const wrong = { ...right, now: () => right.now() + aheadMs }
    const node = openRateLimits(store, wrong, serviceKeys)
    const other = openRateLimits(store, right, serviceKeys)
    const take = async (of: typeof node) => (await of.take({ name: 'writes', per_minute: 1 }, 'account')).allowed
    t.deepEqual([await take(node), await take(node)], [true, false])
    t.true(await take(other))
    aheadMs = 0
    t.false(await take(node), 'it believes the others, and no more itself')
    await right.advance(60_000)
    t.true(await take(node))
  })

  test(`On ${engine.name} no more permits are left than the limit says, and as many calls are allowed at once`, async t => {
    const { store } = await openTestStore(t, engine, 4)
    const clock = manualClock()
    const node = openRateLimits(store, clock, serviceKeys)
    for (const per_minute of [600, 7, 18]) {
      const rate = { name: 'reads', per_minute }
      const left: number[] = []
      for (let second = 0; second < 8; second++) {
        left.push((await node.take(rate, 'account')).remaining, (await node.look(rate, 'account')).remaining)
        await clock.advance(second * 330)
      }
      t.true(
        left.every(remaining => remaining < per_minute),
        `${left} of ${per_minute}`,
      )
      await clock.advance(120_000)
      let allowed = 0
      while ((await node.take(rate, 'account')).allowed) allowed++
      t.is(allowed, per_minute)
    }
  })

  test(`On ${engine.name} reads and writes of an account are limited apart, and the answer says what is left`, async t => {
    const door = await openTestDoor(t, engine, {}, { per_minute: { reads: 3, writes: 2 } })
    const { token } = door
    const create = (n: number) =>
      door.call('POST', `${kyc}/customer`, { token, json: { external_customer_id: `${n}` } })
    const first = await create(1)
    t.is(first.status, 201)
    t.like(Object.fromEntries(first.headers), {
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '30',
    })
    t.is((await create(2)).status, 201)
    const refused = await create(3)
    t.is(refused.status, 429)
    t.deepEqual(refused.body, { error: 'rate limit: at most 2 writes a minute per account' })
    t.like(Object.fromEntries(refused.headers), {
      'retry-after': '30',
      'ratelimit-remaining': '0',
      'x-error-code': 'rate_limited',
    })
    const read = () => door.call('GET', `${kyc}/customer/${first.body.customer_id}`, { token })
    t.deepEqual(
      (await Promise.all([read(), read(), read(), read()])).map(({ status }) => status).sort(),
      [200, 200, 200, 429],
    )
    const { token: other } = await door.newAccount()
    const json = { external_customer_id: '1' }
    t.is((await door.call('POST', `${kyc}/customer`, { token: other, json })).status, 201)
    await door.clock.advance(30_000)
    t.is((await create(3)).status, 201)
    t.is((await door.call('GET', '/.well-known/jwks.json')).status, 200)
  })

  test(`On ${engine.name} failed authentications of a client from an address, and its tokens, are limited apart, and a right secret is never rejected`, async t => {
    const door = await openTestDoor(
      t,
      engine,
      { trustedProxyHops: 1 },
      { per_minute: { tokens: 3, token_failures: 2 } },
    )
    const { client_id, client_secret } = door.account
    const askAs = (id: string, secret: string, address: string) =>
      door.call('POST', '/oauth2/token', {
        form: tokenForm({ client_id: id, client_secret: secret }),
        headers: { 'X-Forwarded-For': address },
      })
    const ask = (secret: string, address: string) => askAs(client_id, secret, address)
    t.is((await ask('wrong', '192.0.2.1')).status, 401)
    t.is((await ask('wrong', '192.0.2.1')).status, 401)
    const refused = await ask('wrong', '192.0.2.1')
    t.is(refused.status, 429)
    t.deepEqual(refused.body, {
      error: 'invalid_request',
      error_description: 'rate limit: at most 2 failed authentications a minute per client and address',
    })
    t.is(refused.headers.get('retry-after'), '30')
    t.is(refused.body.access_token, undefined)
    t.is((await ask('wrong', '2001:db8:1:2:3::1')).status, 401)
    t.is((await ask('wrong', '2001:db8:1:2::9')).status, 401)
    t.is((await ask('wrong', '2001:db8:1:2:ffff::')).status, 429, 'one network of 64 bits')
    // The door itself took one when it was opened.
    t.is((await ask(client_secret, '192.0.2.1')).status, 200, 'somebody else failed there, by its own id')
    const other = await createAccount(door.service, { name: 'Behind the same address' })
    t.is((await askAs(other.client_id, other.client_secret, '192.0.2.1')).status, 200)
    t.is((await askAs(other.client_id, 'wrong', '192.0.2.1')).status, 401, 'a limit of its own')
    const unknown = []
    for (let n = 0; n < 3; n++) unknown.push((await askAs(newId(), 'wrong', '192.0.2.1')).status)
    t.deepEqual(unknown, [401, 401, 429], 'ids that nobody has share one')
    t.is((await ask(client_secret, '192.0.2.2')).status, 200)
    const many = await ask(client_secret, '192.0.2.2')
    t.is(many.status, 429, 'a success is counted for the client')
    t.is(many.headers.get('ratelimit-limit'), '3')
    t.is(many.body.access_token, undefined)
  })

  test(`On ${engine.name} clients behind one address get their tokens, and no more failures than are allowed are answered as such`, async t => {
    const door = await openTestDoor(t, engine, {}, { per_minute: { token_failures: 20 } })
    const beside = await openTestDoor(t, engine, {}, { per_minute: { token_failures: 20 }, beside: door })
    const { client_id, client_secret } = door.account
    const ask = async (of: typeof door, secret: string): Promise<number> => {
      const form = tokenForm({ client_id, client_secret: secret })
      return (await of.call('POST', '/oauth2/token', { form })).status
    }
    const askMany = async (count: number, one: (n: number) => Promise<number>): Promise<Record<number, number>> => {
      const counts: Record<number, number> = {}
      for (const status of await Promise.all(Array.from({ length: count }, (_, n) => one(n))))
        counts[status] = (counts[status] ?? 0) + 1
      return counts
    }
    const nodes = [door, beside]
    const good = (n: number): Promise<number> => ask(nodes[n % 2] ?? door, client_secret)
    t.deepEqual(await askMany(60, good), { 200: 60 })
    t.deepEqual(await askMany(60, n => (n % 4 === 0 ? ask(door, 'wrong') : good(n))), { 200: 45, 401: 15 })
    t.deepEqual(await askMany(30, n => ask(nodes[n % 2] ?? door, `wrong ${n}`)), { 401: 5, 429: 25 })
    t.deepEqual(await askMany(3, good), { 200: 3 })
    await door.clock.advance(3_000)
    t.deepEqual(await askMany(10, n => ask(door, `wrong ${n}`)), { 401: 1, 429: 9 }, 'in three seconds one comes back')
    await door.clock.advance(60_000)
    t.deepEqual(await askMany(30, n => ask(door, `wrong ${n}`)), { 401: 20, 429: 10 })
  })

  test(`On ${engine.name} a device is limited by its transaction, and in how much it reports`, async t => {
    const door = await openTestDoor(t, engine, {}, { per_minute: { device: 2 } })
    const { token } = door
    const open = async () => (await openTransaction(door.call, token)).sdk_token
    const one = await open()
    const other = await open()
    const statuses = []
    for (const sdk_token of [one, one, one, other])
      statuses.push((await door.call('GET', sdk, { token: sdk_token })).status)
    t.deepEqual(statuses, [200, 200, 429, 200])
    const reporting = await openTestDoor(t, engine, {}, { beside: door })
    const signals = () => reporting.call('PUT', `${sdk}/signals`, { token: other, json: {} })
    t.is((await reporting.call('POST', `${sdk}/start`, { token: other, json: {} })).status, 200)
    t.is((await signals()).status, 204)
    await door.service.store.commit(function* () {
      yield [{ sql: 'UPDATE transactions SET version = 2000', values: [] }]
    })
    t.deepEqual((await signals()).body, { error: 'signals: were sent too often' }, 'the journal has an end')
  })
}

test('Pages are limited by address, and their files are not', async t => {
  const door = await openTestDoor(t, sqlite, { trustedProxyHops: 1 }, { per_minute: { pages: 3 } })
  const from = (address: string, path: string) => door.call('GET', path, { headers: { 'X-Forwarded-For': address } })
  const statuses = async (address: string, ...paths: readonly string[]) => {
    const answers = []
    for (const path of paths) answers.push((await from(address, path)).status)
    return answers
  }
  t.deepEqual(await statuses('192.0.2.1', '/verify', '/docs', '/openapi.json', '/verify'), [200, 200, 200, 429])
  const limited = await from('192.0.2.1', '/docs')
  t.deepEqual(limited.body, { error: 'rate limit: at most 3 pages a minute per address' })
  t.is(limited.headers.get('retry-after'), '20')
  t.deepEqual(await statuses('192.0.2.1', '/capture.js', '/healthz'), [200, 200])
  t.deepEqual(await statuses('192.0.2.2', '/verify'), [200])
  t.deepEqual(await statuses('2001:db8::1', '/verify', '/verify', '/verify'), [200, 200, 200])
  t.deepEqual(await statuses('2001:db8::2', '/verify'), [429], 'of one network')
  await door.clock.advance(20_000)
  t.deepEqual(await statuses('192.0.2.1', '/verify', '/verify'), [200, 429], 'one comes back')
})

test('A limit of pages that does not divide a minute grants as many as it says', async t => {
  const door = await openTestDoor(t, sqlite, {}, { per_minute: { pages: 11 } })
  const left = []
  for (let n = 0; n < 11; n++) left.push(Number((await door.call('GET', '/verify')).headers.get('ratelimit-remaining')))
  t.deepEqual(left, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  t.is((await door.call('GET', '/verify')).status, 429)
})

test('A query of more than 100 parameters is refused before it is parsed', async t => {
  const door = await openTestDoor(t, sqlite)
  const list = async (count: number) => {
    const query = Array.from({ length: count }, () => 'status=FAILED').join('&')
    return door.call('GET', `${kyc}/transaction?${query}`, { token: door.token })
  }
  t.is((await list(100)).status, 200)
  const refused = await list(101)
  t.deepEqual([refused.status, refused.body], [400, { error: 'query: must have at most 100 parameters' }])
})

test('A list of preferences is read up to its 32nd', async t => {
  const door = await openTestDoor(t, sqlite)
  const languageOf = async (wanted: readonly string[]) => {
    const { status, text } = await door.call('GET', '/verify', { headers: { 'Accept-Language': wanted.join() } })
    t.is(status, 200)
    return /<html lang="([^"]+)"/.exec(text)?.[1]
  }
  const unknown = (count: number) => Array.from({ length: count }, (_, n) => `x${String.fromCharCode(97 + (n % 26))}`)
  t.is(await languageOf([...unknown(31), 'de']), 'de')
  t.is(await languageOf([...unknown(32), 'de']), 'en')
  t.is(await languageOf(['fr', ...unknown(5000).slice(0, 4000)]), 'fr')
  t.is(await languageOf([`de-${'a-'.repeat(5000)}x`, 'fr']), 'fr', 'what is longer than any tag is none')
})

test('Calls beyond the limit get 503, and a slow sender does not count', async t => {
  let letGo = (): void => {}
  const held = new Promise<void>(resolve => {
    letGo = resolve
  })
  let atWork = 0
  const both = Promise.withResolvers<void>()
  const webhookKeys = async () => {
    if (++atWork === 2) both.resolve()
    await held
    return { keys: [] }
  }
  const door = await openTestDoor(t, sqlite, { maxConcurrentRequests: 2, webhookKeys })
  const { port } = new URL(door.url)
  const slow = Array.from({ length: 5 }, () => connect(Number(port), '127.0.0.1'))
  t.teardown(() => slow.forEach(socket => void socket.destroy()))
  const head = `POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\n`
  for (const socket of slow) socket.write(head)
  const keys = () => door.call('GET', '/.well-known/jwks.json')
  const under_way = [keys(), keys()]
  await both.promise
  t.is((await door.call('GET', '/healthz')).status, 200, 'a node says that it lives')
  const refused = await keys()
  t.is(refused.status, 503)
  t.deepEqual(refused.body, { error: 'too many calls at once' })
  t.is(refused.headers.get('retry-after'), '1')
  letGo()
  t.deepEqual(
    (await Promise.all(under_way)).map(({ status }) => status),
    [200, 200],
  )
  t.is((await keys()).status, 200)
})

test('A client that sends call after call and reads no answer is cut off; a few sent ahead are all answered, in order', async t => {
  const door = await openTestDoor(t, sqlite)
  const ahead = (calls: number): Promise<string> => {
    const paths = Array.from({ length: calls }, (_, n) => (n % 2 === 0 ? '/healthz' : '/nope'))
    const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    return door.raw(paths.map(path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('') + last)
  }
  const statuses = (heard: string): readonly string[] =>
    [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
  t.deepEqual(statuses(await ahead(20)), [
    ...Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? '200' : '404')),
    '200',
  ])
  t.true(statuses(await ahead(1000)).length <= 64)
  t.is((await door.call('GET', '/healthz')).status, 200)
  const one = await door.call('GET', '/charts/transaction/1')
  const other = await door.call('GET', '/charts/transaction/1')
  t.is(one.headers.get('content-type'), 'application/json; charset=utf-8')
  t.is(one.text, other.text)
})

test('A slow client is cut off: with its headers, its request, or its reading of the answer', t => {
  const server = createHttpServer()
  const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = server
  const bounds = { headersTimeout, requestTimeout, timeout, keepAliveTimeout }
  t.deepEqual(bounds, {
    headersTimeout: 15_000,
    requestTimeout: 120_000,
    timeout: 130_000,
    keepAliveTimeout: 65_000,
  })
  const behind = createHttpServer({ keepAliveSeconds: 610, requestSeconds: 10 })
  t.like(behind, { headersTimeout: 10_000, requestTimeout: 10_000, timeout: 70_000, keepAliveTimeout: 610_000 })
})

test('One address holds a bounded number of connections, and releases them', async t => {
  const server = createHttpServer({ connectionsPerAddress: 2 })
  t.is(server.timeout, 130_000, 'who does not read holds its place no longer')
  const accepted: Socket[] = []
  server.on('connection', socket => accepted.push(socket))
  server.on('request', (_, response) => response.end('served'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const heard = (socket: Socket): Promise<string> =>
    new Promise(resolve => {
      socket.once('data', data => resolve(data.toString()))
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    })
  const one = connect(port, '127.0.0.1')
  const two = connect(port, '127.0.0.1')
  t.teardown(() => [one, two].forEach(socket => void socket.destroy()))
  t.regex(await heard(one), /^HTTP\/1\.1 200/)
  t.regex(await heard(two), /^HTTP\/1\.1 200/)
  const third = connect(port, '127.0.0.1')
  // It has asked before it hears that it may not.
  third.on('error', () => {})
  t.regex(
    await heard(third),
    /^HTTP\/1\.1 503.*\r\nRetry-After: 5\r\n.*\{"error":"too many connections from one address"\}$/s,
  )
  const closed = new Promise(resolve => accepted[0]?.once('close', resolve))
  one.destroy()
  await closed
  const fourth = connect(port, '127.0.0.1')
  t.teardown(() => fourth.destroy())
  t.regex(await heard(fourth), /^HTTP\/1\.1 200/)
})

/** A server on loopback, and raw connections to it; `heard` resolves with all that one hears until it is closed. */
async function openServer(t: ExecutionContext, options: ServerOptions, listener: RequestListener) {
  const server = createHttpServer(options)
  server.on('request', listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const dial = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    const chunks: Buffer[] = []
    socket.on('error', () => {})
    socket.on('data', chunk => chunks.push(chunk))
    const closed = new Promise<string>(resolve => socket.once('close', () => resolve(Buffer.concat(chunks).toString())))
    await new Promise(resolve => socket.once('connect', resolve))
    return { socket, closed }
  }
  return { server, dial }
}

test('A body that does not come is ended with 408, and a slow one that comes is not', async t => {
  const clock = manualClock()
  const received = new Map<string, number>()
  const { dial } = await openServer(t, { clock }, (request, response) => {
    const { url = '' } = request
    received.set(url, 0)
    happened()
    request.on('data', (chunk: Buffer) => {
      received.set(url, (received.get(url) ?? 0) + chunk.length)
      happened()
    })
    request.on('end', () => response.end(`${received.get(url)}`))
  })
  const begin = async (path: string) => {
    const connection = await dial()
    connection.socket.write(`PUT ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 40000\r\n\r\n`)
    await until(() => received.has(path), `${path} is asked for`)
    return connection
  }
  const silent = await begin('/silent')
  const slow = await begin('/slow')
  for (let quarter = 1; quarter <= 4; quarter++) {
    slow.socket.write('y'.repeat(10_000))
    await until(() => received.get('/slow') === quarter * 10_000, `quarter ${quarter}`)
    for (let seconds = 0; seconds < 10; seconds++) await clock.advance(1000)
  }
  t.regex(await silent.closed, /^HTTP\/1\.1 408 .*"body: it comes too slowly"/s)
  t.regex(await slow.closed, /^HTTP\/1\.1 200 .*40000$/s)
})

test('The connection that is idle longest gives way if all are taken', async t => {
  const { dial } = await openServer(t, { maxConnections: 2 }, (_request, response) => response.end('served'))
  const silent = await dial()
  const other = await dial()
  const third = await dial()
  t.is(await silent.closed, '')
  for (const { socket, closed } of [other, third]) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    t.regex(await closed, /served/)
  }
})

test('Addresses of one IPv6 network of 64 bits count as one, however they are written', t => {
  const group = fc.integer({ min: 0, max: 0xffff }).map(number => number.toString(16))
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), groups => {
      const network = groups.slice(0, 4).join(':')
      t.is(toNetwork(groups.join(':')), `${network}::/64`)
      t.is(toNetwork(`${network}::${groups[7]}`), `${network}::/64`)
      t.is(toNetwork(groups.map(text => text.padStart(4, '0').toUpperCase()).join(':')), `${network}::/64`)
    }),
  )
  t.is(toNetwork('::1'), '0:0:0:0::/64')
  t.is(toNetwork('192.0.2.1'), '192.0.2.1')
})
