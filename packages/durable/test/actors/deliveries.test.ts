import test from 'ava'
import type { AttemptOutput } from '../../../../machines/delivery.ts'
import { newId } from '../../../../src/base/ids.ts'
import { insertAttempt } from '../../../../src/webhooks/attempts.ts'
import { eachDialect } from '../../../../test/database.ts'
import { limits } from '../../../../test/machines/events.ts'
import { text } from '../../../../test/raw_row.ts'
import { jobFailed } from '../../actors/xstate.ts'
import { DurableError } from '../../errors.ts'
import { runAll } from '../../store/statement.ts'
import { attempts, cancelled, ended, only, start, statusesOf } from './attempts.ts'
import { deliveriesOf, newDelivery, newTransaction, readScheduledJobs, rowOf, schedule_ms } from './charts.ts'
import { openTestRig, type Rig } from './rig.ts'

/** Turns the clock to the next attempt and fires its timer; resolves with how long that took, in milliseconds. */
async function untilRetry({ store, clock, host, delivery }: Rig, id: string): Promise<number> {
  const [timer] = await readScheduledJobs(store, id)
  if (timer?.queue !== 'timer') throw new Error('no retry is planned')
  const wait = Number(timer.ready_at) - clock.now()
  await clock.advance(wait)
  await host.send(delivery, id, JSON.parse(text(timer, 'payload')), {
    fence: { job_id: text(timer, 'id'), lease: null },
  })
  return wait
}

const endings: readonly [AttemptOutput['outcome'], string][] = [
  ['delivered', 'DELIVERED'],
  ['gone', 'GONE'],
]

