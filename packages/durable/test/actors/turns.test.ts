import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { manualClock } from '../../../../test/clock.ts'
import { eachDialect, type TestEngine } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import { text } from '../../../../test/raw_row.ts'
import { DurableError } from '../../errors.ts'
import { openStore } from '../../store/source.ts'
import type { Row } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { attempts, cancelled, ended, only, start, statusesOf } from './attempts.ts'
import { deliveriesOf, newTransaction, openCharts } from './charts.ts'
import { openRig, openTestRig, type Rig } from './rig.ts'

function redeliver(rig: Rig, id: string) {
  return rig.host.send(rig.delivery, id, { type: 'REDELIVER' })
}

async function idsOf(rig: Rig, transaction_id: string): Promise<readonly [string, string]> {
  const [one, two] = await deliveriesOf(rig.store, transaction_id)
  if (one === undefined || two === undefined) throw new Error('two deliveries were expected')
  return [text(one, 'id'), text(two, 'id')]
}

for (const engine of eachDialect) {
  test(`On ${engine.name} a delivery that is repeated while a newer one is under way waits for it`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await cancelled(rig)
    const first = await only(rig)
    await ended(rig, first, {})
    const second = await only(rig)
    await redeliver(rig, first.actor_id)
    t.deepEqual(await statusesOf(rig, id), ['INITIATED PENDING', 'FAILED ATTEMPTING'])
    t.deepEqual(await attempts(rig), [], 'one is in flight')
    await t.throwsAsync(redeliver(rig, first.actor_id), { instanceOf: DurableError }, 'it is asked for already')
    await ended(rig, second, { outcome: 'failed' })
    t.deepEqual(await statusesOf(rig, id), ['INITIATED PENDING', 'FAILED BACKING_OFF'], 'under way until it ends')
    await rig.host.send(
      rig.delivery,
      second.actor_id,
      { type: 'xstate.after.RETRY.delivery.backing_off' },
      await timerOf(rig, second.actor_id),
    )
    await ended(rig, await only(rig), {})
    t.deepEqual(await statusesOf(rig, id), ['INITIATED ATTEMPTING', 'FAILED DELIVERED'])
    const again = await only(rig)
    t.deepEqual(again.payload, { attempt: 1 }, 'the schedule begins again')
    await ended(rig, again, {})
    t.deepEqual(await statusesOf(rig, id), ['INITIATED DELIVERED', 'FAILED DELIVERED'])
    t.deepEqual(await attempts(rig), [])
  })

  test(`On ${engine.name} repeated deliveries go at once where none is under way, and in the order of their statuses`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await cancelled(rig)
    await ended(rig, await only(rig), { outcome: 'gone' })
    await ended(rig, await only(rig), {})
    const [one, two] = await idsOf(rig, id)
    await Promise.all([redeliver(rig, two), redeliver(rig, one)])
    const statuses = await statusesOf(rig, id)
    t.is(statuses.filter(status => String(status).endsWith('ATTEMPTING')).length, 1, String(statuses))
    t.is(statuses.filter(status => String(status).endsWith('PENDING')).length, 1, String(statuses))
    await ended(rig, await only(rig), {})
    await ended(rig, await only(rig), {})
    t.deepEqual(await statusesOf(rig, id), ['INITIATED DELIVERED', 'FAILED DELIVERED'])
  })

  test(`On ${engine.name} a new status waits for an older one that is being repeated`, async t => {
    const rig = await openTestRig(t, engine)
    const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
    await rig.host.create(rig.transaction, actor)
    await rig.host.send(rig.transaction, actor.id, start)
    const first = await only(rig)
    await ended(rig, first, {})
    await redeliver(rig, first.actor_id)
    await rig.host.send(rig.transaction, actor.id, { type: 'CANCEL' })
    t.deepEqual(await statusesOf(rig, actor.id), ['INITIATED ATTEMPTING', 'FAILED PENDING'])
    await ended(rig, await only(rig), {})
    t.deepEqual(await statusesOf(rig, actor.id), ['INITIATED DELIVERED', 'FAILED ATTEMPTING'])
  })

  test(`On ${engine.name} one delivery is in flight and none is forgotten, however ends, repetitions and new statuses meet`, async t => {
    const rig = await openTestRig(t, engine)
    for (let round = 0; round < 15; round++) {
      const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
      await rig.host.create(rig.transaction, actor)
      await rig.host.send(rig.transaction, actor.id, start)
      const first = await only(rig)
      await ended(rig, first, {})
      await redeliver(rig, first.actor_id)
      const again = await only(rig)
      const cancelling = rig.host.send(rig.transaction, actor.id, { type: 'CANCEL' })
      await Promise.all([ended(rig, again, {}), cancelling, redeliver(rig, first.actor_id).catch(() => null)])
      for (let left = 3; left > 0; left--) {
        const jobs = await attempts(rig)
        t.true(jobs.length <= 1)
        for (const job of jobs) await ended(rig, job, {})
      }
      t.deepEqual(await statusesOf(rig, actor.id), ['INITIATED DELIVERED', 'FAILED DELIVERED'])
    }
  })
}

