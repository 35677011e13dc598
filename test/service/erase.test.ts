import { readFileSync } from 'node:fs'
import test from 'ava'
import type { Value } from 'durable-xstate-sql/sql'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { claimSweep, selectOldImages } from '../../src/verification/erasure/retention.ts'
import { readLinkedCapture } from '../../src/verification/transactions/capture_reading.ts'
import { oneDialect, sqlite } from '../database.ts'
import { kyc } from './client.ts'
import { listNotified, verify } from './outcomes.ts'
import { openTestRig, type Rig } from './rig.ts'

async function call(rig: Rig, method: string, path: string, options: object = {}) {
  return rig.call(method, `${kyc}${path}`, { token: await rig.token(), ...options })
}

const person = { external_customer_id: 'canary-external', email: 'canary@example.org', phone_number: '+442079460123' }

async function register(rig: Rig) {
  const answer = await call(rig, 'POST', '/customer', { json: person, headers: { 'Idempotency-Key': 'register' } })
  return { status: answer.status, customer_id: String(answer.body.customer_id) }
}

/** Returns pieces of all encrypted values. A file without any of them contains nothing that a key could decrypt. */
async function sealedPieces(rig: Rig): Promise<readonly Buffer[]> {
  const columns = {
    customers: ['profile', 'data_key', 'face'],
    transactions: ['expected_data', 'result', 'trace'],
    captures: ['content'],
    idempotency_keys: ['answer'],
    delivery_attempts: ['answer'],
  }
  const pieces: Buffer[] = []
  for (const [table, names] of Object.entries(columns))
    for (const row of await rig.rows(`SELECT ${names.join(', ')} FROM ${table}`))
      for (const value of Object.values(row))
        if (value instanceof Uint8Array)
          pieces.push(Buffer.from(value.subarray(0, 24)), Buffer.from(value.subarray(-24)))
  return pieces
}

/** The SHA-256 of every capture that is stored. */
async function digestsHeld(rig: Rig): Promise<readonly string[]> {
  return (await rig.rows('SELECT digest FROM captures')).map(({ digest }) => String(digest))
}

const everyTable = [
  'customers',
  'transactions',
  'captures',
  'idempotency_keys',
  'deliveries',
  'delivery_attempts',
  'journal',
  'scheduled_jobs',
  'erasures',
  'facts',
]

/** The whole file where there is one, all columns of all tables otherwise. */
async function everythingStored(rig: Rig): Promise<Buffer> {
  const { address } = rig.database
  if (address.dialect === 'sqlite')
    return Buffer.concat([address.file, `${address.file}-wal`].map(file => readFileSync(file)))
  const rows = await Promise.all(everyTable.map(table => rig.rows(`SELECT * FROM ${table}`)))
  const bytesOf = (value: Value): Buffer =>
    value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))
  return Buffer.concat(rows.flat().flatMap(row => Object.values(row).map(bytesOf)))
}

