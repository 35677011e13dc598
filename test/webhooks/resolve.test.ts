import type { LookupFunction } from 'node:net'
import test from 'ava'
import { limitLookups } from '../../src/webhooks/resolve.ts'

test('Names that hang hold up two lookups of the system, and a call that waits behind them can be cancelled', async t => {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const hanging: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname)
    answers.push(() => callback(null, '127.0.0.1', 4))
  }
  const limited = limitLookups(hanging, 2)
  const look = (hostname: string, signal = new AbortController().signal): Promise<string> =>
    new Promise((resolve, reject) =>
      limited(signal)(hostname, {}, (error, address) => (error === null ? resolve(String(address)) : reject(error))),
    )
  const leaving = new AbortController()
  const [one, two, three, four] = [look('one'), look('two'), look('three', leaving.signal), look('four')]
  t.deepEqual(asked, ['one', 'two'])
  leaving.abort()
  await t.throwsAsync(three, { code: 'ECANCELLED' })
  await t.throwsAsync(look('five', leaving.signal), { code: 'ECANCELLED' })
  answers[0]?.()
  t.is(await one, '127.0.0.1')
  t.deepEqual(asked, ['one', 'two', 'four'])
  answers[1]?.()
  answers[2]?.()
  t.deepEqual(await Promise.all([two, four]), ['127.0.0.1', '127.0.0.1'])
})