async function timerOf({ store }: Rig, actor_id: string) {
  const [row] = await store.read({
    sql: "SELECT id FROM scheduled_jobs WHERE actor_id = ? AND queue = 'timer'",
    values: [actor_id],
  })
  if (row === undefined) throw new Error('no timer')
  return { fence: { job_id: text(row, 'id'), lease: null } }
}

/** A row's primary key in its table, for the tables that a commit of these actors writes. */
const keys: Readonly<Record<string, (row: Row) => string>> = {
  transactions: row => text(row, 'id'),
  deliveries: row => text(row, 'id'),
  scheduled_jobs: row => text(row, 'id'),
  journal: row => `${row.actor_id}/${row.sequence}`,
}

async function contentOf(store: Store): Promise<ReadonlyMap<string, string>> {
  const content = new Map<string, string>()
  for (const [table, keyOf] of Object.entries(keys))
    for (const row of await store.read({ sql: `SELECT * FROM ${table}`, values: [] }))
      content.set(`${table} ${keyOf(row)}`, JSON.stringify(row))
  return content
}

/** Returns the keys by which Galera certifies a commit: those of the rows that it changed. */
function writeSet(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlySet<string> {
  return new Set([...before.keys(), ...after.keys()].filter(key => before.get(key) !== after.get(key)))
}

type Meeting = (rig: Rig) => Promise<{ one: (node: Rig) => Promise<unknown>; other: (node: Rig) => Promise<unknown> }>

/** Runs two commits on two copies of one database, where neither can see the other's locks; resolves with the rows that both changed. */
async function conflictOf(t: ExecutionContext, meeting: Meeting): Promise<readonly string[]> {
  const engine = eachDialect[0] as TestEngine
  const rig = await openRig(engine)
  const commits = await meeting(rig)
  const before = await contentOf(rig.store)
  await rig.store.read({ sql: 'PRAGMA wal_checkpoint(TRUNCATE)', values: [] })
  if (rig.database.address.dialect !== 'sqlite') throw new Error('a file was expected')
  const { file } = rig.database.address
  const sets: ReadonlySet<string>[] = []
  for (const [name, commit] of Object.entries(commits)) {
    const copy = join(file, `../${name}.sqlite`)
    copyFileSync(file, copy)
    const opened = await openStore({ dialect: 'sqlite', file: copy }, 1)
    const store = { ...opened, dialect: { ...opened.dialect, hasOneWriter: false } }
    const clock = manualClock(rig.clock.now())
    await commit({ ...rig, ...openCharts(store, clock), store, clock })
    sets.push(writeSet(before, await contentOf(store)))
    await store.close()
  }
  await rig.close()
  const [one = new Set(), other = new Set<string>()] = sets
  t.true(one.size > 0 && other.size > 0)
  return [...one].filter(key => other.has(key))
}

function cancel(id: string) {
  return (node: Rig) => node.host.send(node.transaction, id, { type: 'CANCEL' })
}

async function started(rig: Rig): Promise<string> {
  const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
  await rig.host.create(rig.transaction, actor)
  await rig.host.send(rig.transaction, actor.id, start)
  return actor.id
}

test('A new status and the end of the delivery before it still change one row if locks are local to a node', async t => {
  let id = ''
  const conflict = await conflictOf(t, async rig => {
    id = await started(rig)
    const job = await only(rig)
    return { one: node => ended(node, job, {}), other: cancel(id) }
  })
  t.deepEqual(conflict, [`transactions ${id}`])
})

test('A repetition and a new status, an end or another repetition change one row if locks are local to a node', async t => {
  const both = async (rig: Rig) => {
    const id = await cancelled(rig)
    await ended(rig, await only(rig), {})
    return id
  }
  let id = ''
  const repeatedAndEnded = await conflictOf(t, async rig => {
    id = await both(rig)
    const [first] = await idsOf(rig, id)
    const job = await only(rig)
    return { one: node => redeliver(node, first), other: node => ended(node, job, {}) }
  })
  t.deepEqual(repeatedAndEnded, [`transactions ${id}`])
  const repeatedTwice = await conflictOf(t, async rig => {
    id = await both(rig)
    await ended(rig, await only(rig), {})
    const [first, second] = await idsOf(rig, id)
    return { one: node => redeliver(node, first), other: node => redeliver(node, second) }
  })
  t.deepEqual(repeatedTwice, [`transactions ${id}`])
  const repeatedAndNew = await conflictOf(t, async rig => {
    id = await started(rig)
    const job = await only(rig)
    await ended(rig, job, {})
    return { one: node => redeliver(node, job.actor_id), other: cancel(id) }
  })
  t.deepEqual(repeatedAndNew, [`transactions ${id}`])
})

test('Commits of two transactions change no row in common', async t => {
  const conflict = await conflictOf(t, async rig => {
    const one = await started(rig)
    const other = await started(rig)
    return { one: cancel(one), other: cancel(other) }
  })
  t.deepEqual(conflict, [])
})
