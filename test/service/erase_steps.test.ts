import test from 'ava'
import { runAll } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { beginErasure, continueErasure, type ErasureRest } from '../../src/verification/erasure/erase.ts'
import { eachDialect } from '../database.ts'
import { kyc, picture } from './client.ts'
import { listNotified, verify } from './outcomes.ts'
import { openTestRig, type Rig } from './rig.ts'

async function call(rig: Rig, method: string, path: string, options: object = {}) {
  return rig.call(method, `${kyc}${path}`, { token: await rig.token(), ...options })
}

async function register(rig: Rig, external_customer_id: string): Promise<string> {
  const { body } = await call(rig, 'POST', '/customer', { json: { external_customer_id } })
  return String(body.customer_id)
}

function erasureOf({ account }: Rig, subject_id: string) {
  return {
    account_id: account.account_id,
    erased_by: account.client_id,
    subject_id,
  }
}

/** Returns a capture of a transaction, of the given size; its content does not matter here. */
function captureOf({ account }: Rig, transaction_id: string, megabytes: number) {
  return insert('captures', {
    id: newId(),
    account_id: account.account_id,
    transaction_id,
    kind: 'selfie',
    media_type: 'image/jpeg',
    digest: newId(),
    byte_count: megabytes * 2 ** 20,
    content: Buffer.alloc(megabytes * 2 ** 20),
    created_at: 0,
  })
}

