import test from 'ava'
import { nextTurn } from '../../../../src/base/bytes.ts'
import { systemClock } from '../../../../src/base/clock.ts'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect } from '../../../../test/database.ts'
import { agreeOnOffset, correctOffset, followDatabaseClock } from '../../store/database_clock.ts'
import type { HostTime } from '../../store/host_time.ts'
import { openStore } from '../../store/source.ts'

function fail(error: Error): never {
  throw error
}

test('an answer corrects what it proves wrong, and nothing else', t => {
  const offset = 1_000_000
  const at = { sent: 500, received: 800 }
  t.is(correctOffset(offset, { ...at, time: offset + 600 }), offset, 'within the time that it was on its way')
  t.is(correctOffset(offset, { ...at, time: offset + 900 }), offset + 100, 'it was behind')
  t.is(correctOffset(offset, { ...at, time: offset + 100 }), offset - 400, 'it was ahead')
})

/** Returns the times of hosts whose clocks differ so much from an offset of 0. */
function timesOf(...aheadMs: readonly number[]): readonly HostTime[] {
  return aheadMs.map((ahead, n) => ({ host: `db${n}:3306`, sent: 500, received: 500, time: 500 + ahead }))
}

test('a host whose clock is wrong moves nobody’s time while most are right, or one agrees with the time until now', t => {
  const wrong = 180_000
  t.is(agreeOnOffset(0, timesOf(40)), 40, 'a single host is followed')
  t.is(agreeOnOffset(0, timesOf(wrong, 0, 0)), 0)
  t.is(agreeOnOffset(0, timesOf(0, -wrong, 10)), 0)
  t.is(agreeOnOffset(wrong, timesOf(0, 10, wrong)), 10, 'the own clock was wrong, too')
  t.is(agreeOnOffset(0, timesOf(wrong, 0)), 0)
  t.is(agreeOnOffset(0, timesOf(-wrong, 0)), 0)
  t.is(agreeOnOffset(-wrong, timesOf(5, 10)), 5)
  t.is(agreeOnOffset(wrong, timesOf(5, 10)), 10)
  t.is(agreeOnOffset(7, []), 7)
})

test('a host that is wrong is named once, and again after it was right', async t => {
  const own = manualClock()
  const epoch = own.now() - own.monotonic()
  let ahead: readonly number[] = [0, 0, 0]
  const readTimes = async (monotonic: () => number): Promise<readonly HostTime[]> =>
    timesOf(...ahead).map(one => {
      const at = monotonic()
      return { ...one, sent: at, received: at, time: at + epoch + one.time - one.sent }
    })
  const errors: string[] = []
  const followed = await followDatabaseClock({ hostName: () => 'db0:3306', readTimes }, own, ({ message }) =>
    errors.push(message),
  )
  const look = async (...next: readonly number[]): Promise<readonly string[]> => {
    ahead = next
    await own.advance(5_000)
    await nextTurn()
    return errors.splice(0)
  }
  t.deepEqual(await look(180_000, 0, 0), ['the time of db0:3306 differs by 180000 ms'])
  t.deepEqual(await look(180_000, 0, 0), [])
  t.is(followed.clock.now(), own.now())
  t.deepEqual(await look(0, 0, 0), [])
  t.deepEqual(await look(0, 0, -60_000), ['the time of db2:3306 differs by -60000 ms'])
  t.deepEqual(await look(-60_000, 0, -60_000), [
    'the time of db1:3306 differs by 60000 ms',
    "the database's time jumped by -60000 ms",
  ])
  await followed.stop()
})

for (const engine of eachDialect)
  test(`On ${engine.name} two nodes whose clocks differ by minutes agree about the time where they share a server`, async t => {
    const { address, drop } = await engine.fresh()
    const store = await openStore(address, 2)
    const differenceMs = 180_000
    const behind = { ...systemClock, now: () => systemClock.now() - differenceMs }
    const one = await followDatabaseClock(store, systemClock, fail)
    const two = await followDatabaseClock(store, behind, fail)
    const difference = one.clock.now() - two.clock.now()
    // A file has no clock. In other databases the times differ by as long as the answers took.
    const expected = address.dialect === 'sqlite' ? differenceMs : 0
    t.true(Math.abs(difference - expected) < 60_000, `${difference} ms`)
    await Promise.all([one.stop(), two.stop()])
    await store.close()
    await drop()
  })

for (const engine of eachDialect.filter(({ name }) => name !== 'SQLite'))
  test(`On ${engine.name} setting a clock changes nothing, and one that runs wrong is corrected by the next look, which reports it`, async t => {
    const { address, drop } = await engine.fresh()
    const store = await openStore(address, 2)
    const looked = Promise.withResolvers<Error>()
    const own = manualClock()
    const followed = await followDatabaseClock(store, own, looked.resolve)
    t.teardown(async () => {
      await followed.stop()
      await store.close()
      await drop()
    })
    const before = followed.clock.now()
    own.set(180_000)
    t.is(followed.clock.now(), before)
    const from = Date.now()
    await own.advance(5_000)
    const { message } = await looked.promise
    t.true(followed.clock.now() >= from - 1 && followed.clock.now() <= Date.now())
    const [, jump] = /^the database's time jumped by (-\d+) ms$/.exec(message) ?? []
    // The server's time went on meanwhile.
    t.true(Number(jump) >= -5_000 && Number(jump) < -1_000, message)
  })
