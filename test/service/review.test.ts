import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { oneDialect } from '../database.ts'
import { signalsCall, startCall } from './client.ts'
import { openTestRig, type Rig } from './rig.ts'

function referencesOf(rig: Rig, id: string) {
  return rig.rows('SELECT id, kind FROM captures WHERE transaction_id = ? ORDER BY id', id)
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}a device's report that can't be read any more does not approve`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.capture()
    await phone.signals({ ...signalsCall, device: { ...startCall.device, root_detected: true } })
    await rig.node().service.store.commit(function* () {
      yield [
        {
          sql: "UPDATE captures SET content = ? WHERE transaction_id = ? AND kind = 'signals'",
          values: [Buffer.alloc(64), id],
        },
      ]
    })
    await phone.complete()
    await rig.idle()
    const view = await rig.view(id)
    t.is(view.status, 'FAILED')
    t.like(view.result_data, {
      issues: [{ code: 'CAPTURE_UNREADABLE' }],
      metadata: { device: { sdk_platform: 'ios' } },
    })
  })

  test(`${on}a face of an older transaction does not replace a newer one's`, async t => {
    const rig = await openTestRig(t, engine)
    const customer_id = await rig.customer()
    const older = await rig.open({}, { customer_id })
    await rig.advance(1000)
    const newer = await rig.open({}, { customer_id })
    for (const { phone } of [newer, older]) {
      await phone.capture()
      await phone.complete()
      await rig.idle()
    }
    const [row] = await rig.rows('SELECT face_transaction_id FROM customers WHERE id = ?', customer_id)
    t.deepEqual([(await rig.view(older.id)).status, (await rig.view(newer.id)).status], ['FINISHED', 'FINISHED'])
    t.is(row?.face_transaction_id, newer.id)
  })

  test(`${on}nothing stays in storage that no snapshot names, once the capture is over`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.start()
    const challenge = String((await phone.challenge()).body.challenge_id)
    await phone.upload(`liveness/${challenge}/0`)
    await rig.advance(121_000)
    await Promise.all([phone.upload('selfie'), phone.upload('selfie'), phone.upload('selfie')])
    await phone.cancel()
    await rig.idle()
    const kinds = (await referencesOf(rig, id)).map(row => row.kind)
    t.deepEqual(kinds.sort(), ['facts', 'selfie'])
  })

  test(`${on}a job of a chart that this build doesn't know is not begun`, async t => {
    const rig = await openTestRig(t, engine)
    rig.hook.answer(() => ({ status: 503 }))
    const { id, phone } = await rig.open()
    await phone.start()
    await rig.idle()
    await rig.node().service.store.commit(function* () {
      yield [
        { sql: 'UPDATE deliveries SET chart_version = 99 WHERE transaction_id = ?', values: [id] },
        {
          sql: "UPDATE scheduled_jobs SET queue = 'attempt', name = 'attempt', payload = '{\"attempt\":2}' WHERE actor_type = 'delivery'",
          values: [],
        },
      ]
    })
    const before = rig.hook.received.length
    await rig.advance(60_000)
    t.is(rig.hook.received.length, before)
  })

  test(`${on}a stop waits for the answers under way, not for the connections that they came on`, async t => {
    const rig = await openTestRig(t, engine)
    const { phone } = await rig.open()
    const waits = rig.waiting(1000)
    const answer = phone.result('30')
    await waits
    // Its deadline never comes, as nobody advances the clock.
    await rig.end(true)
    t.is((await answer).status, 200)
  })

  test(`${on}a call that reached a kept connection before the stop is answered, and learns that this was the last`, async t => {
    const rig = await openTestRig(t, engine)
    const socket = connect(Number(new URL(rig.node().url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    const heard = async (): Promise<string> => String((await once(socket, 'data'))[0])
    const call = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    socket.write(call)
    t.regex(await heard(), /^HTTP\/1\.1 200 .*\r\nconnection: keep-alive\r\n/is)
    const last = heard()
    socket.write(call)
    const ended = rig.end(true)
    t.regex(await last, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
    await ended
  })

  test(`${on}a webhook whose outcome can’t be written is not sent for ever`, async t => {
    const rig = await openTestRig(t, engine)
    const { phone } = await rig.open()
    const raise = engine.name === 'SQLite' ? "SELECT RAISE(ABORT, 'broken');" : "SIGNAL SQLSTATE '45000';"
    const each = engine.name === 'SQLite' ? '' : 'FOR EACH ROW'
    await rig.node().service.store.commit(function* () {
      yield [{ sql: `CREATE TRIGGER broken BEFORE UPDATE ON deliveries ${each} BEGIN ${raise} END`, values: [] }]
    })
    await phone.start()
    await rig.advance(120_000)
    t.is(rig.hook.received.length, 5)
  })
}
