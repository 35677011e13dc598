import test, { type ExecutionContext } from 'ava'
import { newId } from '../../../../src/base/ids.ts'
import { insert } from '../../../../src/database/schema.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { type LanePage, maxLanesPerRead, readLanes } from '../../store/lanes.ts'
import {
  claimJobs,
  claimPostponed,
  findFirstReady,
  postponeJob,
  readReadyJobs,
  releaseLease,
  renewLeases,
  type ScheduledJob,
} from '../../store/scheduled_jobs.ts'
import { openStore } from '../../store/source.ts'
import { type Row, runAll, type Unit } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'

const leaseMs = 1000

/** Opens `count` nodes on one database. */
async function openNodes(t: ExecutionContext, engine: TestEngine, count: number): Promise<readonly Store[]> {
  const database = await engine.fresh()
  const nodes = await Promise.all(Array.from({ length: count }, () => openStore(database.address, 4)))
  t.teardown(async () => {
    for (const node of nodes) await node.close()
    await database.drop()
  })
  return nodes
}

async function add(
  store: Store,
  queue: string,
  ready: readonly number[],
  laneOf: (index: number) => string = () => '',
): Promise<readonly string[]> {
  const ids = ready.map(() => newId())
  const rows = ready.map((ready_at, index) =>
    insert('scheduled_jobs', {
      id: ids[index] ?? '',
      account_id: newId(),
      queue,
      actor_type: 'transaction',
      actor_id: newId(),
      name: 'analysis',
      payload: '{"attempt":1}',
      ready_at,
      lease: null,
      claims: 0,
      lane: laneOf(index),
    }),
  )
  await store.commit(() => runAll(rows) as Unit<unknown>)
  return ids
}

function all(store: Store): Promise<readonly Row[]> {
  return store.read({ sql: 'SELECT id, ready_at, lease, claims FROM scheduled_jobs ORDER BY ready_at, id', values: [] })
}

function idsOf(rows: readonly ScheduledJob[]): readonly string[] {
  return rows.map(({ id }) => id)
}

async function readyOf(store: Store, ...queues: string[]): Promise<Record<string, number>> {
  return Object.fromEntries((await findFirstReady(store, { queues, laned: [], tables: [] })).ready_at)
}

