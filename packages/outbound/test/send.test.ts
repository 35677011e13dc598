import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTcp } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { makeCertificate, type Receiver, startReceiver, turnedClock } from '../../../test/webhooks/receiver.ts'
import { createGuard } from '../guard.ts'
import { judgeResponse, readRetryAfter } from '../outcome.ts'
import { defaultLimits, sendWebhook } from '../send.ts'

const certificate = await makeCertificate(['localhost'], ['127.0.0.1'])
const headers = { 'Content-Type': 'application/json', 'X-Delivery-Attempt': '1' }
const body = JSON.stringify({ transaction_id: '0199', status: 'FINISHED' })

interface Setting {
  receiver: Receiver
  clock: ReturnType<typeof turnedClock>
  send(path?: string): ReturnType<typeof sendWebhook>
}

/** A real receiver over TLS on loopback, and a way to call it. */
async function setUp(t: ExecutionContext, handler: RequestListener): Promise<Setting> {
  const receiver = await startReceiver(handler, certificate)
  t.teardown(receiver.close)
  const clock = turnedClock()
  const guard = createGuard({ allow: [`127.0.0.1:${receiver.port}`], ca: certificate.cert })
  const send = (path = '/hook?a=1') =>
    sendWebhook({ url: `https://127.0.0.1:${receiver.port}${path}`, headers, body, guard, clock })
  return { receiver, clock, send }
}

test('a 2xx answer is a delivery, and the receiver got exactly what was sent, over a new connection each time', async t => {
  const seen: unknown[] = []
  const { receiver, send, clock } = await setUp(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    seen.push([request.method, request.url, request.headers['content-type'], Buffer.concat(chunks).toString()])
    t.is(request.headers['x-delivery-attempt'], '1')
    t.is(request.headers.host, `127.0.0.1:${receiver.port}`)
    clock.advance(120)
    response.writeHead(seen.length === 1 ? 204 : 202).end()
  })
  const reported = { error: null, retry_after_ms: null, duration_ms: 120, address: '127.0.0.1', response: null }
  const delivered = { outcome: 'delivered', ...reported }
  t.deepEqual(await send(), { ...delivered, status: 204 } as never)
  t.deepEqual(await send(), { ...delivered, status: 202 } as never)
  const expected = ['POST', '/hook?a=1', 'application/json', body]
  t.deepEqual(seen, [expected, expected])
  t.is(receiver.connections(), 2)
  t.is(clock.pending(), 0)
})

test('a redirect is a failure and is never followed', async t => {
  const paths: unknown[] = []
  const { send, receiver } = await setUp(t, (request, response) => {
    paths.push(request.url)
    response.writeHead(Number(request.url?.slice(1, 4)), { Location: '/elsewhere' }).end()
  })
  for (const status of [301, 302, 303, 307, 308]) {
    const outcome = await send(`/${status}`)
    t.is(outcome.outcome, 'failed')
    t.is(outcome.status, status)
    t.is(outcome.error, `answered ${status}: redirects are not followed`)
  }
  t.deepEqual(paths, ['/301', '/302', '/303', '/307', '/308'])
  t.is(receiver.connections(), 5)
})

test('410 stops a delivery, 4xx and 5xx fail it, and Retry-After is read on 429 and 503 only', async t => {
  const { send, clock } = await setUp(t, (request, response) => {
    const [status = '', wait = ''] = decodeURIComponent(request.url?.slice(1) ?? '').split('~')
    response.writeHead(Number(status), wait === '' ? {} : { 'Retry-After': wait }).end('a body nobody asked for')
  })
  const gone = await send('/410')
  t.is(gone.outcome, 'gone')
  t.is(gone.status, 410)
  const cases: [path: string, status: number, retry_after_ms: number | null][] = [
    ['/500', 500, null],
    ['/400', 400, null],
    ['/401', 401, null],
    ['/500~7', 500, null],
    ['/429~7', 429, 7000],
    ['/503~0', 503, 0],
    ['/503~999999999', 503, 36_000_000],
    ['/503~soon', 503, null],
    [`/503~${new Date(clock.now() + 90_000).toUTCString()}`, 503, 90_000],
  ]
  for (const [path, status, retry_after_ms] of cases) {
    const outcome = await send(encodeURI(path))
    t.like(outcome, { outcome: 'failed', status, error: `answered ${status}`, retry_after_ms }, path)
  }
})

