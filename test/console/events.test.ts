import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createWaitSignal } from '../../src/http/concurrency.ts'
import { oneDialect } from '../database.ts'
import { api, openOperated } from './service.ts'

/** Such as listeners that pile up on a response. */
const warnings: string[] = []
process.on('warning', warning => warnings.push(String(warning)))

interface Event {
  readonly event: string
  readonly id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

function parse(block: string): Event {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null
  return { event: field('event') ?? '', id: field('id'), data: JSON.parse(field('data') ?? '{}') }
}

/** Reads a stream of events, one at a time. */
async function openStream(url: string, headers: Record<string, string>) {
  const stopped = new AbortController()
  const answer = await fetch(url, { headers, signal: stopped.signal })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  const next = async (): Promise<Event | null> => {
    for (;;) {
      const end = held.indexOf('\n\n')
      if (end >= 0) {
        const block = held.slice(0, end)
        held = held.slice(end + 2)
        if (block.startsWith(':')) continue
        return parse(block)
      }
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done || value === undefined) return null
      held += value
    }
  }
  const until = async (fits: (event: Event) => boolean): Promise<Event> => {
    for (;;) {
      const event = await next()
      if (event === null) throw new Error('the stream has ended')
      if (fits(event)) return event
    }
  }
  return { answer, next, until, stop: () => stopped.abort() }
}

test('a call whose caller hung up before it began has waited long enough', async t => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const stopped = new AbortController()
  const call = fetch(`http://127.0.0.1:${port}`, { signal: stopped.signal })
  const [req, res] = await once(server, 'request')
  const before = createWaitSignal({ req, res } as never, new AbortController().signal)
  t.false(before.aborted)
  stopped.abort()
  await t.throwsAsync(call)
  await once(res, 'close')
  t.true(before.aborted)
  t.true(createWaitSignal({ req, res } as never, new AbortController().signal).aborted)
})

for (const engine of oneDialect)
  test(`On ${engine.name} steps are events as they are committed, resume where a page was, and end with the session`, async t => {
    const { rig, login } = await openOperated(engine)
    t.teardown(rig.close)
    // A stream that breaks off says no more than that.
    t.teardown(() => t.passed || t.log(rig.lines.filter(({ level }) => level === 'warn' || level === 'error')))
    const ada = await login('ada', 'viewer')
    const root = await login('root', 'admin')
    const before = await rig.open()
    const url = `${rig.node().url}${api}/events`
    const live = await openStream(url, ada.headers)
    t.is(live.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    t.is((await live.next())?.event, 'ready', 'no history')
    const { id, phone } = await rig.open({ reference: 'a secret' })
    const created = await live.until(({ data }) => data.id === id)
    t.like(created.data, { actor_type: 'transaction', sequence: 1, event: 'CREATE', status: 'CREATED', decision: null })
    await phone.start()
    const started = await live.until(({ data }) => data.id === id && data.event === 'START')
    t.true((started.data.states as string[]).includes('open.INITIATED'))
    t.false(JSON.stringify(started).includes('a secret'))
    await live.until(({ data }) => data.actor_type === 'delivery' && data.transaction_id === id)

    const resumed = await openStream(url, { ...ada.headers, 'Last-Event-ID': String(created.id) })
    await resumed.until(({ data }) => data.id === id && data.event === 'START')
    await resumed.until(({ event }) => event === 'ready')
    resumed.stop()
    const one = await openStream(`${url}?transaction_id=${before.id}&last_event_id=0`, ada.headers)
    await one.until(({ data }) => data.id === before.id && data.sequence === 1)
    one.stop()
    t.is((await fetch(`${url}?transaction_id=nonsense`, { headers: ada.headers })).status, 400)
    t.is((await fetch(url)).status, 401)

    const { session_id } = (await ada.call('GET', '/me')).body
    t.is((await root.call('POST', `/session/${session_id}/revoke`)).status, 204)
    const ended = live.until(({ event }) => event === 'ended')
    await rig.clock.advance(2500)
    t.deepEqual((await ended).data, { reason: 'session' })
    t.is(await live.next(), null)
    t.deepEqual(warnings, [])
  })