for (const engine of eachDialect) {
  const node = async (t: ExecutionContext): Promise<Store> => {
    const [store] = await openNodes(t, engine, 1)
    if (store === undefined) throw new Error('no node')
    return store
  }

  test(`On ${engine.name} several nodes that claim at once never get the same row, and together get all`, async t => {
    const nodes = await openNodes(t, engine, 3)
    const [one] = nodes
    if (one === undefined) return t.fail()
    const ids = await add(
      one,
      'analysis',
      Array.from({ length: 100 }, (_, index) => index),
    )
    const claimed: ScheduledJob[] = []
    const drain = async (store: Store): Promise<void> => {
      const remain = async (): Promise<boolean> => (await readReadyJobs(store, 'analysis', 200, 1)).length > 0
      while (await remain())
        claimed.push(...(await claimJobs(store, 'analysis', [{ lane: '', limit: 7 }], { now: 200, leaseMs })))
    }
    await Promise.all([...nodes, ...nodes].map(drain))
    t.deepEqual([...idsOf(claimed)].sort(), [...ids].sort())
    t.true(claimed.every(({ claims, lease }) => claims === 1 && lease !== null))
    const rows = new Map((await all(one)).map(row => [row.id, row]))
    for (const { id, lease } of claimed)
      t.deepEqual({ ...rows.get(id) }, { id, lease, ready_at: 200 + leaseMs, claims: 1 })
  })

  test(`On ${engine.name} the longest-waiting ready rows of the queue are claimed first`, async t => {
    const store = await node(t)
    const ids = await add(store, 'analysis', [50, 10, 30, 20, 40, 60])
    await add(store, 'attempt', [1, 2, 3])
    const inOrder = [1, 3, 2, 4, 0].map(index => ids[index] ?? '')
    t.deepEqual(
      idsOf(await claimJobs(store, 'analysis', [{ lane: '', limit: 2 }], { now: 50, leaseMs })),
      inOrder.slice(0, 2),
    )
    t.deepEqual(idsOf(await readReadyJobs(store, 'analysis', 50, 10)), inOrder.slice(2))
    const rest = await claimJobs(store, 'analysis', [{ lane: '', limit: 10 }], { now: 50, leaseMs })
    t.deepEqual(idsOf(rest), inOrder.slice(2), 'what is ready now is ready, what is ready later is not')
    t.deepEqual(await claimJobs(store, 'analysis', [{ lane: '', limit: 10 }], { now: 50, leaseMs }), [])
    t.like(rest[0], { queue: 'analysis', actor_type: 'transaction', name: 'analysis', payload: { attempt: 1 } })
  })

  test(`On ${engine.name} a row whose lease has run out is claimed again, under another lease`, async t => {
    const store = await node(t)
    const [id] = await add(store, 'analysis', [0])
    const [first] = await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: 0, leaseMs })
    t.deepEqual(await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: leaseMs - 1, leaseMs }), [])
    const [second] = await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: leaseMs, leaseMs })
    t.like(second, { id, claims: 2 })
    t.not(second?.lease, first?.lease)
    if (first === undefined || second === undefined) return t.fail()
    t.deepEqual(await renewLeases(store, [first], 9000), new Set(), 'the first holder learns that it lost it')
    await releaseLease(store, first, 0)
    t.deepEqual(
      (await all(store)).map(row => ({ ...row })),
      [{ id: id ?? '', ready_at: 2 * leaseMs, lease: second.lease, claims: 2 }],
    )
  })

  test(`On ${engine.name} a lease is renewed while its row is there and held`, async t => {
    const store = await node(t)
    await add(store, 'analysis', [0, 0, 0])
    const held = await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: 0, leaseMs })
    const [gone] = held
    if (gone === undefined) return t.fail()
    await store.commit(
      () => runAll([{ sql: 'DELETE FROM scheduled_jobs WHERE id = ?', values: [gone.id] }]) as Unit<unknown>,
    )
    t.deepEqual(await renewLeases(store, held, 1500), new Set(held.slice(1)))
    t.deepEqual(await renewLeases(store, held, 1500), new Set(held.slice(1)), 'and again in the same millisecond')
    t.deepEqual(await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: 1499, leaseMs }), [])
    t.is((await claimJobs(store, 'analysis', [{ lane: '', limit: 5 }], { now: 1500, leaseMs })).length, 2)
    t.deepEqual(await renewLeases(store, [], 1), new Set())
  })

  test(`On ${engine.name} a released row uses no attempt up and is ready at its time`, async t => {
    const store = await node(t)
    await add(store, 'analysis', [0])
    const [job] = await claimJobs(store, 'analysis', [{ lane: '', limit: 1 }], { now: 0, leaseMs })
    if (job === undefined) return t.fail()
    await releaseLease(store, job, 300)
    t.like((await all(store))[0], { ready_at: 300, lease: null, claims: 0 })
    t.deepEqual(await readyOf(store, 'analysis'), { analysis: 300 })
    await postponeJob(store, job.id, 700)
    t.like((await all(store))[0], { ready_at: 700, lease: null, claims: 0 })
    t.is((await claimJobs(store, 'analysis', [{ lane: '', limit: 1 }], { now: 700, leaseMs }))[0]?.claims, 1)
  })

  test(`On ${engine.name} claimPostponed gets what a worker has postponed, and nothing else`, async t => {
    const store = await node(t)
    const [ready, parked] = await add(store, 'attempt', [10, 500_000], () => 'a')
    const ask = (now: number) => claimPostponed(store, 'attempt', 'a', { now, leaseMs })
    const taken = await ask(100)
    t.deepEqual([taken?.id, taken?.claims], [parked, 0], 'what is ready is a worker’s to look at first')
    t.is(await ask(100), null, 'it is leased')
    t.is(await ask(100 + leaseMs), null, 'one that was left is a worker’s again')
    const seen = await claimJobs(store, 'attempt', [{ lane: 'a', limit: 5 }], { now: 100 + leaseMs, leaseMs })
    t.deepEqual(idsOf(seen), [ready, parked])
    for (const row of seen) await releaseLease(store, row, 900_000)
    t.deepEqual(
      [(await ask(2000))?.claims, (await ask(2000))?.claims],
      [0, 0],
      'a listener that left is no dead worker',
    )
  })

  test(`On ${engine.name} the first ready instant of each queue is found`, async t => {
    const store = await node(t)
    t.deepEqual(await readyOf(store, 'timer', 'analysis'), {})
    t.deepEqual(await readyOf(store), {})
    const laned = ['attempt', 'nothing']
    t.deepEqual((await findFirstReady(store, { queues: [], laned, tables: [] })).filled, new Set())
    await add(store, 'timer', [900, 400])
    await add(store, 'analysis', [500])
    await add(store, 'attempt', [100])
    t.deepEqual(await readyOf(store, 'timer', 'analysis'), { timer: 400, analysis: 500 })
    t.deepEqual(await readyOf(store, 'analysis', 'nothing'), { analysis: 500 })
    await add(store, 'attempt', [900], () => 'a lane')
    const { ready_at, filled } = await findFirstReady(store, { queues: ['analysis'], laned, tables: [] })
    t.deepEqual([ready_at, filled], [new Map([['analysis', 500]]), new Set(['attempt'])])
    await claimJobs(store, 'analysis', [{ lane: '', limit: 1 }], { now: 500, leaseMs })
    const leased = { analysis: 500 + leaseMs }
    t.deepEqual(await readyOf(store, 'analysis'), leased, 'the end of the lease, for a leased row')
  })

  test(`On ${engine.name} lanes are read a bounded number at a time, each once, with its first ready instant`, async t => {
    const store = await node(t)
    t.deepEqual(await readLanes(store, 'attempt', null), { lanes: [], next: null })
    const count = 2 * maxLanesPerRead + 5
    const nameOf = (index: number): string => (index === 0 ? '' : `lane-${10_000 + index}`)
    const instants = Array.from({ length: count }, (_, index) => index)
    await add(store, 'attempt', instants, nameOf)
    await add(
      store,
      'attempt',
      instants.map(at => at + 1),
      nameOf,
    )
    await add(store, 'analysis', [0])
    const found: (readonly [string, number])[] = []
    const pages: number[] = []
    for (let after: string | null = null; pages.length === 0 || after !== null; ) {
      const { lanes, next }: LanePage = await readLanes(store, 'attempt', after)
      pages.push(lanes.length)
      found.push(...lanes.map(({ lane, ready_at }) => [lane, ready_at] as const))
      after = next
    }
    t.deepEqual(pages, [maxLanesPerRead, maxLanesPerRead, 5])
    t.deepEqual(
      found,
      instants.map(index => [nameOf(index), index] as const),
    )
  })
}
