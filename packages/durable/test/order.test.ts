import test from 'ava'
import { requireValidCharts } from '../actors/known_charts.ts'
import { DurableError } from '../errors.ts'
import { order } from '../example/orders.ts'
import {
  createTestClock,
  engines,
  leaseMs,
  newOrder,
  openOrders,
  readEvents,
  readRows,
  readStatus,
  startOrderWorker,
} from './support.ts'

const pay = { type: 'PAY', card: 'card-1' } as const

test('The example’s chart survives in a database, and every action of it is written', t => {
  t.notThrows(() => requireValidCharts([order]))
})

for (const engine of engines) {
  const { name } = engine

  test(`On ${name} a charge that fails is retried after its delay, and the order is paid once`, async t => {
    const node = await openOrders(t, engine)
    const keys: string[] = []
    const worker = startOrderWorker(node, async (_card, _amount, key) => {
      keys.push(key)
      if (keys.length === 1) throw new Error('no answer')
      return 'receipt-1'
    })
    t.teardown(() => worker.stop(Promise.resolve()))
    const { id } = await node.host.create(order, newOrder())
    await node.host.send(order, id, pay)
    await worker.idle()
    t.is(await readStatus(node.store, id), 'BACKING_OFF')
    await node.clock.advance(200, worker.idle)
    t.is(await readStatus(node.store, id), 'PAID')
    t.deepEqual(await readEvents(node.store, id), [
      'CREATE',
      'PAY',
      'xstate.error.actor.charge',
      'xstate.after.BACKOFF.order.backing_off',
      'xstate.done.actor.charge',
    ])
    const invoices = await readRows(node.store, 'SELECT receipt FROM invoices WHERE order_id = ?', id)
    t.deepEqual(
      invoices.map(({ receipt }) => receipt),
      ['receipt-1'],
    )
    t.is(new Set(keys).size, 2, 'a retry is a job of its own')
    t.deepEqual(await readRows(node.store, 'SELECT id FROM scheduled_jobs'), [])
  })

  test(`On ${name} an order that nobody pays expires when its time is over, and accepts nothing more`, async t => {
    const node = await openOrders(t, engine)
    const worker = startOrderWorker(node, async () => 'receipt-1')
    t.teardown(() => worker.stop(Promise.resolve()))
    const { id } = await node.host.create(order, newOrder())
    await node.clock.advance(3_599_999, worker.idle)
    t.is(await readStatus(node.store, id), 'PLACED')
    await node.clock.advance(1, worker.idle)
    t.is(await readStatus(node.store, id), 'EXPIRED')
    const error = await t.throwsAsync<DurableError>(node.host.send(order, id, pay), { instanceOf: DurableError })
    t.is(error?.code, 'not_allowed_in_state')
    t.deepEqual(await readEvents(node.store, id), ['CREATE', 'xstate.after.PAYMENT_TIMEOUT.order.placed'])
  })

  test(`On ${name} a payment stops the clock of the payment time-out`, async t => {
    const node = await openOrders(t, engine)
    const { id } = await node.host.create(order, newOrder())
    await node.host.send(order, id, pay)
    const rows = await readRows(node.store, 'SELECT queue FROM scheduled_jobs WHERE actor_id = ?', id)
    t.deepEqual(
      rows.map(({ queue }) => queue),
      ['charge'],
    )
  })

  test(`On ${name} an order is declined after three charges that fail`, async t => {
    const node = await openOrders(t, engine)
    let calls = 0
    const worker = startOrderWorker(node, async () => {
      calls += 1
      throw new Error('declined')
    })
    t.teardown(() => worker.stop(Promise.resolve()))
    const { id } = await node.host.create(order, newOrder())
    await node.host.send(order, id, pay)
    await node.clock.advance(10_000, worker.idle)
    t.is(await readStatus(node.store, id), 'DECLINED')
    t.is(calls, 3)
  })

  test(`On ${name} the job of a node that died is done by another when its lease is over, by the same key`, async t => {
    const node = await openOrders(t, engine)
    const keys: string[] = []
    const begun = Promise.withResolvers<void>()
    // Its clock stands still: other nodes take it for dead.
    startOrderWorker({ ...node, clock: createTestClock() }, (_card, _amount, key) => {
      keys.push(key)
      begun.resolve()
      return new Promise(() => {})
    })
    const { id } = await node.host.create(order, newOrder())
    await node.host.send(order, id, pay)
    await begun.promise
    const worker = startOrderWorker(node, async (_card, _amount, key) => {
      keys.push(key)
      return 'receipt-2'
    })
    t.teardown(() => worker.stop(Promise.resolve()))
    await node.clock.advance(leaseMs - 1, worker.idle)
    t.is(await readStatus(node.store, id), 'CHARGING')
    await node.clock.advance(1, worker.idle)
    t.is(await readStatus(node.store, id), 'PAID')
    t.is(keys.length, 2)
    t.is(new Set(keys).size, 1)
  })
}
