import test from 'ava'
import { createStreamLimit } from '../../src/console/stream_limit.ts'
import { sqlite } from '../database.ts'
import { api, openConsole } from './rig.ts'

test('streams of events are bounded for a session and for a node, and are given back once', t => {
  const counts: number[] = []
  const { take } = createStreamLimit(open => counts.push(open))
  const own = Array.from({ length: 8 }, () => take('one'))
  const refused = t.throws(() => take('one'), { message: 'events: at most 8 streams of one session' })
  t.like(refused, { code: 'rate_limited', status: 429, headers: { 'Retry-After': '5' } })
  own[0]?.()
  own[0]?.()
  t.is(counts.at(-1), 7)
  take('one')
  for (let n = 0; n < 248; n++) take(`other ${n}`)
  t.like(
    t.throws(() => take('another')),
    { code: 'unavailable', status: 503, message: 'events: at most 256 streams of one node' },
  )
  own[1]?.()
  t.notThrows(() => take('another'))
})

test('a session’s ninth stream is refused until another one ends', async t => {
  const { door, headersOf } = await openConsole(sqlite)
  t.teardown(door.close)
  const open = async () => {
    const stopped = new AbortController()
    const headers = headersOf.viewer
    const { status, body } = await fetch(`${door.url}${api}/events`, { headers, signal: stopped.signal })
    const reader = body?.getReader()
    // Its first bytes: the stream is open.
    const { value } = (await reader?.read()) ?? {}
    return { status, text: new TextDecoder().decode(value), stop: () => stopped.abort() }
  }
  const streams = await Promise.all(Array.from({ length: 8 }, open))
  t.deepEqual([...new Set(streams.map(({ status }) => status))], [200])
  const refused = await open()
  t.deepEqual([refused.status, refused.text], [429, '{"error":"events: at most 8 streams of one session"}'])
  for (const { stop } of streams) stop()
  for (let status = 429; status !== 200; ) {
    const again = await open()
    again.stop()
    status = again.status
  }
  t.pass()
})
