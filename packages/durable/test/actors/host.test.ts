import test from 'ava'
import type { TransactionEvent } from '../../../../machines/transaction.ts'
import { newId } from '../../../../src/base/ids.ts'
import { insert } from '../../../../src/database/schema.ts'
import { eachDialect, sqlite } from '../../../../test/database.ts'
import { limits, strangeEvents, transactionEvents } from '../../../../test/machines/events.ts'
import type { ActorState } from '../../actors/definition.ts'
import { findUnknownChart, requireValidCharts } from '../../actors/known_charts.ts'
import { readActorRow } from '../../actors/rows.ts'
import { jobFailed } from '../../actors/xstate.ts'
import { DurableError } from '../../errors.ts'
import { claimJobs, type ScheduledJob } from '../../store/scheduled_jobs.ts'
import { runAll, type Statement, type Unit } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import {
  account_id,
  deliveriesOf,
  journalOf,
  newTransaction,
  openCharts,
  readScheduledJobs,
  rowOf,
  untyped,
} from './charts.ts'
import { openTestRig, type Rig } from './rig.ts'

function write(store: Store, statements: readonly Statement[]): Promise<unknown> {
  return store.commit(() => runAll(statements))
}

/** Returns all data of an actor that a refused event could have changed. */
async function everything({ store }: Rig, id: string): Promise<unknown> {
  return [
    await rowOf(store, 'transactions', id),
    await readScheduledJobs(store, id),
    await journalOf(store, id),
    await deliveriesOf(store, id),
    await store.read({ sql: 'SELECT * FROM facts', values: [] }),
  ]
}

const capture = { capture_id: newId(), digest: 'd' }
const start = { type: 'START', declared_document: 'PASSPORT', facts: capture } as const
/** The events that take a BIOMETRIC_ONLY transaction from CREATED to COMPLETED. */
const untilComplete: readonly TransactionEvent[] = [
  start,
  { type: 'SELFIE_CAPTURED', capture },
  { type: 'CHALLENGE_ISSUED', challenge_id: 'c', actions: ['TURN_LEFT'], expires_at: 0 },
  { type: 'FRAME_CAPTURED', challenge_id: 'c', position: 0, capture },
  { type: 'COMPLETE' },
]

async function opened(rig: Rig): Promise<string> {
  const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
  await rig.host.create(rig.transaction, actor)
  return actor.id
}

async function completed(rig: Rig): Promise<string> {
  const id = await opened(rig)
  for (const event of untilComplete) await rig.host.send(rig.transaction, id, event)
  return id
}

async function claimOne({ store, clock }: Rig, queue: string, leaseMs = 1000): Promise<ScheduledJob> {
  const [job] = await claimJobs(store, queue, [{ lane: account_id, limit: 1 }], { now: clock.now(), leaseMs })
  if (job === undefined) throw new Error(`nothing to claim in ${queue}`)
  return job
}

function fenceOf({ id, lease }: ScheduledJob) {
  return { fence: { job_id: id, lease } }
}