function found(stored: Buffer, pieces: readonly Buffer[]): number {
  return pieces.filter(piece => stored.includes(piece)).length
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}nothing personal of an erased customer is left in the whole database`, async t => {
    const rig = await openTestRig(t, engine)
    const { customer_id } = await register(rig)
    const config = { expected_data: { last_name: 'ERIKSSON' }, reference: 'canary-reference' }
    await verify(rig, config, { customer_id })
    const begun = await rig.open(config, { customer_id })
    await begun.phone.capture()
    const theirs = await sealedPieces(rig)
    const images = await digestsHeld(rig)
    const other = await verify(rig)
    const before = await everythingStored(rig)
    t.is(found(before, theirs), theirs.length)
    t.false(before.includes('canary-reference'), 'it is encrypted, and in backups too')
    const others = await rig.rows('SELECT id, content FROM captures WHERE transaction_id = ?', other.id)
    t.is((await call(rig, 'DELETE', `/customer/${customer_id}`)).status, 200)
    await rig.idle()
    const left = await everythingStored(rig)
    t.is(found(left, theirs), 0)
    t.true(images.length > 5)
    // Images that another customer sent too are still known as theirs.
    const othersImages = await digestsHeld(rig)
    const onlyTheirs = images.filter(digest => !othersImages.includes(digest))
    for (const digest of onlyTheirs) t.false(left.includes(digest), 'nobody finds a known image')
    const named = await rig.rows(
      'SELECT j.event, t.snapshot FROM journal j JOIN transactions t ON t.id = j.actor_id WHERE t.customer_id = ?',
      customer_id,
    )
    t.true(named.some(({ event }) => String(event).includes('"digest":"hmac:')))
    for (const { event, snapshot } of named)
      for (const digest of images) t.false(String(event).includes(digest) || String(snapshot).includes(digest))
    for (const word of ['canary', person.phone_number, 'ERIKSSON']) t.false(left.includes(word), word)
    t.deepEqual(await rig.rows('SELECT id, content FROM captures WHERE transaction_id = ?', other.id), others)
    t.is((await rig.view(other.id)).status, 'FINISHED')
  })

  test(`${on}an erased customer is gone for everybody, a receipt remains, and the external id is free`, async t => {
    const rig = await openTestRig(t, engine)
    const { customer_id } = await register(rig)
    const finished = await verify(rig, {}, { customer_id })
    const begun = await rig.open({}, { customer_id })
    await begun.phone.capture()
    const captures = (await rig.rows('SELECT id FROM captures')).length
    const erased = await call(rig, 'DELETE', `/customer/${customer_id}`)
    t.is(erased.status, 200)
    const { erasure_id, ...receipt } = erased.body
    t.deepEqual(receipt, {
      subject: 'customer',
      subject_id: customer_id,
      erased_at: new Date(rig.clock.now()).toISOString(),
      completed_at: new Date(rig.clock.now()).toISOString(),
      erased_by: rig.account.client_id,
      counts: { transactions: 2, cancelled: 1, captures, faces: 1, answers: 1 },
    })
    await rig.idle()
    for (const path of [`/customer/${customer_id}`, `/transaction/${finished.id}`, `/transaction/${begun.id}`])
      t.is((await call(rig, 'GET', path)).status, 404)
    t.is((await call(rig, 'GET', `/customer?external_customer_id=${person.external_customer_id}`)).status, 404)
    t.is((await call(rig, 'POST', `/transaction/${begun.id}/cancel`)).status, 404)
    t.is((await call(rig, 'GET', `/transaction?customer_id=${customer_id}`)).text, '{"data":[],"next_cursor":null}')
    t.deepEqual(listNotified(rig, begun.id), ['INITIATED', 'FAILED'])
    for (const { phone } of [finished, begun])
      for (const answer of [await phone.session(), await phone.upload('selfie'), await phone.complete()])
        t.is(answer.status, 410)
    const timeline = (await call(rig, 'GET', `/transaction/${begun.id}/events`)).body.data as { event: string }[]
    t.deepEqual(
      timeline.slice(-2).map(({ event }) => event),
      ['CANCEL', 'ERASE'],
    )
    t.deepEqual((await call(rig, 'DELETE', `/customer/${customer_id}`)).body, erased.body)
    t.deepEqual((await call(rig, 'DELETE', `/transaction/${begun.id}`)).body, erased.body)
    t.is((await call(rig, 'DELETE', `/customer/${begun.id}`)).status, 404, 'an id of another kind')
    t.is((await call(rig, 'DELETE', `/transaction/${customer_id}`)).status, 404, 'an id of another kind')
    t.deepEqual((await call(rig, 'GET', `/erasure/${erasure_id}`)).body, erased.body)
    const again = await register(rig)
    t.is(again.status, 201)
    t.not(again.customer_id, customer_id)
  })

  test(`${on}an erased transaction takes its own face along, and leaves its customer and the others`, async t => {
    const rig = await openTestRig(t, engine)
    const { customer_id } = await register(rig)
    const one = await verify(rig, {}, { customer_id })
    const two = await verify(rig, {}, { customer_id })
    const [customer] = await rig.rows('SELECT uses FROM customers WHERE id = ?', customer_id)
    const uses = engine.name === 'SQLite' ? null : 2
    t.is(
      customer?.uses,
      uses,
      'each opening changed what an erasure takes away: on a cluster only that makes them meet',
    )
    const first = await call(rig, 'DELETE', `/transaction/${one.id}`)
    t.like(first.body, {
      subject: 'transaction',
      subject_id: one.id,
      counts: { transactions: 1, cancelled: 0, faces: 0 },
    })
    const captures = (await rig.rows('SELECT id FROM captures')).length
    const second = await call(rig, 'DELETE', `/transaction/${two.id}`)
    t.like(second.body.counts, { faces: 1, captures })
    t.deepEqual((await call(rig, 'DELETE', `/transaction/${two.id}`)).body, second.body)
    t.is((await call(rig, 'GET', `/transaction/${one.id}`)).status, 404)
    t.is((await one.phone.result()).status, 410)
    t.is((await call(rig, 'GET', `/customer/${customer_id}`)).status, 200)
    t.deepEqual(await rig.rows('SELECT id FROM captures'), [])
    t.like((await call(rig, 'DELETE', `/customer/${customer_id}`)).body.counts, { transactions: 0, answers: 1 })
    t.deepEqual((await call(rig, 'DELETE', `/transaction/${one.id}`)).body, first.body)
  })

  test(`${on}an analysis's findings after the erasure are not kept, nor is a face`, async t => {
    const rig = await openTestRig(t, engine)
    const entered = Promise.withResolvers<void>()
    const verdict = Promise.withResolvers<void>()
    rig.script(async request => {
      entered.resolve()
      await verdict.promise
      return createApprovedFindings(request)
    })
    const customer_id = await rig.customer()
    const { id, phone } = await rig.open({}, { customer_id })
    await phone.capture()
    await phone.complete()
    await entered.promise
    t.like((await call(rig, 'DELETE', `/transaction/${id}`)).body.counts, { cancelled: 1 })
    verdict.resolve()
    await rig.idle()
    const [row] = await rig.rows('SELECT status, result, trace, config FROM transactions WHERE id = ?', id)
    t.like(row, { status: 'FAILED', result: null, trace: null })
    t.deepEqual(await rig.rows('SELECT id FROM customers WHERE face IS NOT NULL'), [])
    t.deepEqual(listNotified(rig, id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FAILED'])
  })

  test(`${on}a receiver's answer after the erasure is not kept`, async t => {
    const rig = await openTestRig(t, engine)
    const entered = Promise.withResolvers<void>()
    const erased = Promise.withResolvers<void>()
    rig.hook.answer(async () => {
      entered.resolve()
      await erased.promise
      return { status: 500, text: 'canary' }
    })
    const { id, phone } = await rig.open()
    await phone.start()
    await entered.promise
    t.is((await call(rig, 'DELETE', `/transaction/${id}`)).status, 200)
    erased.resolve()
    await rig.idle()
    const kept = await rig.rows('SELECT http_status, answer, error FROM delivery_attempts')
    t.deepEqual(kept, [{ http_status: 500, answer: null, error: null }])
  })

  test(`${on}an image that is being read while it is erased is not handed out`, async t => {
    const rig = await openTestRig(t, engine)
    const { id, phone } = await rig.open()
    await phone.capture()
    const deps = rig.node().service.transactions
    const read: typeof deps.captures.read = async (key, reference) => {
      const content = await deps.captures.read(key, reference)
      t.is((await call(rig, 'DELETE', `/transaction/${id}`)).status, 200)
      return content
    }
    const [{ id: capture_id } = {}] = await rig.rows(`SELECT id FROM captures WHERE kind = 'selfie'`)
    const { account_id, client_id } = rig.account
    const link = { account_id, client_id, transaction_id: id, capture_id: String(capture_id), until: Infinity }
    const reading = readLinkedCapture({ ...deps, captures: { ...deps.captures, read } }, link, () => {})
    await t.throwsAsync(reading, { message: 'capture_id: not found' })
    const events = await rig.rows(`SELECT event FROM journal WHERE event LIKE '%CAPTURE_READ%'`)
    t.deepEqual(events, [])
  })

  test(`${on}an erasure leaves nothing behind, in spite of concurrent calls`, async t => {
    const rig = await openTestRig(t, engine)
    for (let round = 0; round < 4; round++) {
      const { customer_id } = await register(rig)
      const opened = await Promise.all([0, 1, 2].map(() => rig.open({}, { customer_id })))
      await Promise.all(opened.map(({ phone }) => phone.start()))
      const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { webhook: { url: rig.hook.url } } }
      const answers = await Promise.all([
        ...opened.map(({ phone }) => phone.upload('selfie')),
        ...opened.map(({ phone }) => phone.signals()),
        call(rig, 'POST', '/transaction', { json }),
        call(rig, 'DELETE', `/customer/${customer_id}`),
        call(rig, 'POST', '/transaction', { json }),
        register(rig),
        call(rig, 'DELETE', `/customer/${customer_id}`),
        ...opened.map(({ phone }) => phone.cancel()),
        ...opened.map(({ phone }) => phone.upload('document/front')),
      ])
      t.deepEqual(
        answers.filter(({ status }) => status >= 500).map(({ status }) => status),
        [],
      )
      await rig.idle()
      const theirs = 'FROM transactions WHERE customer_id = ?'
      t.deepEqual(await rig.rows(`SELECT id ${theirs} AND (erasure_id IS NULL OR status <> 'FAILED')`, customer_id), [])
      t.deepEqual(
        await rig.rows(`SELECT id FROM captures WHERE transaction_id IN (SELECT id ${theirs})`, customer_id),
        [],
      )
      t.deepEqual(await rig.rows('SELECT id FROM customers WHERE id = ?', customer_id), [])
      t.deepEqual(await rig.rows('SELECT id FROM idempotency_keys WHERE subject_id = ?', customer_id), [])
      const last = await register(rig)
      await call(rig, 'DELETE', `/customer/${last.customer_id}`)
    }
    t.deepEqual(await rig.rows(`SELECT id FROM scheduled_jobs WHERE actor_type = 'transaction'`), [])
  })

  test(`${on}images and then transactions are removed when they have been kept long enough, also after a restart`, async t => {
    const settings = { RETENTION_CAPTURES_DAYS: '1', RETENTION_TRANSACTIONS_DAYS: '2', POLL_MS: '60000' }
    const rig = await openTestRig(t, engine, settings)
    const { id } = await verify(rig)
    const hour = 3_600_000
    const kinds = async () => (await rig.rows('SELECT kind FROM captures ORDER BY kind')).map(({ kind }) => kind)
    await rig.skip(23 * hour)
    const result = (await rig.view(id)).result_data
    t.true((await kinds()).includes('document_front'))
    await rig.advance(2 * hour)
    t.deepEqual(await kinds(), ['facts', 'signals'])
    t.deepEqual((await rig.view(id)).result_data, result)
    await rig.end(true)
    await rig.begin()
    await rig.skip(22 * hour)
    t.is((await rig.view(id)).status, 'FINISHED')
    await rig.advance(2 * hour)
    t.is((await call(rig, 'GET', `/transaction/${id}`)).status, 404)
    for (const table of [
      'transactions',
      'captures',
      'deliveries',
      'delivery_attempts',
      'journal',
      'scheduled_jobs',
      'idempotency_keys',
      'transaction_issues',
    ])
      t.deepEqual(await rig.rows(`SELECT * FROM ${table}`), [], table)
    t.is((await rig.rows('SELECT id FROM customers')).length, 1)
  })
}

for (const engine of oneDialect)
  test(`On ${engine.name}: one of the nodes that would sweep at the same time does, and another in the next hour`, async t => {
    const rig = await openTestRig(t, engine)
    const { store } = rig.node().service
    const takeAll = async (now: number) => {
      const turns = await Promise.all([1, 2, 3, 4].map(() => claimSweep(store, now, 3_600_000)))
      return turns.filter(({ isMine }) => isMine).length
    }
    t.deepEqual([await takeAll(1000), await takeAll(3_600_999), await takeAll(3_601_000)], [1, 0, 1])
    t.deepEqual([await takeAll(9e12), await takeAll(3_601_000)], [1, 1], 'a clock that was ahead keeps nobody from it')
  })

test('a sweep for images skips what the devices reported, by an index', async t => {
  const rig = await openTestRig(t, sqlite)
  const { sql, values } = selectOldImages(0)
  const plan = (await rig.rows(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => String(detail))
  t.regex(plan.join('\n'), /captures_kind_created_at \(kind=\? AND created_at<\?\)/)
})
