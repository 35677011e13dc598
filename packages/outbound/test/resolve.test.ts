import type { LookupFunction } from 'node:net'
import test from 'ava'
import { queueLookups } from '../resolve.ts'

test('A name that hangs holds up one lookup of the system, and a call that waits behind it can be cancelled', async t => {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const hanging: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname)
    answers.push(() => callback(null, '127.0.0.1', 4))
  }
  const queued = queueLookups(hanging)
  const look = (hostname: string, signal = new AbortController().signal): Promise<string> =>
    new Promise((resolve, reject) =>
      queued(signal)(hostname, {}, (error, address) => (error === null ? resolve(String(address)) : reject(error))),
    )
  const leaving = new AbortController()
  const one = look('one')
  const two = look('two', leaving.signal)
  const three = look('three')
  t.deepEqual(asked, ['one'])
  leaving.abort()
  await t.throwsAsync(two, { code: 'ECANCELLED' })
  await t.throwsAsync(look('four', leaving.signal), { code: 'ECANCELLED' })
  answers[0]?.()
  t.is(await one, '127.0.0.1')
  t.deepEqual(asked, ['one', 'three'])
  answers[1]?.()
  t.is(await three, '127.0.0.1')
})