for (const engine of eachDialect) {
  test(`On ${engine.name} a new actor has its row, its journal, its timers and what was written with it`, async t => {
    const rig = await openTestRig(t, engine)
    const actor = newTransaction()
    const seen: ActorState[] = []
    const unsubscribe = rig.host.subscribe(state => seen.push(state))
    const writes = [insert('facts', { name: 'with', value: actor.id })]
    const created = await rig.host.create(rig.transaction, actor, { writes })
    unsubscribe()
    await opened(rig)
    t.like(created, { actor_type: 'transaction', id: actor.id, account_id: actor.account_id, status: 'CREATED' })
    t.deepEqual(seen, [created], 'listeners hear of it once, and no more after they have left')
    const row = await rowOf(rig.store, 'transactions', actor.id)
    t.like(row, { ...actor.columns, status: 'CREATED', version: 1, chart_version: 1, created_at: rig.clock.now() })
    t.like((await journalOf(rig.store, actor.id))[0], {
      event: JSON.stringify({ type: 'CREATE', input: actor.input }),
      sequence: 1,
      status: 'CREATED',
    })
    t.is((await readScheduledJobs(rig.store, actor.id)).length, 1)
    t.is((await rig.store.read({ sql: 'SELECT * FROM facts', values: [] })).length, 1)
    const more = [insert('facts', { name: 'x', value: '' })]
    const twice = await t.throwsAsync(rig.host.create(rig.transaction, actor, { writes: more }))
    t.true(rig.store.dialect.isDuplicate(twice))
    t.is((await rig.store.read({ sql: 'SELECT * FROM facts', values: [] })).length, 1, 'nothing of the second')
  })

  test(`On ${engine.name} no caller can send what only timers and jobs may`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await completed(rig)
    const before = await everything(rig, id)
    const internal = [...transactionEvents('x'), ...strangeEvents].filter(({ type }) => type.startsWith('xstate.'))
    t.true(internal.length > 10)
    for (const event of internal) {
      const error = await t.throwsAsync<DurableError>(rig.host.send(untyped(rig.transaction), id, event), {
        instanceOf: DurableError,
      })
      t.is(error?.code, 'not_allowed_in_state', event.type)
    }
    for (const event of strangeEvents.filter(({ type }) => !type.startsWith('xstate.'))) {
      const error = await t.throwsAsync<DurableError>(rig.host.send(untyped(rig.transaction), id, event), {
        instanceOf: DurableError,
      })
      t.is(error?.code, 'not_allowed_in_state', event.type)
    }
    t.deepEqual(await everything(rig, id), before)
  })

  test(`On ${engine.name} a row that the caller has read is used while it is the latest, and read again where it is not`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await opened(rig)
    const { host, transaction, store } = rig
    const read = async () => readActorRow(transaction, await rowOf(store, 'transactions', id)) as never
    const created = await read()
    t.is((await host.send(transaction, id, start, { known: created })).status, 'INITIATED')
    t.is((await deliveriesOf(store, id)).length, 1, 'what its actions read is read')
    const signals = () => ({ type: 'SIGNALS', capture: { capture_id: newId(), digest: 'd' } }) as const
    const initiated = await read()
    await Promise.all([signals(), signals()].map(event => host.send(transaction, id, event, { known: initiated })))
    t.deepEqual(
      (await journalOf(store, id)).map(({ sequence }) => sequence),
      [1, 2, 3, 4],
    )
    // The known row is older: by it, the actor is not started.
    await host.send(transaction, id, { type: 'SELFIE_CAPTURED', capture }, { known: created })
    const before = await everything(rig, id)
    const again = await t.throwsAsync<DurableError>(host.send(transaction, id, start, { known: created }))
    t.is(again?.code, 'not_allowed_in_state', 'by the row that it knows, it could start')
    t.deepEqual(await everything(rig, id), before)
  })

  test(`On ${engine.name} statements that come with an event are written only if the chart accepts it`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await opened(rig)
    const writes = (name: string) => ({ writes: [insert('facts', { name, value: '' })] })
    await rig.host.send(rig.transaction, id, start, writes('taken'))
    const before = await everything(rig, id)
    await t.throwsAsync(rig.host.send(rig.transaction, id, start, writes('refused')), { instanceOf: DurableError })
    await t.throwsAsync(rig.host.send(rig.transaction, id, { type: 'COMPLETE' }, writes('guarded')))
    await t.throwsAsync(
      rig.host.send(rig.transaction, id, { type: 'CANCEL' }, writes('taken')),
      undefined,
      'a duplicate',
    )
    t.deepEqual(await everything(rig, id), before, 'a write that fails takes its event with it')
  })

  test(`On ${engine.name} a procedure reads the actor in the commit of its event, and can refuse it`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await opened(rig)
    const from = (device: number) => ({ procedure: { name: 'acceptFromDevice', params: { device } } }) as const
    await rig.host.send(rig.transaction, id, start, from(0))
    await rig.host.send(rig.transaction, id, { type: 'HANDED_OFF' })
    const before = await everything(rig, id)
    await t.throwsAsync(rig.host.send(rig.transaction, id, { type: 'CANCEL' }, from(0)), {
      message: 'sdk_token: the capture continues on another device',
    })
    const unknown = { procedure: { name: 'other', params: {} } }
    await t.throwsAsync(rig.host.send(untyped(rig.transaction), id, { type: 'CANCEL' }, unknown), {
      message: 'transaction: there is no procedure other',
    })
    const actor = newTransaction()
    const procedure = { name: 'useCustomer', params: { customer_id: newId() } } as const
    await t.throwsAsync(rig.host.create(rig.transaction, actor, { procedure }), { message: 'customer_id: not found' })
    t.deepEqual(await rig.store.read({ sql: 'SELECT id FROM transactions WHERE id = ?', values: [actor.id] }), [])
    t.deepEqual(await everything(rig, id), before)
    t.is((await rig.host.send(rig.transaction, id, { type: 'CANCEL' }, from(1))).status, 'FAILED')
  })

  test(`On ${engine.name} an actor that was never created is not found`, async t => {
    const rig = await openTestRig(t, engine)
    const error = await t.throwsAsync<DurableError>(rig.host.send(rig.transaction, newId(), start), {
      instanceOf: DurableError,
    })
    t.is(error?.code, 'not_found')
  })

  test(`On ${engine.name} a fenced event that the chart no longer accepts uses its row up`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await completed(rig)
    const job = await claimOne(rig, 'admission')
    await t.throwsAsync(
      rig.host.send(untyped(rig.transaction), id, jobFailed('other', { code: 'X', message: '' }), fenceOf(job)),
    )
    t.deepEqual(await readScheduledJobs(rig.store, id), [])
    t.like(await rowOf(rig.store, 'transactions', id), { status: 'COMPLETED', version: untilComplete.length + 1 })
  })

  test(`On ${engine.name} an actor of a chart that this build doesn't know is left alone, and the node says so`, async t => {
    const rig = await openTestRig(t, engine)
    const { store, host, transaction, delivery } = rig
    const kinds = [transaction, delivery]
    const id = await opened(rig)
    t.is(await findUnknownChart(store, kinds), null)
    for (const version of [2, 0]) {
      await write(store, [{ sql: 'UPDATE transactions SET chart_version = ? WHERE id = ?', values: [version, id] }])
      t.regex((await findUnknownChart(store, kinds)) ?? '', new RegExp(`version ${version} of the transaction chart`))
      const before = await everything(rig, id)
      const error = await t.throwsAsync<DurableError>(host.send(transaction, id, start), { instanceOf: DurableError })
      t.is(error?.code, 'unavailable')
      t.deepEqual(await everything(rig, id), before)
    }
    const ended = 'UPDATE transactions SET status = ? WHERE id = ?'
    await write(store, [{ sql: ended, values: ['FINISHED', id] }])
    t.is(await findUnknownChart(store, kinds), null, 'what has ended needs no chart')
    await write(store, [{ sql: ended, values: ['CREATED', id] }])
    const older = { ...transaction, charts: { ...transaction.charts, 0: transaction.charts[1] as never } }
    t.is(await findUnknownChart(store, [older, delivery]), null, 'a build that has it is ready')
    t.is((await openCharts(store, rig.clock).host.send(older, id, start)).status, 'INITIATED')
  })
}

