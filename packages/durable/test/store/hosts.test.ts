import { EventEmitter, once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { insert } from '../../../../src/database/schema.ts'
import { type ManualClock, manualClock } from '../../../../test/clock.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { findHostFault } from '../../store/host_health.ts'
import type { HostChange } from '../../store/hosts.ts'
import { openMysql } from '../../store/mysql.ts'
import { nameHost } from '../../store/mysql_address.ts'
import { run, type Statement, type Unit } from '../../store/statement.ts'
import { type Loss, openRelay } from './relay.ts'

function fact(name: string): Statement {
  return insert('facts', { name, value: '' })
}

const selectNames: Statement = { sql: 'SELECT name FROM facts ORDER BY name', values: [] }

test('A member that is read-only, alone, joining or behind is not used; one that is none is judged by what it has', t => {
  const member = { wsrep_on: 'ON', wsrep_ready: 'ON', wsrep_cluster_status: 'Primary', wsrep_local_state: '4' }
  const faultOf = (report: Readonly<Record<string, string>>) => findHostFault(new Map(Object.entries(report)))
  t.is(faultOf({ ...member, read_only: 'OFF' }), null)
  t.is(faultOf({ read_only: 'OFF', wsrep_on: 'OFF' }), null)
  t.is(faultOf({ ...member, read_only: 'ON' }), 'it is read-only')
  t.is(faultOf({ read_only: 'OFF', super_read_only: 'ON' }), 'it is read-only')
  t.is(faultOf({ ...member, wsrep_cluster_status: 'non-Primary' }), 'it is not with the majority')
  t.is(faultOf({ ...member, wsrep_ready: 'OFF' }), 'it is not ready')
  t.is(faultOf({ ...member, wsrep_local_state: '2' }), 'it is not in sync')
})

/** Interval at which the store checks each host. */
const lookMs = 1000

/** Creates a clock that shows for how many hosts the next check is awaited. */
function createLookClock() {
  const clock = manualClock()
  const changed = new EventEmitter()
  let waiting = 0
  const wait = (more: number): void => {
    waiting += more
    changed.emit('waiting')
  }
  const setTimer: ManualClock['setTimer'] = (ms, fire) => {
    if (ms !== lookMs) return clock.setTimer(ms, fire)
    wait(1)
    return clock.setTimer(ms, () => {
      wait(-1)
      fire()
    })
  }
  const idle = async (hosts: number): Promise<void> => {
    while (waiting !== hosts) await once(changed, 'waiting')
  }
  return { clock: { ...clock, setTimer }, idle }
}

/** Two hosts, both of them ways to the same server. */
async function openHosts(t: ExecutionContext, engine: TestEngine) {
  const { address, drop } = await engine.fresh()
  if (address.dialect !== 'mysql') throw new Error('not a server')
  const one = await openRelay(address)
  const two = await openRelay(address)
  const { clock, idle } = createLookClock()
  const changes: HostChange[] = []
  const store = openMysql({ ...address, ...one, standbys: [two] }, 4, {
    patience: { clock, limitMs: 240_000 },
    onHostChange: change => void changes.push(change),
  })
  t.teardown(async () => {
    await store.close()
    for (const relay of [one, two]) relay.close()
    await drop()
  })
  const names = async () => (await store.read(selectNames)).map(({ name }) => name)
  return { store, one, two, clock, idle, changes, names }
}

for (const engine of eachDialect.filter(({ name }) => name === 'MariaDB')) {
  const on = `On ${engine.name}: `

  test(`${on}a host that refuses is left at once, and used again when it was well for a while`, async t => {
    const { store, one, two, clock, idle, changes, names } = await openHosts(t, engine)
    await store.commit(() => run(fact('a')))
    t.is(store.hostName(), nameHost(one))
    t.is(two.writes(), 0, 'one host has all writes')
    one.cut()
    await store.commit(() => run(fact('b')))
    t.deepEqual(await names(), ['a', 'b'])
    t.is(store.hostName(), nameHost(two))
    one.repair()
    let looks = 0
    for (; store.hostName() === nameHost(two) && looks < 100; looks++) {
      await idle(2)
      await clock.advance(lookMs)
      await idle(2)
    }
    t.is(looks, 30)
    t.deepEqual(
      changes.map(({ from, to }) => [from, to]),
      [
        [nameHost(one), nameHost(two)],
        [nameHost(two), nameHost(one)],
      ],
    )
    const before = two.writes()
    const after = one.writes()
    await store.commit(() => run(fact('c')))
    t.deepEqual([two.writes(), one.writes() > after], [before, true])
  })

  test(`${on}each host that can be used is asked for its time, and one that is left is not`, async t => {
    const { store, one, two, idle } = await openHosts(t, engine)
    const ask = async (): Promise<readonly string[]> => {
      const times = await store.readTimes(() => performance.now())
      for (const { time, sent, received } of times) {
        t.true(Math.abs(time - Date.now()) < 60_000, `${time}`)
        t.true(received >= sent)
      }
      return times.map(({ host }) => host)
    }
    t.deepEqual(await ask(), [nameHost(one), nameHost(two)])
    one.cut()
    await store.commit(() => run(fact('a')))
    t.deepEqual(await ask(), [nameHost(two)])
    await idle(2)
    two.cut()
    await t.throwsAsync(ask(), { message: /no host of the database answers/ })
  })

  test(`${on}a host that hangs is left after one look, with everything that waits for it`, async t => {
    const { store, one, two, clock, idle, names } = await openHosts(t, engine)
    await store.commit(() => run(fact('a')))
    one.hang()
    const asked = [names(), store.commit(() => run(fact('b')))] as const
    await idle(2)
    await clock.advance(lookMs)
    await idle(1)
    t.is(store.hostName(), nameHost(one), 'it may answer yet')
    await clock.advance(2 * lookMs)
    await Promise.all(asked)
    t.is(store.hostName(), nameHost(two))
    t.deepEqual(await names(), ['a', 'b'])
  })

  for (const [loss, said, runs] of [
    ['answer', 'whose answer is lost is not run again', 1],
    ['commit', 'that was lost itself is run again', 2],
  ] as const satisfies readonly (readonly [Loss, string, number])[])
    test(`${on}a COMMIT ${said}`, async t => {
      const { store, one, names } = await openHosts(t, engine)
      const made: string[] = []
      const unit = function* (): Unit<string> {
        const name = `run ${made.push('')}`
        yield* run(fact(name))
        return name
      }
      await names()
      one.lose(loss)
      t.is(await store.commit(unit), `run ${runs}`)
      t.deepEqual(await names(), [`run ${runs}`])
      t.is(made.length, runs)
    })

  test(`${on}units that follow each other share a fence, and one that is gone is made again`, async t => {
    const { store } = await openHosts(t, engine)
    const fences = async () => (await store.read({ sql: 'SELECT id, token FROM commit_fences', values: [] })).length
    for (const name of ['a', 'b', 'c']) await store.commit(() => run(fact(name)))
    t.is(await fences(), 1)
    await store.commit(() => run({ sql: "UPDATE facts SET value = 'x' WHERE name = 'none'", values: [] }))
    const together = ['d', 'e', 'f', 'g'].map(name => store.commit(() => run(fact(name))))
    await Promise.all(together)
    t.true((await fences()) <= 5)
    await store.commit(() => run({ sql: 'DELETE FROM commit_fences', values: [] })).catch(() => {})
    await store.commit(() => run(fact('h')))
    t.is((await store.read(selectNames)).length, 8)
  })
}