for (const engine of eachDialect) {
  const on = `On ${engine.name}: `

  test(`${on}a customer is out of reach from the first commit of an erasure on, though nothing is emptied yet`, async t => {
    const rig = await openTestRig(t, engine)
    const customer_id = await register(rig, 'person')
    const finished = await verify(rig, { reference: 'order' }, { customer_id })
    const begun = await rig.open({}, { customer_id })
    await begun.phone.capture()
    await rig.idle()
    const [delivery] = (await call(rig, 'GET', `/transaction/${finished.id}/deliveries`)).body.data as {
      delivery_id: string
    }[]
    const before = (await rig.rows('SELECT id FROM captures')).length
    const erasure_id = await beginErasure(rig.node().service.transactions, 'customer', erasureOf(rig, customer_id))
    t.is((await rig.rows('SELECT id FROM captures')).length, before)

    for (const path of [`/customer/${customer_id}`, `/transaction/${finished.id}`, `/transaction/${begun.id}`])
      t.is((await call(rig, 'GET', path)).status, 404, path)
    for (const path of ['deliveries', 'captures'])
      t.is((await call(rig, 'GET', `/transaction/${finished.id}/${path}`)).status, 404, path)
    const again = `/transaction/${finished.id}/deliveries/${delivery?.delivery_id}/redeliver`
    t.is((await call(rig, 'POST', again)).status, 404)
    t.is((await call(rig, 'POST', `/transaction/${begun.id}/cancel`)).status, 404)
    for (const query of ['', `?customer_id=${customer_id}`, '?reference=order', '?status=INITIATED,FINISHED'])
      t.deepEqual((await call(rig, 'GET', `/transaction${query}`)).body.data, [], query)
    t.deepEqual((await call(rig, 'GET', '/delivery')).body.data, [])
    for (const { phone } of [finished, begun])
      for (const answer of [await phone.session(), await phone.upload('selfie'), await phone.complete()])
        t.is(answer.status, 410)
    const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    t.is((await call(rig, 'POST', '/transaction', { json })).status, 404)
    t.is((await call(rig, 'GET', `/transaction/${finished.id}/evidence`)).status, 200, 'its journal stays')
    t.not(await register(rig, 'person'), customer_id)

    const unfinished = await call(rig, 'GET', `/erasure/${erasure_id}`)
    t.like(unfinished.body, { erasure_id, completed_at: null, counts: { transactions: 0, faces: 1 } })
    const repeated = await call(rig, 'DELETE', `/transaction/${begun.id}`)
    t.is(repeated.status, 200, 'asking again continues it')
    t.like(repeated.body, { erasure_id, counts: { transactions: 2, cancelled: 1, captures: before, faces: 1 } })
    t.deepEqual((await call(rig, 'DELETE', `/customer/${customer_id}`)).body, repeated.body)
    await rig.idle()
    t.deepEqual(listNotified(rig, begun.id), ['INITIATED', 'FAILED'])
  })

  test(`${on}an erasure goes on in bounded commits, if the node ends between any two of them`, async t => {
    const rig = await openTestRig(t, engine)
    const customer_id = await register(rig, 'person')
    const count = 25
    const opened = await Promise.all(Array.from({ length: count }, () => rig.open({}, { customer_id })))
    const { store } = rig.node().service
    const newest = await rig.rows('SELECT id FROM transactions ORDER BY created_at DESC, id DESC LIMIT 2')
    for (const { id } of newest.map(row => ({ id: String(row.id) }))) {
      // One that has ended removes no capture by itself any more.
      await opened.find(one => one.id === id)?.phone.cancel()
      for (let n = 0; n < 3; n++) await store.commit(() => runAll([captureOf(rig, id, 3)]))
    }
    const state = async () => {
      const [captures] = await rig.rows('SELECT COUNT(*) AS many FROM captures')
      const [erased] = await rig.rows('SELECT COUNT(*) AS many FROM transactions WHERE erasure_id IS NOT NULL')
      return [captures?.many, erased?.many]
    }
    const context = () => rig.node().service.transactions
    const erasure_id = (await beginErasure(context(), 'customer', erasureOf(rig, customer_id))) ?? ''
    t.is(await beginErasure(context(), 'customer', erasureOf(rig, customer_id)), null, 'only once')
    t.deepEqual(await state(), [6, 0])
    t.is(await continueErasure(context(), erasure_id), 'rows')
    const [left, erased] = await state()
    // Two of the newest transactions have nine megabytes each: a commit removes a part of these, which leaves four.
    t.is(left, 4)
    t.true(Number(erased) <= 1)
    await rig.end(false)
    await rig.begin()
    await rig.idle()
    t.deepEqual(await state(), [0, count])
    const receipt = (await call(rig, 'GET', `/erasure/${erasure_id}`)).body
    t.like(receipt, { counts: { transactions: count, cancelled: count - 2, captures: 6, faces: 0, answers: 0 } })
    t.is(receipt.completed_at, new Date(rig.clock.now()).toISOString())
    const entries = await rig.rows(`SELECT actor_id FROM journal WHERE event LIKE '%"ERASE"%'`)
    t.is(entries.length, count, 'each is erased once')
    t.deepEqual(await rig.rows(`SELECT id FROM scheduled_jobs WHERE actor_type = 'transaction'`), [])
  })

  test(`${on}an image whose upload was let in before an erasure is not stored after it`, async t => {
    const rig = await openTestRig(t, engine)
    const { service } = rig.node()
    const put = (transaction_id: string) =>
      service.contents.put(
        { id: newId(), account_id: rig.account.account_id, transaction_id },
        { size: 2 ** 21, encrypt: async () => ({ head: Buffer.alloc(8), pieces: [Buffer.alloc(8), Buffer.alloc(8)] }) },
      )
    const counts = () =>
      rig.rows('SELECT (SELECT COUNT(*) FROM content_pieces) + (SELECT COUNT(*) FROM object_removals) AS many')
    for (const subject of ['transaction', 'customer'] as const) {
      const customer_id = await register(rig, subject)
      const { id: transaction_id } = await rig.open({}, { customer_id })
      await beginErasure(
        service.transactions,
        subject,
        erasureOf(rig, subject === 'customer' ? customer_id : transaction_id),
      )
      await t.throwsAsync(put(transaction_id), { code: 'gone', message: /was erased/ })
      t.like(await counts(), [{ many: 0 }])
    }
    const { id: transaction_id } = await rig.open()
    await put(transaction_id)
    t.like(await counts(), [{ many: 3 }], 'two pieces, and their removal')
  })

  test(`${on}a commit empties no more than ten transactions`, async t => {
    const rig = await openTestRig(t, engine)
    const customer_id = await register(rig, 'person')
    for (let n = 0; n < 12; n++) await rig.open({}, { customer_id })
    const context = rig.node().service.transactions
    const erasure_id = (await beginErasure(context, 'customer', erasureOf(rig, customer_id))) ?? ''
    const erased: unknown[] = []
    for (let rest: ErasureRest = 'rows'; rest === 'rows'; ) {
      rest = await continueErasure(context, erasure_id)
      const [row] = await rig.rows('SELECT COUNT(*) AS many FROM transactions WHERE erasure_id IS NOT NULL')
      erased.push(row?.many)
    }
    t.deepEqual(erased, [10, 12])
    t.is(await continueErasure(context, erasure_id), 'nothing')
  })

  test(`${on}a long erasure is answered with its counts so far, and goes on`, async t => {
    const rig = await openTestRig(t, engine)
    const customer_id = await register(rig, 'person')
    for (let n = 0; n < 12; n++) await rig.open({}, { customer_id })
    const asked = rig.waiting(1_000)
    const answer = call(rig, 'DELETE', `/customer/${customer_id}`)
    await asked
    await rig.clock.advance(1_000)
    const { status, body } = await answer
    t.deepEqual([status, body.completed_at], [202, null])
    const complete = await call(rig, 'DELETE', `/customer/${customer_id}`)
    t.is(complete.status, 200)
    t.like(complete.body, { erasure_id: body.erasure_id, counts: { transactions: 12, cancelled: 12 } })
  })

  test(`${on}a transaction that waits for its analysis when its customer is erased is not analysed`, async t => {
    const rig = await openTestRig(t, engine)
    const entered = Promise.withResolvers<void>()
    const verdict = Promise.withResolvers<void>()
    const analysed: string[] = []
    rig.script(async request => {
      analysed.push(request.transaction_id)
      entered.resolve()
      await verdict.promise
      return createApprovedFindings(request)
    })
    const before = await rig.open()
    await before.phone.capture()
    await before.phone.complete()
    await entered.promise
    const customer_id = await register(rig, 'person')
    const { id, phone } = await rig.open({}, { customer_id })
    await phone.capture()
    await phone.complete()
    await beginErasure(rig.node().service.transactions, 'customer', erasureOf(rig, customer_id))
    verdict.resolve()
    await rig.until(async () => rig.lines.some(({ error }) => error === 'the customer is being erased'))
    await rig.node().service.erasures.resume()
    await rig.idle()
    t.deepEqual(analysed, [before.id])
    const [row] = await rig.rows('SELECT status, result FROM transactions WHERE id = ?', id)
    t.like(row, { status: 'FAILED', result: null })
    t.is(listNotified(rig, id).at(-1), 'FAILED')
  })

  test(`${on}an erased transaction with many large images is out of reach at once, and they go in bounded commits`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.start()
    t.is((await phone.upload('selfie', await picture(1))).status, 200)
    await phone.cancel()
    await rig.node().service.store.commit(() => runAll(Array.from({ length: 3 }, () => captureOf(rig, id, 3))))
    const context = rig.node().service.transactions
    const erasure_id = (await beginErasure(context, 'transaction', erasureOf(rig, id))) ?? ''
    t.is((await phone.session()).status, 410)
    t.is((await call(rig, 'GET', `/transaction/${id}`)).status, 404)
    let commits = 1
    while ((await continueErasure(context, erasure_id)) !== 'nothing') commits++
    t.true(commits >= 2)
    t.deepEqual(await rig.rows('SELECT id FROM captures'), [])
    const { body } = await call(rig, 'DELETE', `/transaction/${id}`)
    t.like(body, { erasure_id, counts: { transactions: 1, cancelled: 0, captures: 5 } })
  })
}
