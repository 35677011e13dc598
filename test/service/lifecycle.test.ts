import { AnalysisError } from '@attestor/vision'
import test from 'ava'
import { createInconclusiveFindings, createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { readFailure } from '../../src/verification/transactions/failure.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import { text } from '../raw_row.ts'
import { kyc, scope } from './client.ts'
import { checkFailed, getResult, listCodes, listNotified, transactionFields, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const minute = 60_000
const allNotified = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test.serial)
  let rig: Rig
  const on = `On ${engine.name}: `
  const iso = (): string => new Date(rig.clock.now()).toISOString()

  test.serial.before(async () => {
    rig = await openRig(engine)
  })
  test.serial.after.always(() => rig.close())
  test.serial.afterEach.always(() => rig.script(createApprovedFindings))

  test.serial(`${on}a verification goes from token to decision`, async t => {
    const { client_id, client_secret } = rig.account
    const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
    const granted = await rig.call('POST', '/oauth2/token', { form })
    t.is(granted.status, 200)
    const { access_token, expires_in, token_type } = granted.body
    t.deepEqual([expires_in, token_type], [3600, 'Bearer'])
    const token = String(access_token)

    const person = { external_customer_id: 'crm-1', email: 'person@example.org', phone_number: '+4915112345678' }
    const registered = await rig.call('POST', `${kyc}/customer`, { token, json: person })
    t.is(registered.status, 201)
    t.deepEqual(Object.keys(registered.body).sort(), ['created_at', 'customer_id', 'external_customer_id'])
    t.regex(String(registered.body.customer_id), uuid)
    t.is(registered.body.created_at, iso())

    const json = {
      customer_id: registered.body.customer_id,
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      config: { webhook: { url: rig.hook.url }, transaction_ttl_minutes: 30 },
    }
    const opened = await rig.call('POST', `${kyc}/transaction`, { token, json })
    t.is(opened.status, 201)
    t.is(Object.keys(opened.body).sort().join(' '), 'expires_in sdk_token token_type transaction_id verify_url')
    t.deepEqual([opened.body.expires_in, opened.body.token_type], [1800, 'Bearer'])
    const id = String(opened.body.transaction_id)
    t.regex(id, uuid)
    t.is(opened.headers.get('location'), `${rig.node().url}${kyc}/transaction/${id}`)
    t.is(opened.headers.get('x-ignored-fields'), null)

    const created = { id, customer_id: json.customer_id, status: 'CREATED', created_at: iso() }
    const open = { initiated_at: null, completed_at: null, processing_at: null, finished_at: null, result_data: null }
    const read = await rig.call('GET', `${kyc}/transaction/${id}`, { token })
    t.is(read.status, 200)
    t.regex(String(read.headers.get('content-type')), /^application\/json/)
    t.is(read.headers.get('cache-control'), 'no-store')
    t.regex(String(read.headers.get('x-request-id')), uuid)
    t.deepEqual(read.body, { ...created, ...open })
    t.deepEqual(listNotified(rig, id), [])
    const [row] = await rig.rows('SELECT token_hash FROM transactions WHERE id = ?', id)
    t.not(row === undefined ? '' : text(row, 'token_hash'), String(opened.body.sdk_token))
  })

  testOnce(`${on}each stage has its own time, and is notified once, in order`, async t => {
    const created_at = iso()
    const { id, phone } = await rig.open({ transaction_ttl_minutes: 30 })
    await rig.advance(minute)
    const initiated_at = iso()
    await phone.start()
    await rig.idle()
    const begun = await rig.view(id)
    t.deepEqual([begun.status, begun.initiated_at, begun.completed_at], ['INITIATED', initiated_at, null])
    t.deepEqual(listNotified(rig, id), ['INITIATED'])
    await rig.advance(minute)
    await phone.capture()
    const done = Promise.withResolvers<void>()
    rig.script(async request => {
      await done.promise
      return createApprovedFindings(request)
    })
    const completed_at = iso()
    t.deepEqual((await phone.complete()).body, { submitted: true })
    await rig.until(async () => (await rig.view(id)).status === 'PROCESSING')
    const under_way = await rig.view(id)
    t.deepEqual([under_way.completed_at, under_way.processing_at], [completed_at, completed_at])
    t.deepEqual([under_way.finished_at, under_way.result_data], [null, null])
    await rig.advanceBusy(10_000)
    const finished_at = iso()
    done.resolve()
    await rig.idle()
    const view = await rig.view(id)
    t.deepEqual(Object.keys(view).sort(), transactionFields)
    const { created_at: c, initiated_at: i, completed_at: o, finished_at: f } = view
    t.deepEqual([view.status, c, i, o, f], ['FINISHED', created_at, initiated_at, completed_at, finished_at])
    const result = getResult(view)
    const sections = ['decision', 'document', 'face_comparison', 'issues', 'liveness', 'metadata']
    t.deepEqual(Object.keys(result).sort(), sections)
    t.is(result.decision, 'APPROVED')
    t.deepEqual(
      [result.document?.status, result.liveness?.status, result.face_comparison?.status],
      ['PASSED', 'PASSED', 'PASSED'],
    )
    t.true(result.issues.every(({ type }) => type === 'WARN'))
    t.deepEqual(listNotified(rig, id), allNotified)
    t.deepEqual((await phone.result()).body, { status: 'FINISHED', outcome: 'APPROVED', waiting_for: null, advice: [] })
  })

  test.serial(
    `${on}another person is REJECTED, an unclear face UNDETERMINED: both are results, not errors`,
    async t => {
      rig.script(createOtherPersonFindings)
      const rejected = await verify(rig)
      const no = await rig.view(rejected.id)
      t.deepEqual([no.status, getResult(no).decision], ['FINISHED', 'REJECTED'])
      t.deepEqual([getResult(no).issues[0]?.type, getResult(no).issues[0]?.code], ['REJECT', 'FACE_MISMATCH'])
      t.is(getResult(no).face_comparison?.status, 'REJECTED')
      t.deepEqual((await rejected.phone.result()).body, {
        status: 'FINISHED',
        outcome: 'REJECTED',
        waiting_for: null,
        advice: [],
      })
      rig.script(createInconclusiveFindings)
      const unclear = await rig.view((await verify(rig)).id)
      t.deepEqual([unclear.status, getResult(unclear).decision], ['FINISHED', 'UNDETERMINED'])
      t.true(listCodes(unclear).includes('FACE_MATCH_INCONCLUSIVE'))
    },
  )

  testOnce(`${on}a policy of the transaction turns a warning into a rejection`, async t => {
    const opened = await rig.open({ device_policy: { on_developer_mode: 'REJECT' } })
    await opened.phone.capture()
    await opened.phone.signals({ device: { developer_mode_enabled: true } })
    await opened.phone.complete()
    await rig.idle()
    const view = await rig.view(opened.id)
    t.is(getResult(view).decision, 'REJECTED')
    t.is(listCodes(view)[0], 'DEVELOPER_MODE_ENABLED')
  })

  test.serial(`${on}an analysis that fails three times, each after its wait, ends as ANALYSIS_ERROR`, async t => {
    const attempts: number[] = []
    rig.script(() => {
      attempts.push(rig.clock.now())
      throw new AnalysisError('the model died')
    })
    const began = rig.clock.now()
    const opened = await verify(rig)
    t.deepEqual(attempts, [began])
    await rig.advance(4999)
    t.is(attempts.length, 1)
    t.is((await rig.view(opened.id)).status, 'PROCESSING')
    await rig.advance(1)
    await rig.advance(5000)
    t.deepEqual(attempts, [began, began + 5000, began + 10_000])
    await checkFailed(t, rig, opened, 'ANALYSIS_ERROR')
    t.deepEqual(listNotified(rig, opened.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FAILED'])
    t.deepEqual((await opened.phone.result()).body, {
      status: 'FAILED',
      outcome: 'UNDETERMINED',
      waiting_for: null,
      advice: [],
    })
  })

  testOnce(`${on}a failed analysis that succeeds when tried again is a decision like any other`, async t => {
    let failures = 2
    rig.script(request => {
      if (failures-- > 0) throw new AnalysisError('the model died')
      return createApprovedFindings(request)
    })
    const { id } = await verify(rig)
    await rig.advance(10_000)
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.deepEqual(listNotified(rig, id), allNotified)
  })

  test.serial(
    `${on}an analysis that hangs is ended by the deadline as ANALYSIS_TIMEOUT, its late result refused`,
    async t => {
      const late = Promise.withResolvers<void>()
      rig.script(async request => {
        await late.promise
        return createApprovedFindings(request)
      })
      const opened = await rig.open()
      await opened.phone.capture()
      await opened.phone.complete()
      await rig.until(async () => (await rig.view(opened.id)).status === 'PROCESSING')
      await rig.advanceBusy(5 * minute - 1)
      t.is((await rig.view(opened.id)).status, 'PROCESSING')
      await rig.advanceBusy(1)
      await rig.until(async () => (await rig.view(opened.id)).status === 'FAILED')
      await checkFailed(t, rig, opened, 'ANALYSIS_TIMEOUT')
      const outrun = await readFailure(rig.node().service.transactions, opened.id)
      t.like(outrun, { failure: 'ANALYSIS_TIMEOUT', attempts: [], unfinished_attempt: 1 })
      const before = await rig.rows('SELECT * FROM transactions WHERE id = ?', opened.id)
      late.resolve()
      await rig.idle()
      t.deepEqual(await rig.rows('SELECT * FROM transactions WHERE id = ?', opened.id), before)
      t.deepEqual(listNotified(rig, opened.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FAILED'])
    },
  )

  testOnce(`${on}a damaged capture, and a missing one, end as CAPTURE_UNREADABLE without another attempt`, async t => {
    const damages = [
      "UPDATE captures SET content = X'00112233445566778899AABBCCDDEEFF00112233' WHERE transaction_id = ? AND kind = 'selfie'",
      "DELETE FROM captures WHERE transaction_id = ? AND kind = 'document_front'",
    ]
    for (const sql of damages) {
      const opened = await rig.open()
      await opened.phone.capture()
      await rig.node().service.store.commit(function* () {
        yield [{ sql, values: [opened.id] }]
      })
      await opened.phone.complete()
      await rig.idle()
      await checkFailed(t, rig, opened, 'CAPTURE_UNREADABLE')
      const unread = await readFailure(rig.node().service.transactions, opened.id)
      t.like(unread?.attempts[0], { attempt: 1, code: 'CAPTURE_UNREADABLE', engine: null, stage: 'captures' })
    }
  })

  testOnce(
    `${on}a final cancel ends as CANCELLED from CREATED and from INITIATED, and not after completion`,
    async t => {
      for (const begin of [false, true]) {
        const opened = await rig.open()
        if (begin) await opened.phone.start()
        t.deepEqual((await opened.phone.cancel(false)).body, { status: begin ? 'INITIATED' : 'CREATED' })
        const cancelled = await opened.phone.cancel()
        t.deepEqual([cancelled.status, cancelled.body], [200, { status: 'FAILED' }])
        await checkFailed(t, rig, opened, 'CANCELLED')
        t.deepEqual((await opened.phone.cancel()).body, { status: 'FAILED' }, 'again is the same')
        t.is((await opened.phone.start()).status, 409)
        t.is((await opened.phone.complete()).status, 409)
      }
      const { id, phone } = await verify(rig)
      t.is((await phone.cancel()).status, 409)
      t.is((await rig.view(id)).status, 'FINISHED')
    },
  )

  test.serial(`${on}CREATED and INITIATED expire on time without any call, and not a millisecond before`, async t => {
    const idle = await rig.open({ transaction_ttl_minutes: 7 })
    const begun = await rig.open({ transaction_ttl_minutes: 7 })
    await rig.advance(3 * minute)
    await begun.phone.start()
    await begun.phone.upload('document/front')
    await rig.advance(4 * minute - 1)
    const statusOf = async (id: string) =>
      (await rig.rows('SELECT status FROM transactions WHERE id = ?', id))[0]?.status
    t.deepEqual([await statusOf(idle.id), await statusOf(begun.id)], ['CREATED', 'INITIATED'])
    t.is((await begun.phone.session()).status, 200)
    await rig.advance(1)
    t.deepEqual([await statusOf(idle.id), await statusOf(begun.id)], ['EXPIRED', 'EXPIRED'])
    t.deepEqual([listNotified(rig, idle.id), listNotified(rig, begun.id)], [['EXPIRED'], ['INITIATED', 'EXPIRED']])
    const [occurred] = await rig.rows('SELECT occurred_at FROM deliveries WHERE transaction_id = ?', idle.id)
    t.is(occurred?.occurred_at, rig.clock.now())
    for (const { id, phone } of [idle, begun]) {
      const view = await rig.view(id)
      t.deepEqual([view.status, view.result_data, view.finished_at], ['EXPIRED', null, null])
      t.deepEqual(await rig.rows('SELECT id FROM scheduled_jobs WHERE actor_id = ?', id), [])
      for (const answer of [await phone.session(), await phone.start(), await phone.complete(), await phone.cancel()])
        t.deepEqual([answer.status, Object.keys(answer.body)], [410, ['error']])
    }
  })

  testOnce(`${on}a transaction completed in time never expires, however long its analysis takes`, async t => {
    const done = Promise.withResolvers<void>()
    rig.script(async request => {
      await done.promise
      return createApprovedFindings(request)
    })
    const first = await rig.open({ transaction_ttl_minutes: 1 })
    const second = await rig.open({ transaction_ttl_minutes: 1 })
    for (const { phone } of [first, second]) {
      await phone.capture()
      await phone.complete()
    }
    // One analysis slot: the second waits in COMPLETED.
    await rig.until(async () => (await rig.view(first.id)).status === 'PROCESSING')
    t.is((await rig.view(second.id)).status, 'COMPLETED')
    await rig.advanceBusy(2 * minute)
    t.deepEqual([(await rig.view(first.id)).status, (await rig.view(second.id)).status], ['PROCESSING', 'COMPLETED'])
    done.resolve()
    await rig.idle()
    for (const { id } of [first, second]) {
      t.is((await rig.view(id)).status, 'FINISHED')
      t.deepEqual(listNotified(rig, id), allNotified)
    }
  })
}
