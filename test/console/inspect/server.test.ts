import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import test from 'ava'
import type { InspectServer } from '../../../src/console/inspect/server.ts'
import { oneDialect } from '../../database.ts'
import { transactionEvents } from '../../machines/events.ts'
import { openInspector } from './rig.ts'

const [engine] = oneDialect
if (engine === undefined) throw new Error('no database')
const [start] = transactionEvents('a')
if (start === undefined) throw new Error('no event')

interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** As any program on the machine may call, with whatever headers it likes. */
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

const json = { 'Content-Type': 'application/json' }

function tokenOf(url: string) {
  return {
    origin: new URL(url).origin,
    body: JSON.stringify({ token: new URL(url).hash.slice(1) }),
  }
}

/** A page's way in: the session's header. */
async function enter(server: InspectServer) {
  const { origin, body } = tokenOf(server.newUrl('own'))
  const answer = await call(`${origin}/session`, { method: 'POST', headers: json, body })
  return { origin, Authorization: `Bearer ${JSON.parse(answer.body).session}` }
}

test('A token opens one session: the second who brings it is refused, and so is any other', async t => {
  const { server } = await openInspector(t, engine)
  const { origin, body } = tokenOf(server.newUrl('own'))
  const post = (sent: string) => call(`${origin}/session`, { method: 'POST', headers: json, body: sent })
  t.is((await post(body)).status, 200)
  const again = await post(body)
  t.deepEqual([again.status, again.body], [403, '{"error":"token: was used, or is not known"}'])
  for (const other of ['', '{', '{}', '[]', 'null', '{"token":7}', '{"token":""}', '{"token":"__proto__"}'])
    t.is((await post(other)).status, 403, other)
  t.is((await post(`{"token":"${'x'.repeat(2000)}"}`)).status, 413)
})

test('Without a session nothing of a transaction is shown', async t => {
  const rig = await openInspector(t, engine)
  const { origin, Authorization } = await enter(rig.server)
  for (const path of ['/steps', '/steps?for=stately', '/stately_url', '/nothing'])
    for (const headers of [{}, { Authorization: 'Bearer ' }, { Authorization: `${Authorization}x` }])
      t.is((await call(`${origin}${path}`, { headers })).status, 401, path)
  t.is((await call(`${origin}/nothing`, { headers: { Authorization } })).status, 404)
  t.is((await call(`${origin}/steps`, { method: 'POST', headers: { Authorization } })).status, 405)
  t.is((await call(origin, { path: '//[' })).status, 400)
})

test('Under another name, or from another page, the server answers nobody', async t => {
  const { server } = await openInspector(t, engine)
  const { origin, body } = tokenOf(server.newUrl('own'))
  const { port } = new URL(origin)
  for (const headers of [
    { Host: `evil.example:${port}` },
    { Host: `127.0.0.1:${Number(port) + 1}` },
    { Host: '127.0.0.1' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]) {
    t.is((await call(origin, { headers: { ...headers } })).status, 403)
    t.is((await call(`${origin}/session`, { method: 'POST', headers: { ...json, ...headers }, body })).status, 403)
  }
  // Another page could send a form or plain text unasked.
  t.is(
    (await call(`${origin}/session`, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })).status,
    415,
  )
  const mine = await call(`${origin}/session`, { method: 'POST', headers: { ...json, Origin: origin }, body })
  t.is(mine.status, 200, 'none of them used the token up')
  t.is((await call(`http://localhost:${port}/`)).status, 200)
})

test('Nobody on another machine reaches it', async t => {
  const { server } = await openInspector(t, engine)
  const port = Number(new URL(server.newUrl('own')).port)
    .toString(16)
    .toUpperCase()
    .padStart(4, '0')
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

test('The pages run and load nothing from elsewhere, but for the frame of Stately’s', async t => {
  const { server } = await openInspector(t, engine, { stately_url: 'https://stately.ai/inspect' })
  const { origin } = new URL(server.newUrl('own'))
  const policyOf = async (path: string) => String((await call(`${origin}${path}`)).headers['content-security-policy'])
  for (const path of ['/', '/stately', '/inspector.js', '/charts/transaction/1']) {
    const { status, headers, body } = await call(`${origin}${path}`)
    t.is(status, 200, path)
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['cache-control'], 'no-store')
    t.notRegex(body, /(src|href)="(https?:)?\/\//, path)
    t.notRegex(String(headers['content-security-policy']), /unsafe|\*|data:/)
  }
  t.regex(await policyOf('/'), /frame-src 'none'/)
  t.regex(await policyOf('/stately'), /frame-src https:\/\/stately\.ai$/)
})

test('History is shown as fast as was asked, and what comes after it at once', async t => {
  const rig = await openInspector(t, engine, { speed: 10 })
  const id = await rig.open()
  await rig.send(id, start, { type: 'CANCEL' })
  await rig.read()
  const { origin, Authorization } = await enter(rig.server)
  const answer = await fetch(`${origin}/steps?for=stately`, { headers: { Authorization } })
  const lines = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const events = async (count: number): Promise<readonly string[]> => {
    const seen: string[] = []
    while (seen.length < count) {
      const { value = '' } = (await lines?.read()) ?? {}
      for (const line of value.split('\n').filter(one => one !== ''))
        for (const { type, event } of JSON.parse(line)) if (type === '@xstate.event') seen.push(event.type)
    }
    return seen
  }
  t.deepEqual(await events(1), ['CREATE'], 'the first at once')
  await rig.inspectorClock.advance(99)
  await rig.inspectorClock.advance(1)
  t.deepEqual(await events(2), ['START', 'CREATE'], 'a second later, ten times as fast; its delivery with it')
  await rig.inspectorClock.advance(100)
  t.deepEqual(await events(2), ['CANCEL', 'CREATE'])
  await rig.open()
  await rig.read()
  t.deepEqual(await events(1), ['CREATE'])
  await lines?.cancel()
})

test('A server that stops sends the rest of the history at once, and then ends the stream', async t => {
  const rig = await openInspector(t, engine, { speed: 10 })
  const id = await rig.open()
  await rig.send(id, start, { type: 'CANCEL' })
  await rig.read()
  const { origin, Authorization } = await enter(rig.server)
  const answer = await fetch(`${origin}/steps?for=stately`, { headers: { Authorization } })
  const [body] = await Promise.all([answer.text(), rig.server.close()])
  for (const event of ['CREATE', 'START', 'CANCEL']) t.true(body.includes(`"type":"${event}"`), event)
})