test('Retry-After is seconds or any of the three dates of HTTP, never negative and at most ten hours', t => {
  const now = Date.parse('1994-11-06T08:49:07Z')
  for (const date of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    t.is(readRetryAfter(date, now), 30_000, date)
    t.is(readRetryAfter(date, now + 60_000), 0, date)
    t.is(readRetryAfter(date, now - 99_999_999), 36_000_000, date)
  }
  for (const text of [undefined, '', '-5', '1.5', '1e3', 'Sun', '20 26', 'tomorrow'])
    t.is(readRetryAfter(text, now), null)
  t.is(readRetryAfter(' 120 ', now), 120_000)
  t.is(judgeResponse({ status: 199, retry_after: undefined }, now).outcome, 'failed')
  t.is(judgeResponse({ status: 299, retry_after: undefined }, now).outcome, 'delivered')
})

test('a receiver that never answers is a time-out after ten seconds', async t => {
  const { send, clock } = await setUp(t, request => {
    request.resume()
    request.on('end', () => {
      // The connection stands, so the three seconds for connecting are no longer counted.
      clock.advance(9999)
      clock.advance(1)
    })
  })
  t.like(await send(), {
    outcome: 'failed',
    status: null,
    error: 'timed out',
    duration_ms: 10_000,
    address: '127.0.0.1',
  })
  t.is(clock.pending(), 0)
})

test('a body that drips is cut off with the attempt, and its status of 200 counts', async t => {
  const { send, clock } = await setUp(t, (_request, response) => {
    response.writeHead(200)
    const drip = (): void => {
      response.write('.', () => {
        clock.advance(1000)
        if (!response.destroyed) setImmediate(drip)
      })
    }
    drip()
  })
  const outcome = await send()
  t.like(outcome, { outcome: 'delivered', status: 200, error: 'answered 200, but: timed out' })
  t.is(clock.pending(), 0)
})

test('a failure keeps its status and its first kilobyte, with any rest of its body: dripping, broken off, or without end', async t => {
  const { send, clock } = await setUp(t, (request, response) => {
    if (request.url === '/long') return void response.writeHead(500).end('x'.repeat(100_000))
    response.writeHead(500, { 'Content-Length': '500' }).write('why')
    if (request.url === '/broken') return void response.socket?.end()
    const drip = (): void => {
      response.write('.', () => {
        clock.advance(1000)
        if (!response.destroyed) setImmediate(drip)
      })
    }
    drip()
  })
  for (const path of ['/long', '/broken', '/drip']) {
    const { response, ...outcome } = await send(path)
    t.like(outcome, { outcome: 'failed', status: 500, error: 'answered 500' }, path)
    t.true(response?.toString().startsWith(path === '/long' ? 'x' : 'why'), path)
    t.true((response?.length ?? 0) <= 1024, path)
    t.true(outcome.duration_ms <= 10_000, path)
  }
  t.is(clock.pending(), 0)
})

test('a head that drips is cut off with the attempt', async t => {
  const { send, clock } = await setUp(t, (_request, response) => {
    const { socket } = response
    socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    const drip = (): void => {
      socket?.write('a', () => {
        clock.advance(1000)
        if (!socket.destroyed) setImmediate(drip)
      })
    }
    drip()
  })
  const error = 'answered 200, but: timed out'
  t.like(await send(), { outcome: 'delivered', status: 200, error, duration_ms: 10_000 })
  t.is(clock.pending(), 0)
})

test('a huge answer is read only in part, and its status counts', async t => {
  const closed = Promise.withResolvers<number>()
  const { send } = await setUp(t, (_request, response) => {
    let written = 0
    const pour = (): void => {
      while (!response.destroyed) {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536))) return
      }
    }
    response.on('drain', pour)
    response.on('close', () => closed.resolve(written))
    pour()
  })
  t.like(await send(), { outcome: 'delivered', status: 200, error: null })
  // The receiver's end was closed long before it could send everything: its writes are in socket buffers.
  const written = await closed.promise
  t.true(written < 64 * 1024 * 1024, String(written))
})

test('an answer that ends before its status is a failure', async t => {
  const cut: Record<string, (socket: Socket) => void> = {
    '/silent': socket => socket.destroy(),
    '/part': socket => socket.end('HTTP/1.1 20'),
    '/noise': socket => socket.end('220 smtp.example ESMTP ready\r\n'),
    '/unasked': socket => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    '/zero': socket => socket.end('HTTP/1.1 000 \r\n\r\n'),
    '/upgrade': socket => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  }
  const nonsense = 'not an HTTP answer'
  const said: Record<string, string> = { '/noise': nonsense, '/unasked': nonsense, '/zero': nonsense }
  const { send, clock } = await setUp(t, request => cut[request.url ?? '']?.(request.socket))
  for (const path of Object.keys(cut)) {
    const outcome = await send(path)
    t.like(outcome, { outcome: 'failed', status: null, retry_after_ms: null, address: '127.0.0.1' }, path)
    t.is(outcome.error, said[path] ?? 'connection broken', path)
  }
  t.is(clock.pending(), 0)
})

