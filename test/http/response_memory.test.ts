import { connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { createResponseMemory } from '../../src/http/response_memory.ts'
import { poll } from '../awaited.ts'
import { manualClock } from '../clock.ts'
import { sqlite } from '../database.ts'
import { kyc, openTransaction, registerCustomer, sdk } from '../service/client.ts'
import { type Door, openTestDoor } from './door.ts'

const megabyte = 1_000_000
/** Size of an image, larger than the system's buffer of an answer that nobody reads yet. */
const imageBytes = 10 * megabyte
const busy = { error: 'too many answers are on their way' }

/** Bytes after a JPEG's end are no part of the picture. */
async function image(): Promise<Buffer> {
  const jpeg = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  return Buffer.concat([jpeg, Buffer.alloc(imageBytes - jpeg.length)])
}

/** A door with answers of at most so many bytes on their way, whose clock the test turns. */
async function doorOf(t: ExecutionContext, max_bytes: number): Promise<Door> {
  const clock = manualClock()
  const imageLimits = { max_bytes: imageBytes, max_megapixels: 10 }
  const door = await openTestDoor(t, sqlite, {
    imageLimits,
    clock,
    responseMemory: createResponseMemory(clock, max_bytes),
  })
  return { ...door, clock }
}

/** The path of a link to a large image of an account's. */
async function linkOf({ call }: Door, token: string): Promise<string> {
  const { transaction_id, sdk_token } = await openTransaction(call, token)
  const device = { token: sdk_token }
  await call('POST', `${sdk}/start`, { ...device, json: { consent: true } })
  const upload = await call('PUT', `${sdk}/selfie`, { ...device, raw: await image(), type: 'image/jpeg' })
  if (upload.status !== 200) throw new Error(upload.text)
  const captures = `${kyc}/transaction/${transaction_id}/captures`
  const [capture] = (await call('GET', captures, { token })).body.data as { id: string }[]
  const link = await call('POST', `${captures}/${capture?.id}/link`, { token })
  return new URL(String(link.body.url)).pathname
}

/** A connection that asks for these and reads nothing. */
function unread(t: ExecutionContext, { url }: Door, paths: readonly string[]): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  socket.write(paths.map(path => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  return socket
}

function answered({ lines }: Door, route: string): number {
  return lines.filter(line => line.message === 'call' && String(line.route).endsWith(route)).length
}

test('Calls that a connection sends ahead are done when the answer before them is read, and then in order', async t => {
  const door = await doorOf(t, 100 * megabyte)
  const link = await linkOf(door, door.token)
  const socket = unread(t, door, [link, '/healthz', link, '/healthz'])
  await poll(() => answered(door, '/capture/:link') === 1)
  for (let n = 0; n < 5; n++) t.is((await door.call('GET', '/healthz')).status, 200)
  t.is(answered(door, '/healthz'), 5, 'only those of others')
  t.is(answered(door, '/capture/:link'), 1)
  let read = 0
  let healthy = 0
  socket.on('data', chunk => {
    read += chunk.length
    healthy += chunk.toString('latin1').split('{"status":"alive"}').length - 1
  })
  socket.resume()
  await poll(() => read > 2 * imageBytes && healthy === 2)
  t.is(answered(door, '/capture/:link'), 2)
})

test('Answers that nobody reads take a bounded memory, of one account the half, and no other account waits for them', async t => {
  const door = await doorOf(t, 50 * megabyte)
  const { token } = await door.newAccount()
  const link = await linkOf(door, door.token)
  const other = await linkOf(door, token)
  const socket = unread(t, door, [link])
  await poll(() => answered(door, '/capture/:link') === 1)
  const refused = await door.call('GET', link)
  t.deepEqual([refused.status, refused.body], [503, busy])
  t.is(refused.headers.get('x-error-code'), 'unavailable')
  t.truthy(refused.headers.get('retry-after'))
  t.is((await door.call('GET', other)).status, 200)
  t.is((await door.call('GET', `${kyc}/transaction`, { token: door.token })).status, 200, 'what is small goes on')
  socket.destroy()
  await poll(() => door.lines.some(({ message }) => message === 'a connection broke'))
  t.is((await door.call('GET', link)).status, 200, 'and what was held is given back')
})

test('A client that does not read an answer in two minutes is cut off', async t => {
  const door = await doorOf(t, 50 * megabyte)
  const link = await linkOf(door, door.token)
  const socket = unread(t, door, [link])
  const closed = new Promise(resolve => socket.once('close', resolve))
  await poll(() => answered(door, '/capture/:link') === 1)
  await door.clock.advance(119_999)
  t.is((await door.call('GET', link)).status, 503)
  await door.clock.advance(1)
  // A connection that is resumed too early would be read to its end, and kept.
  socket.resume()
  await closed
  t.is((await door.call('GET', link)).status, 200)
})

test('A long list and an export count as what they are; what is shared, and what is small, does not', async t => {
  const door = await doorOf(t, 10_000)
  const { token } = door
  const customer_id = await registerCustomer(door.call, token)
  const ids: string[] = []
  for (let n = 0; n < 60; n++) ids.push((await openTransaction(door.call, token, { customer_id })).transaction_id)
  const list = (limit: number) => door.call('GET', `${kyc}/transaction?limit=${limit}`, { token })
  const refused = await list(60)
  t.deepEqual([refused.status, refused.body], [503, busy])
  t.is((await list(10)).status, 200)
  for (const path of ['/docs', '/openapi.json']) t.is((await door.call('GET', path)).status, 200)
  await door.service.store.commit(function* () {
    const entry = (sequence: number) =>
      `SELECT '${ids[0]}', ${sequence}, account_id, actor_type, event, status, occurred_at, chart_version, hash FROM journal WHERE actor_id = '${ids[0]}' AND sequence = 1`
    const columns = 'actor_id, sequence, account_id, actor_type, event, status, occurred_at, chart_version, hash'
    for (let n = 2; n < 60; n++) yield [{ sql: `INSERT INTO journal (${columns}) ${entry(n)}`, values: [] }]
  })
  const of = (id: unknown) => door.call('GET', `${kyc}/transaction/${id}/evidence`, { token })
  t.is((await of(ids[0])).status, 503)
  t.is((await of(ids[1])).status, 200)
})