for (const engine of eachDialect)
  test(`On ${engine.name} an ended actor owns no row, not even one that its chart knows nothing of`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await opened(rig)
    const other = await opened(rig)
    const stray = {
      id: newId(),
      account_id: newId(),
      queue: 'timer',
      actor_type: 'transaction',
      actor_id: id,
      name: 'stray',
    }
    await write(rig.store, [
      insert('scheduled_jobs', { ...stray, lane: '', payload: '{}', ready_at: 0, lease: null, claims: 0 }),
    ])
    t.is((await readScheduledJobs(rig.store, id)).length, 2)
    await rig.host.send(rig.transaction, id, { type: 'CANCEL' })
    t.deepEqual(await readScheduledJobs(rig.store, id), [])
    t.is((await readScheduledJobs(rig.store, other)).length, 1, 'and takes nobody else’s')
  })

test('Both actor definitions of the service pass the start-up lint', t => {
  const { transaction, delivery } = openCharts({ dialect: { forUpdate: '' } } as Store, {
    now: () => 0,
    monotonic: () => 0,
    setTimer: () => () => {},
  })
  t.notThrows(() => requireValidCharts([transaction, delivery]))
})

test('A unit can create actors and send them events in one commit, or in none', async t => {
  const rig = await openTestRig(t, sqlite)
  const one = newTransaction()
  const two = newTransaction()
  const both = function* (fails: boolean): Unit<string | null> {
    yield* rig.host.createInTransaction(rig.transaction, one)
    yield* rig.host.createInTransaction(rig.transaction, two)
    const sent = yield* rig.host.sendInTransaction(rig.transaction, one.id, start)
    if (fails) throw new Error('for the test')
    return sent?.status ?? null
  }
  await t.throwsAsync(rig.store.commit(() => both(true)))
  t.deepEqual(await rig.store.read({ sql: 'SELECT id FROM transactions', values: [] }), [])
  t.is(await rig.store.commit(() => both(false)), 'INITIATED')
  t.is(
    await rig.store.commit(() => rig.host.sendInTransaction(rig.transaction, one.id, start)),
    null,
    'not taken twice',
  )
})

test('On SQLite: an event that leaves the status writes none of its indexes', async t => {
  const rig = await openTestRig(t, sqlite)
  const id = await opened(rig)
  const send = (event: TransactionEvent): Promise<unknown> => rig.host.send(rig.transaction, id, event)
  const [first, ...others] = untilComplete.slice(0, -1)
  if (first === undefined) throw new Error('no event')
  await send(first)
  const set = "CREATE TRIGGER set_status BEFORE UPDATE OF status ON transactions BEGIN SELECT RAISE(ABORT, 'set'); END"
  await write(rig.store, [{ sql: set, values: [] }])
  for (const event of others) await send(event)
  t.is((await rowOf(rig.store, 'transactions', id)).status, 'INITIATED')
  await t.throwsAsync(send({ type: 'COMPLETE' }), { message: 'set' })
})