test('any 2xx is a delivery, with anything after its status line, and the attempt names the fault', async t => {
  const big = `X-Filler: ${'a'.repeat(17_000)}\r\n`
  const cases: readonly (readonly [answer: string, isFlawed: boolean])[] = [
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', true],
    ['HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', false],
    [`HTTP/1.1 200 OK\r\n${big}Content-Length: 2\r\n\r\nok`, false],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok', true],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', true],
    ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', true],
    ['HTTP/1.1 200 OK\r\nContent-', true],
    ['HTTP/1.1 202\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok', true],
    ['HTTP/1.1 200 OK\nContent-Length: 2\n\nok', true],
    ['HTTP/1.1 200 OK\r\nBad Name: x\r\nContent-Length: 2\r\n\r\nok', true],
    ['HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 2\r\n\r\nok', true],
    ['HTTP/1.1 201 Created\r\nX: \u0001\u0000\r\nContent-Length: 2\r\n\r\nok', true],
    ['HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n\n', true],
    ['HTTP/1.0 200 OK\r\n\r\nno length', false],
  ]
  const { send, clock } = await setUp(
    t,
    ({ socket, url = '' }) => void socket.end(cases[Number(url.slice(1))]?.[0] ?? '', 'latin1'),
  )
  for (const [n, [answer, isFlawed]] of cases.entries()) {
    const { outcome, status, error } = await send(`/${n}`)
    t.is(outcome, 'delivered', answer.slice(0, 80))
    t.true((status ?? 0) >= 200 && (status ?? 999) < 300)
    t.is(error?.startsWith(`answered ${status}, but: `) ?? false, isFlawed, `${answer.slice(0, 80)}: ${error}`)
  }
  t.is(clock.pending(), 0)
})

test('another status counts as well, with any rest of its head, and with its Retry-After', async t => {
  const { send } = await setUp(t, ({ socket }) => {
    socket.end(
      'HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    )
  })
  t.like(await send(), { outcome: 'failed', status: 503, error: 'answered 503', retry_after_ms: 7000 })
})

test('a head without end is cut off in bounded memory, and its status counts', async t => {
  const { send } = await setUp(t, (_request, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n')
    response.socket?.write(`X-Filler: ${'a'.repeat(200_000)}\r\n`)
  })
  const outcome = await send()
  t.like(outcome, { outcome: 'delivered', error: 'answered 200, but: the head of the answer is too large' })
})

test('a receiver that floods beside the body is cut off: interim answers, chunk extensions, a reason or blank lines without end', async t => {
  const floods: Record<string, readonly [head: string, unit: string]> = {
    '/interim': ['', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'],
    '/extension': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'a=b;'],
    '/zeros': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'],
    '/reason': ['HTTP/1.1 200 ', 'OK'],
    '/blank': ['', '\r\n'],
  }
  const poured = new Map<string, number>()
  const { send, clock } = await setUp(t, ({ socket, url = '' }) => {
    const [head, unit] = floods[url] ?? ['', '']
    const piece = Buffer.from(unit.repeat(2000))
    socket.write(head)
    const pour = (): void => {
      while (!socket.destroyed) {
        poured.set(url, (poured.get(url) ?? 0) + piece.length)
        if (!socket.write(piece)) return void socket.once('drain', pour)
      }
    }
    pour()
  })
  for (const path of Object.keys(floods)) {
    const outcome = await send(path)
    const fault = 'the response is too large'
    const isAnswered = path === '/extension' || path === '/zeros'
    t.is(outcome.error, isAnswered ? `answered 200, but: ${fault}` : fault, path)
    t.is(outcome.outcome, isAnswered ? 'delivered' : 'failed', path)
    t.true((poured.get(path) ?? 0) < 32 * 1024 * 1024, path)
  }
  t.is(clock.pending(), 0)
})

test('certificates that do not prove the host are TLS errors: unknown authority, other name, expired', async t => {
  const other = await makeCertificate(['receiver.example'], [])
  const expired = await makeCertificate(['localhost'], ['127.0.0.1'], new Date('2020-01-02T00:00:00Z'))
  const cases = [
    { served: certificate, trusted: undefined, error: 'TLS error: DEPTH_ZERO_SELF_SIGNED_CERT' },
    { served: other, trusted: other.cert, error: 'TLS error: ERR_TLS_CERT_ALTNAME_INVALID' },
    { served: expired, trusted: expired.cert, error: 'TLS error: CERT_HAS_EXPIRED' },
  ]
  for (const { served, trusted, error } of cases) {
    let requests = 0
    const receiver = await startReceiver((_request, response) => {
      requests += 1
      response.end()
    }, served)
    const guard = createGuard({ allow: ['127.0.0.1', 'localhost'], ...(trusted ? { ca: trusted } : {}) })
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `https://${host}:${receiver.port}/`
      t.like(await sendWebhook({ url, headers, body, guard, clock: turnedClock() }), { outcome: 'failed', error }, host)
    }
    t.is(requests, 0)
    await receiver.close()
  }
})