for (const engine of eachDialect) {
  for (const [outcome, status] of endings)
    test(`On ${engine.name} a status waits until the one before it is ${outcome}`, async t => {
      const rig = await openTestRig(t, engine)
      const id = await cancelled(rig)
      t.deepEqual(await statusesOf(rig, id), ['INITIATED ATTEMPTING', 'FAILED PENDING'])
      const one = await only(rig)
      t.deepEqual(one.payload, { attempt: 1 })
      t.deepEqual(await attempts(rig), [], 'the second is not due')
      await ended(rig, one, { outcome })
      t.deepEqual(await statusesOf(rig, id), [`INITIATED ${status}`, 'FAILED ATTEMPTING'])
      await ended(rig, await only(rig), {})
      t.deepEqual(await statusesOf(rig, id), [`INITIATED ${status}`, 'FAILED DELIVERED'])
      t.deepEqual(await attempts(rig), [])
    })

  test(`On ${engine.name} a status waits five minutes for one that failed, and no longer`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await cancelled(rig)
    const one = await only(rig)
    await ended(rig, one, { outcome: 'failed', retry_after_ms: 300_000 })
    t.deepEqual(await statusesOf(rig, id), ['INITIATED BACKING_OFF', 'FAILED PENDING'])
    t.is(await untilRetry(rig, one.actor_id), 300_000)
    await ended(rig, await only(rig), { outcome: 'failed', retry_after_ms: 300_001 })
    t.deepEqual(await statusesOf(rig, id), ['INITIATED DELAYED', 'FAILED ATTEMPTING'])
    await ended(rig, await only(rig), {})
    t.deepEqual(await statusesOf(rig, id), ['INITIATED DELAYED', 'FAILED DELIVERED'])
    t.is(await untilRetry(rig, one.actor_id), 300_001)
    const late = await only(rig)
    t.deepEqual(late.payload, { attempt: 3 })
    await ended(rig, late, {})
    t.deepEqual(await statusesOf(rig, id), ['INITIATED DELIVERED', 'FAILED DELIVERED'])
  })

  test(`On ${engine.name} a status that is reached during the delivery before it is delivered next`, async t => {
    const rig = await openTestRig(t, engine)
    for (let round = 0; round < 10; round++) {
      const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
      await rig.host.create(rig.transaction, actor)
      await rig.host.send(rig.transaction, actor.id, start)
      const job = await only(rig)
      await Promise.all([ended(rig, job, {}), rig.host.send(rig.transaction, actor.id, { type: 'CANCEL' })])
      t.deepEqual(await statusesOf(rig, actor.id), ['INITIATED DELIVERED', 'FAILED ATTEMPTING'])
      await ended(rig, await only(rig), {})
    }
  })

  test(`On ${engine.name} attempts follow the schedule, with jitter and the receiver's own wish, until it is exhausted`, async t => {
    const rig = await openTestRig(t, engine)
    const id = await cancelled(rig)
    const [first] = await deliveriesOf(rig.store, id)
    if (first === undefined) return t.fail()
    const delivery_id = text(first, 'id')
    t.deepEqual(schedule_ms, [0, 5_000, 30_000])
    await ended(rig, await only(rig), { outcome: 'failed', jitter: 1 })
    t.is(await untilRetry(rig, delivery_id), 6_000, '5 s and 20 % more')
    const second = await only(rig)
    t.deepEqual(second.payload, { attempt: 2 })
    await ended(rig, second, { outcome: 'failed', jitter: -1, retry_after_ms: 90_000 })
    t.is(await untilRetry(rig, delivery_id), 90_000, 'Retry-After is longer than 24 s')
    t.deepEqual(await statusesOf(rig, id), ['INITIATED ATTEMPTING', 'FAILED PENDING'])
    await ended(rig, await only(rig), { outcome: 'failed' })
    t.deepEqual(await statusesOf(rig, id), ['INITIATED EXHAUSTED', 'FAILED ATTEMPTING'], 'the next goes on')
    t.deepEqual(await readScheduledJobs(rig.store, delivery_id), [])
  })

  test(`On ${engine.name} a failed attempt that kept a receiver's words meets the erasure of its transaction in one row, unless there is one writer`, async t => {
    const rig = await openTestRig(t, engine)
    const actor = newTransaction({ transaction_type: 'BIOMETRIC_ONLY', limits })
    await rig.host.create(rig.transaction, actor)
    const turns = async () => (await rowOf(rig.store, 'transactions', actor.id)).turns
    const keep = (error: string | null) => {
      const answered = { outcome: 'failed', status: 500, duration_ms: 1, address: null, retry_after_ms: null } as const
      const made = { account_id: actor.account_id, transaction_id: actor.id, delivery_id: newId(), attempt: 1 }
      const sent = { ...answered, error, response: null }
      return rig.store.commit(() =>
        runAll(insertAttempt(rig.store.dialect, { ...made, started_at: 0, sent, key: null })),
      )
    }
    await keep(null)
    t.is(await turns(), null, 'of no words there is nothing to erase')
    await keep('a name')
    const expected = rig.store.dialect.hasOneWriter ? null : 1
    t.is(await turns(), expected, 'on a cluster only this makes the two meet')
  })

  test(`On ${engine.name} an attempt that breaks down counts like one that failed, without jitter`, async t => {
    const rig = await openTestRig(t, engine)
    const actor = newDelivery({ schedule_ms: [0, 5_000], has_turn: true })
    await rig.host.create(rig.delivery, actor)
    const broken = async () => {
      const { id: job_id, lease } = await only(rig)
      const event = jobFailed('attempt', { code: 'INTERNAL', message: 'for the test' })
      return (await rig.host.send(rig.delivery, actor.id, event, { fence: { job_id: job_id, lease } })).status
    }
    t.is(await broken(), 'BACKING_OFF')
    t.is(await untilRetry(rig, actor.id), 5_000)
    t.is(await broken(), 'EXHAUSTED')
  })

  test(`On ${engine.name} a delivery that has ended is made again from its first attempt when asked, and only then`, async t => {
    const rig = await openTestRig(t, engine)
    const redeliver = (id: string) => rig.host.send(rig.delivery, id, { type: 'REDELIVER' })
    const actor = newDelivery({ schedule_ms: [0], has_turn: true })
    await rig.host.create(rig.delivery, actor)
    await t.throwsAsync(redeliver(actor.id), { instanceOf: DurableError }, 'it is under way')
    for (const outcome of ['failed', 'gone', 'delivered'] as const) {
      const job = await only(rig)
      t.deepEqual(job.payload, { attempt: 1 })
      await ended(rig, job, { outcome })
      t.deepEqual(await readScheduledJobs(rig.store, actor.id), [])
      await redeliver(actor.id)
      await t.throwsAsync(redeliver(actor.id), { instanceOf: DurableError }, 'sent twice')
    }
  })
}
