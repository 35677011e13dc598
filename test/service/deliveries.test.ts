import test from 'ava'
import { runAll } from 'durable-xstate-sql'
import type { Row } from 'durable-xstate-sql/testing'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import type { Received } from './hook.ts'
import { listNotified, verify } from './outcomes.ts'
import { openRig, openTestRig, type Rig } from './rig.ts'

const uuid = /^[0-9a-f-]{36}$/
const allNotified = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']
/** The rig's schedule, ±20 %. */
const schedule_ms = [0, 5_000, 30_000, 120_000]

function signedAt({ headers }: Received): number {
  return Date.parse(String(headers['x-timestamp']))
}

function isPlanned(wait_ms: number, plannedMs: number): boolean {
  return wait_ms >= plannedMs * 0.8 && wait_ms <= plannedMs * 1.2
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test.serial)
  let rig: Rig
  const on = `On ${engine.name}: `
  const of = (id: string): Received[] => rig.hook.received.filter(({ body }) => body.transaction_id === id)
  const rowsOf = (id: string): Promise<readonly Row[]> =>
    rig.rows('SELECT notified_status, status FROM deliveries WHERE transaction_id = ? ORDER BY sequence', id)

  test.serial.before(async () => {
    rig = await openRig(engine, { WEBHOOK_ALGORITHM: 'RS256' })
  })
  test.serial.after.always(() => rig.close())
  test.serial.afterEach.always(() => rig.hook.answer(() => ({ status: 204 })))

  testOnce(`${on}every status after CREATED is notified once, in order, signed, with nothing personal`, async t => {
    const { id } = await verify(rig)
    const seen = of(id)
    t.deepEqual(
      seen.map(({ body }) => [body.sequence, body.status]),
      allNotified.map((status, index) => [index + 1, status]),
    )
    for (const { headers, body, refused, path } of seen) {
      t.is(refused, null)
      t.is(path, '/hook')
      t.deepEqual(Object.keys(body), ['transaction_id', 'status', 'event_id', 'sequence', 'occurred_at'])
      t.regex(String(body.event_id), uuid)
      t.regex(String(headers['x-delivery-id']), uuid)
      t.is(headers['x-delivery-attempt'], '1')
      t.is(headers['content-type'], 'application/json')
      t.is(headers['x-timestamp'], new Date(rig.clock.now()).toISOString())
      t.regex(String(headers['x-signature']), /^[A-Za-z0-9+/]+={0,2}$/)
    }
    t.is(new Set(seen.map(({ body }) => body.event_id)).size, 4)
    const view = await rig.view(id)
    t.deepEqual(
      seen.map(({ body }) => body.occurred_at),
      [view.initiated_at, view.completed_at, view.processing_at, view.finished_at],
    )
    const { keys } = (await rig.call('GET', '/.well-known/jwks.json')).body as { keys: Record<string, unknown>[] }
    t.deepEqual([keys[0]?.alg, keys[0]?.kid], ['RS256', seen[0]?.headers['x-key-id']])
    t.true(keys.every(key => !('d' in key)))
  })

  test.serial(
    `${on}a failing receiver gets the same event again by the schedule, signed again, until the last attempt`,
    async t => {
      rig.hook.answer(({ body }) => ({ status: body.status === 'INITIATED' ? 500 : 204 }))
      const { id, phone } = await rig.open()
      await phone.start()
      await rig.idle()
      for (const planned of schedule_ms.slice(1)) {
        const before = of(id).length
        const [due] = await rig.rows(
          "SELECT ready_at FROM scheduled_jobs WHERE name = 'xstate.after.RETRY.delivery.backing_off'",
        )
        const wait_ms = Number(due?.ready_at) - rig.clock.now()
        t.true(isPlanned(wait_ms, planned), `${wait_ms} for ${planned}`)
        await rig.advance(wait_ms - 1)
        t.is(of(id).length, before, 'not a millisecond before')
        await rig.advance(1)
        t.is(of(id).length, before + 1)
      }
      const seen = of(id)
      t.deepEqual(
        seen.map(({ headers }) => headers['x-delivery-attempt']),
        ['1', '2', '3', '4'],
      )
      t.is(new Set(seen.map(({ body }) => body.event_id)).size, 1)
      t.is(new Set(seen.map(({ headers }) => headers['x-delivery-id'])).size, 1)
      t.is(new Set(seen.map(({ headers }) => headers['x-signature'])).size, 4)
      t.deepEqual(
        seen.map(({ refused }) => refused),
        [null, null, null, null],
      )
      t.is(new Set(seen.map(signedAt)).size, 4)
      t.deepEqual(await rowsOf(id), [{ notified_status: 'INITIATED', status: 'EXHAUSTED' }])
      await rig.advance(30 * 60_000)
      t.is(of(id).length, 4)
      await phone.cancel()
      await rig.idle()
      t.deepEqual(listNotified(rig, id).slice(4), ['FAILED'], 'the next status is notified all the same')
    },
  )

  test.serial(`${on}a later status waits for an earlier one, and another transaction waits for none`, async t => {
    const failing = await rig.open()
    rig.hook.answer(({ body }, seen) => ({ status: body.transaction_id === failing.id && seen === 1 ? 503 : 204 }))
    await failing.phone.capture()
    await failing.phone.complete()
    const healthy = await verify(rig)
    t.deepEqual(listNotified(rig, healthy.id), allNotified)
    t.deepEqual(listNotified(rig, failing.id), ['INITIATED'])
    t.is((await rig.view(failing.id)).status, 'FINISHED')
    for (let n = 0; n < 4; n++) await rig.advance(6_000)
    t.deepEqual(
      listNotified(rig, failing.id),
      allNotified.flatMap(status => [status, status]),
    )
  })

  testOnce(`${on}a receiver that is down and comes back loses nothing`, async t => {
    await rig.hook.down()
    const { id } = await verify(rig)
    await rig.advance(6_000)
    t.deepEqual(listNotified(rig, id), [])
    const [first] = await rowsOf(id)
    t.deepEqual(first, { notified_status: 'INITIATED', status: 'BACKING_OFF' })
    await rig.hook.up()
    await rig.advance(36_000)
    t.deepEqual(listNotified(rig, id), allNotified)
    t.is(of(id)[0]?.headers['x-delivery-attempt'], '3')
    t.true(of(id).every(({ refused }) => refused === null))
  })

  testOnce(`${on}a receiver that asks for a longer wait gets it`, async t => {
    rig.hook.answer((_, seen) => (seen === 1 ? { status: 503, headers: { 'Retry-After': '600' } } : { status: 200 }))
    const { id, phone } = await rig.open()
    await phone.start()
    await rig.idle()
    await rig.advance(599_999)
    t.is(of(id).length, 1)
    await rig.advance(1)
    t.is(of(id).length, 2)
  })

  testOnce(`${on}only the requested statuses are notified, numbered without a gap`, async t => {
    const chosen = { webhook: { url: rig.hook.url, events: ['FINISHED', 'INITIATED'] } }
    const { id } = await verify(rig, chosen)
    t.deepEqual(
      of(id).map(({ body }) => [body.sequence, body.status]),
      [
        [1, 'INITIATED'],
        [2, 'FINISHED'],
      ],
    )
    const { id: silent } = await verify(rig, { webhook: null })
    t.deepEqual(await rowsOf(silent), [])
    t.is((await rig.view(silent)).status, 'FINISHED')
  })

  test(`${on}an account with thousands of waiting origins holds up no other`, async t => {
    const own = await openTestRig(t, engine)
    const rows = Array.from({ length: 2500 }, (_, index) =>
      insert('scheduled_jobs', {
        id: newId(),
        account_id: newId(),
        queue: 'attempt',
        actor_type: 'delivery',
        actor_id: newId(),
        name: 'attempt',
        payload: '{"attempt":1}',
        ready_at: own.clock.now() + 86_400_000,
        lease: null,
        claims: 0,
        lane: `00000000-0000-7000-8000-000000000000/${10_000 + index}`,
      }),
    )
    await own.node().service.store.commit(() => runAll(rows))
    const { id, phone } = await own.open()
    await phone.start()
    await own.advance(100)
    t.deepEqual(listNotified(own, id), ['INITIATED'])
  })
}