test('the name in the URL is what the certificate has to prove, also where it resolves to another place', async t => {
  const served = await makeCertificate(['receiver.example'], [])
  const names: unknown[] = []
  const receiver = await startReceiver((request, response) => {
    names.push('servername' in request.socket ? request.socket.servername : null)
    response.end()
  }, served)
  t.teardown(receiver.close)
  const guard = createGuard({
    allow: ['receiver.example', 'other.example'],
    ca: served.cert,
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const call = (host: string) =>
    sendWebhook({ url: `https://${host}:${receiver.port}/`, headers, body, guard, clock: turnedClock() })
  t.like(await call('receiver.example'), { outcome: 'delivered', status: 200 })
  t.like(await call('receiver.example.'), { outcome: 'delivered', status: 200 })
  t.like(await call('other.example'), { outcome: 'failed', error: 'TLS error: ERR_TLS_CERT_ALTNAME_INVALID' })
  t.deepEqual(names, ['receiver.example', 'receiver.example'])
})

test('a receiver that accepts and never completes a handshake is given up after three seconds', async t => {
  const clock = turnedClock()
  const held = new Set<Socket>()
  const silent = createTcp(socket => {
    held.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => clock.advance(defaultLimits.connect_ms))
  })
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const guard = createGuard({ allow: ['127.0.0.1'] })
  const outcome = await sendWebhook({ url: `https://127.0.0.1:${port}/`, headers, body, guard, clock })
  t.like(outcome, { outcome: 'failed', error: 'connect timed out', duration_ms: 3000, address: null })
  t.is(clock.pending(), 0)
  for (const socket of held) socket.destroy()
  silent.close()
})

test('a name service that never answers is given up after three seconds too', async t => {
  const clock = turnedClock()
  const guard = createGuard({ lookup: () => clock.advance(3000) })
  const outcome = await sendWebhook({ url: 'https://receiver.example/', headers, body, guard, clock })
  t.like(outcome, { outcome: 'failed', error: 'connect timed out' })
})

test('an address that may not be called, and a closed port, are failures with their reason', async t => {
  const clock = turnedClock()
  const { receiver } = await setUp(t, (_request, response) => response.end())
  const guard = createGuard({
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const call = (url: string, withGuard = guard) => sendWebhook({ url, headers, body, guard: withGuard, clock })
  t.is((await call(`https://receiver.example:${receiver.port}/`)).error, 'destination refused')
  const literal = 'destination refused: must not name a private, loopback or otherwise special address'
  t.is((await call(`https://127.0.0.1:${receiver.port}/`)).error, literal)
  t.is((await call('not a URL')).error, 'destination refused: must be an https URL')
  t.is(receiver.connections(), 0)
  const closed = await startReceiver(() => {}, certificate)
  await closed.close()
  t.is(
    (await call(`https://127.0.0.1:${closed.port}/`, createGuard({ allow: ['127.0.0.1'] }))).error,
    'connection refused',
  )
})

test('an attempt called off by this node ends at once', async t => {
  const stopping = new AbortController()
  const clock = turnedClock()
  const { receiver } = await setUp(t, () => stopping.abort())
  const guard = createGuard({ allow: ['127.0.0.1'], ca: certificate.cert })
  const attempt = { url: `https://127.0.0.1:${receiver.port}/`, headers, body, guard, clock, signal: stopping.signal }
  t.like(await sendWebhook(attempt), { outcome: 'failed', error: 'aborted', status: null })
  t.like(await sendWebhook(attempt), { outcome: 'failed', error: 'aborted' })
  t.is(receiver.connections(), 1)
  t.is(clock.pending(), 0)
})

test('headers that HTTP cannot carry are a fault of the program and are thrown', async t => {
  const { receiver } = await setUp(t, (_request, response) => response.end())
  const guard = createGuard({ allow: ['127.0.0.1'], ca: certificate.cert })
  const clock = turnedClock()
  const url = `https://127.0.0.1:${receiver.port}/`
  await t.throwsAsync(sendWebhook({ url, headers: { 'X-Bad': 'a\r\nX-Other: b' }, body, guard, clock }))
  t.is(clock.pending(), 0)
})
