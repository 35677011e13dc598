import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { makeCertificate, startReceiver, turnedClock } from '../../../test/webhooks/receiver.ts'
import { createConnectionPool } from '../connections.ts'
import { createGuard } from '../guard.ts'
import { defaultLimits, sendWebhook } from '../send.ts'

const certificate = await makeCertificate(['localhost'], ['127.0.0.1'])
const message = { headers: { 'Content-Type': 'application/json' }, body: '{}' }

/** A receiver over TLS on loopback, and deliveries that share connections: those of each `owner` their own. */
async function setUp(t: ExecutionContext, handler: RequestListener) {
  const receiver = await startReceiver(handler, certificate)
  t.teardown(receiver.close)
  const clock = turnedClock()
  const guard = createGuard({ allow: [`127.0.0.1:${receiver.port}`], ca: certificate.cert })
  const connections = createConnectionPool(clock)
  const url = `https://127.0.0.1:${receiver.port}`
  const send = (path = '/', owner = 'one') =>
    sendWebhook({ url: `${url}${path}`, ...message, guard, clock, pool: { connections, owner } })
  return { receiver, clock, send }
}

test('a connection whose answer came whole serves the next delivery of its account, for two seconds and a hundred times', async t => {
  const { receiver, clock, send } = await setUp(t, (request, response) => {
    t.is(request.headers.connection, 'keep-alive')
    response.end(Buffer.alloc(16_000))
  })
  const delivered = { outcome: 'delivered', status: 200, address: '127.0.0.1' }
  for (let sent = 0; sent < 100; sent++) t.like(await send(`/${sent}`), delivered, `what is read is bounded for each`)
  t.is(receiver.connections(), 1)
  t.like(await send(), delivered)
  t.is(receiver.connections(), 2, 'now and then the name is looked up again')
  t.like(await send('/', 'other'), delivered)
  t.is(receiver.connections(), 3, 'an account has its own')
  t.is((await Promise.all([send(), send()])).length, 2)
  t.is(receiver.connections(), 4, 'one serves one at a time')
  clock.advance(2000)
  t.like(await send(), delivered)
  t.is(receiver.connections(), 5)
  clock.advance(2000)
  t.is(clock.pending(), 0)
})

test('a connection serves no other delivery after a failure, an answer that was cut off, or the wish to be closed', async t => {
  const { receiver, clock, send } = await setUp(t, (request, response) => {
    const status = Number(request.url?.slice(1))
    if (status === 201) return void response.writeHead(201).end(Buffer.alloc(17_000))
    response.writeHead(status, status === 202 ? { Connection: 'close' } : {}).end('said')
  })
  const statuses = [500, 410, 302, 429, 201, 202]
  for (const status of statuses) t.is((await send(`/${status}`)).status, status)
  t.is(receiver.connections(), statuses.length)
  t.is(clock.pending(), 0)
})

test('a connection that its receiver has closed meanwhile, or closes instead of answering, is opened again', async t => {
  const asked: string[] = []
  const { receiver, clock, send } = await setUp(t, ({ url = '', socket }, response) => {
    asked.push(url)
    if (asked.filter(one => one === url).length === 1 && url === '/breaks') return void socket.destroy()
    response.end()
    if (url === '/closes') response.once('close', () => socket.end())
  })
  t.like(await send('/closes'), { outcome: 'delivered' })
  t.like(await send('/first'), { outcome: 'delivered' })
  const dialled = receiver.connections()
  t.like(await send('/breaks'), { outcome: 'delivered' }, 'it says nothing of the receiver')
  t.is(receiver.connections(), dialled + 1)
  t.deepEqual(asked, ['/closes', '/first', '/breaks', '/breaks'])
  asked.length = 0
  t.like(await send('/breaks'), { outcome: 'failed', error: 'connection broken' }, 'over a new one it does')
  clock.advance(2000)
  t.is(clock.pending(), 0)
})

test('over an open connection a receiver has the whole ten seconds, and no more', async t => {
  let turn = (): void => {}
  const { receiver, clock, send } = await setUp(t, (request, response) => {
    if (request.url === '/first') return void response.end()
    turn()
  })
  t.like(await send('/first'), { outcome: 'delivered' })
  turn = () => {
    clock.advance(defaultLimits.connect_ms)
    setImmediate(() => clock.advance(defaultLimits.total_ms - defaultLimits.connect_ms))
  }
  t.like(await send('/silent'), { outcome: 'failed', error: 'timed out', duration_ms: 10_000, address: '127.0.0.1' })
  t.is(receiver.connections(), 1)
})
