import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import test from 'ava'
import { lookMs } from '../../../src/console/inspect/follow.ts'
import { sqlite } from '../../database.ts'
import { transactionEvents } from '../../machines/events.ts'
import { openInspector } from './rig.ts'
import { eventsFrom, messagesFrom } from './steps_from.ts'

const [start] = transactionEvents('a')
if (start === undefined) throw new Error('no event')

interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Calls as any program on the machine may, with any headers. */
async function call(
  url: string,
  { method = 'GET', path = new URL(url).pathname + new URL(url).search, headers = {}, body = '' }: Call = {},
) {
  const asked = request(url, { method, path, headers })
  asked.end(body)
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  asked.on('response', resolve).on('error', reject)
  const answer = await promise
  return { status: answer.statusCode, headers: answer.headers, body: await readText(answer) }
}

test('An address is good for one stream of messages; without it, and again, nothing of a transaction is sent', async t => {
  const { server, open } = await openInspector(t, sqlite)
  const id = await open()
  const { origin, hash } = new URL(server.url)
  const steps = `${origin}/steps`
  for (const token of ['', 'x', `${hash.slice(1)}x`])
    t.is((await call(steps, { headers: { Authorization: `Bearer ${token}` } })).status, 401, token)
  t.is((await call(steps)).status, 401)
  t.is((await call(`${origin}/nothing`)).status, 404)
  t.is((await call(origin, { path: '//[' })).status, 404)
  t.is((await call(steps, { method: 'POST' })).status, 405)
  const messages = messagesFrom(server.url)
  t.is((await messages.next()).value.sessionId, id)
  t.is((await call(steps, { headers: { Authorization: `Bearer ${hash.slice(1)}` } })).status, 401)
  await messages.return(undefined)
})

test('The server answers no call under another name, or from another page', async t => {
  const { server } = await openInspector(t, sqlite)
  const { origin, port, hash } = new URL(server.url)
  for (const headers of [
    { Host: `evil.example:${port}` },
    { Host: `127.0.0.1:${Number(port) + 1}` },
    { Host: '127.0.0.1' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]) {
    t.is((await call(origin, { headers: { ...headers } })).status, 403)
    const Authorization = `Bearer ${hash.slice(1)}`
    t.is((await call(`${origin}/steps`, { headers: { ...headers, Authorization } })).status, 403)
  }
  t.is((await call(`http://localhost:${port}/`)).status, 200)
  const mine = await fetch(`${origin}/steps`, { headers: { Authorization: `Bearer ${hash.slice(1)}` } })
  t.is(mine.status, 200, 'none of them used the token up')
  await mine.body?.cancel()
})

test('The server can’t be reached from another machine', async t => {
  const { server } = await openInspector(t, sqlite)
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, '0')
  // proc(5): address and port in hexadecimal, and 0A for one that listens.
  const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => state === '0A' && local.endsWith(`:${port}`)),
  )
  t.deepEqual(
    listening.map(([, local]) => local),
    [`0100007F:${port}`],
  )
})

test('The page runs and loads nothing from elsewhere, but for the frame of Stately’s', async t => {
  const { server } = await openInspector(t, sqlite, { stately_url: 'https://stately.ai/inspect?a="&b=$&' })
  const { origin } = new URL(server.url)
  for (const path of ['/', '/stately.ts', '/stately.css']) {
    const { status, headers, body } = await call(`${origin}${path}`)
    t.is(status, 200, path)
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['cache-control'], 'no-store')
    t.notRegex(body, /(src|href)="(https?:)?\/\//, path)
    const policy = String(headers['content-security-policy'])
    t.notRegex(policy, /unsafe|\*|data:/)
    t.regex(policy, /^default-src 'none'; .*; frame-src https:\/\/stately\.ai$/)
  }
  t.true((await call(origin)).body.includes('data-url="https://stately.ai/inspect?a=%22&b=$&"'))
})

test('History is shown as fast as was asked, and what comes after it at once', async t => {
  const rig = await openInspector(t, sqlite, { speed: 10 })
  const id = await rig.open()
  await rig.send(id, start, { type: 'CANCEL' })
  const seen = eventsFrom(rig.server.url)
  const events = async (count: number): Promise<readonly string[]> => {
    const names: string[] = []
    while (names.length < count) names.push((await seen.next()).value?.[1] ?? '')
    return names
  }
  t.deepEqual(await events(1), ['CREATE'], 'the first at once')
  await rig.inspectorClock.advance(99)
  await rig.inspectorClock.advance(1)
  t.deepEqual(await events(2), ['START', 'CREATE'], 'a second later, ten times as fast; its delivery with it')
  await rig.inspectorClock.advance(100)
  t.deepEqual(await events(2), ['CANCEL', 'CREATE'])
  await rig.open()
  await rig.inspectorClock.advance(lookMs)
  t.deepEqual(await events(1), ['CREATE'])
  await seen.return(undefined)
})

test('A server that stops sends the rest of the history at once, and then ends the stream', async t => {
  const rig = await openInspector(t, sqlite, { speed: 10 })
  const id = await rig.open()
  await rig.send(id, start, { type: 'CANCEL' })
  const seen = eventsFrom(rig.server.url)
  const events = [(await seen.next()).value?.[1]]
  const closed = rig.server.close()
  for await (const [, event] of seen) events.push(event)
  await closed
  for (const event of ['CREATE', 'START', 'CANCEL']) t.true(events.includes(event), event)
})
