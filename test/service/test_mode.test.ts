import { defaultDevicePolicy, defaultDocumentPolicy, defaultFraudPolicy } from '@attestor/rules'
import test from 'ava'
import type { Unit } from 'durable-xstate-sql'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import type { TransactionDeps } from '../../src/verification/transactions/deps.ts'
import {
  advanceTestClock,
  finishClockAdvances,
  maxAdvancedPerCommit,
} from '../../src/verification/transactions/test_clock.ts'
import { openTransaction } from '../../src/verification/transactions/transactions.ts'
import { oneDialect } from '../database.ts'
import { kyc } from './client.ts'
import { getResult, listCodes, listNotified } from './outcomes.ts'
import { openRig, openTestRig, type Rig } from './rig.ts'

const minute = 60_000
/** A script without a phone asks for no location. */
const not_requested = 'GEOLOCATION_NOT_REQUESTED'

/** Dependencies whose store counts the rows of each commit, and whose process ends before the commit after `most`. */
function countCommits(deps: TransactionDeps, most: number): { deps: TransactionDeps; written: number[] } {
  const written: number[] = []
  const counted = function* <T>(unit: Unit<T>): Unit<T> {
    let rows = 0
    let step = unit.next()
    while (!step.done) {
      const outcomes = yield step.value
      rows += outcomes.reduce((sum, { changed }) => sum + changed, 0)
      step = unit.next(outcomes)
    }
    written.push(rows)
    return step.value
  }
  const commit: TransactionDeps['store']['commit'] = async unit => {
    if (written.length === most) throw new Error('the process ended')
    return deps.store.commit(() => counted(unit()))
  }
  return { deps: { ...deps, store: { ...deps.store, commit } }, written }
}

for (const engine of oneDialect) {
  let rig: Rig
  const on = `On ${engine.name}: `
  const post = async (path: string, json: object) =>
    rig.call('POST', `${kyc}${path}`, { token: await rig.token(), json })
  const walk = (id: string, to: string) => post(`/test/transaction/${id}/walk`, { to })
  /** A scripted transaction, taken as far as its script goes. */
  const play = async (test: object, more: object = {}, body: object = {}) => {
    const { id } = await rig.open({ test, ...more }, body)
    const walked = await walk(id, 'COMPLETED')
    if (walked.status !== 200) throw new Error(`answered ${walked.status}: ${walked.text}`)
    await rig.idle()
    return id
  }

  test.serial.before(async () => {
    rig = await openRig(engine, {}, 'test')
    rig.script(() => {
      throw new Error('nobody looks at the captures of a scripted transaction')
    })
  })
  test.serial.after.always(() => rig.close())

  test.serial(
    `${on}a script sets the decision, and a transaction without a phone walks through every state`,
    async t => {
      const { id } = await rig.open({ test: { decision: 'APPROVED' } })
      const started = await walk(id, 'INITIATED')
      t.deepEqual([started.status, started.body.status], [200, 'INITIATED'])
      t.is((await walk(id, 'COMPLETED')).status, 200)
      await rig.idle()
      const view = await rig.view(id)
      t.deepEqual([view.status, getResult(view).decision, listCodes(view)], ['FINISHED', 'APPROVED', []])
      t.deepEqual(listNotified(rig, id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
      t.is((await walk(id, 'FINISHED')).status, 400)
    },
  )

  test.serial(`${on}a second chance is walked as the first one, and its script sets the outcome`, async t => {
    await switchAccount(rig.node().service, rig.account.account_id, 'resubmission', true)
    t.teardown(() => switchAccount(rig.node().service, rig.account.account_id, 'resubmission', false))
    for (const [second_issues, decision] of [
      [[], 'APPROVED'],
      [['FACE_MISMATCH'], 'REJECTED'],
    ] as const) {
      const { id, phone } = await rig.open({ test: { issues: ['SELFIE_LOW_QUALITY'], second_issues } })
      t.is((await walk(id, 'COMPLETED')).status, 200)
      await rig.until(async () => (await phone.session()).body.waiting_for === 'resubmission')
      t.is((await rig.view(id)).status, 'PROCESSING')
      t.is((await walk(id, 'COMPLETED')).status, 200)
      await rig.idle()
      t.is(getResult(await rig.view(id)).decision, decision)
    }
    const test = { second_issues: ['NAME_MISMATCH'] }
    const call = { customer_id: await rig.customer(), transaction_type: 'DOCUMENT_AND_BIOMETRIC', config: { test } }
    t.deepEqual((await post('/transaction', call)).body, {
      error: 'config.test.second_issues: NAME_MISMATCH needs config.expected_data.first_name',
    })
  })

  test.serial(
    `${on}a walk needs no script, and repeated or made several times at once it does nothing twice`,
    async t => {
      const { id } = await rig.open()
      const walks = await Promise.all([1, 2, 3].map(() => walk(id, 'COMPLETED')))
      t.deepEqual(
        walks.map(({ status }) => status),
        [200, 200, 200],
      )
      await rig.idle()
      const view = await rig.view(id)
      t.deepEqual([view.status, getResult(view).decision, listCodes(view)], ['FINISHED', 'APPROVED', []])
      for (const to of ['INITIATED', 'COMPLETED']) {
        const again = await walk(id, to)
        t.deepEqual([again.status, again.body], [200, view])
      }
      t.deepEqual(listNotified(rig, id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
      const half = await rig.open()
      await half.phone.capture()
      t.is((await walk(half.id, 'COMPLETED')).status, 200, 'it takes the steps that are missing, here none')
      const cancelled = await rig.open()
      await cancelled.phone.start()
      await cancelled.phone.cancel()
      const ended = await walk(cancelled.id, 'COMPLETED')
      t.deepEqual([ended.status, ended.body.error], [409, 'transaction: has ended'])
    },
  )

  test.serial(`${on}a step-up is approved only for a customer with an enrolled face`, async t => {
    const customer_id = await rig.customer()
    const stepUp = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const ask = (config: object) => post('/transaction', { ...stepUp, config })
    const refusals: readonly [config: object, error: string][] = [
      [
        { test: { decision: 'APPROVED' } },
        'config.test.decision: these issues come to UNDETERMINED; APPROVED needs a customer with an enrolled face',
      ],
      [
        { reference: 'test:approved' },
        'config.reference: these issues come to UNDETERMINED; APPROVED needs a customer with an enrolled face',
      ],
      [
        { test: { issues: ['FACE_MISMATCH'] } },
        'config.test.issues: FACE_MISMATCH needs a customer with an enrolled face',
      ],
    ]
    for (const [config, error] of refusals) {
      const answer = await ask(config)
      t.deepEqual([answer.status, answer.body.error], [400, error])
    }
    const walked = await rig.open({}, stepUp)
    await walk(walked.id, 'COMPLETED')
    await rig.idle()
    const bare = await rig.view(walked.id)
    t.deepEqual([getResult(bare).decision, listCodes(bare)], ['UNDETERMINED', ['FACE_NOT_ENROLLED']])
    const rejected = await rig.view(await play({ decision: 'REJECTED' }, {}, stepUp))
    t.is(getResult(rejected).decision, 'REJECTED')
    await play({ decision: 'APPROVED' }, {}, { customer_id })
    const approved = await rig.view(await play({ decision: 'APPROVED' }, {}, stepUp))
    t.deepEqual([getResult(approved).decision, listCodes(approved)], ['APPROVED', []])
  })

  test.serial(`${on}the account's clock dates customers too`, async t => {
    const own = await openTestRig(t, engine, {}, 'test')
    const made = async (path: string, json: object) =>
      (await own.call('POST', `${kyc}${path}`, { token: await own.token(), json })).body
    await made('/test/clock', { advance_seconds: 86_400 })
    const { created_at } = await made('/customer', { external_customer_id: 'of tomorrow' })
    t.is(created_at, new Date(own.clock.now() + 86_400_000).toISOString())
  })

  test.serial(
    `${on}decisions, issues and failures come as they were scripted, by the rules that judge every other`,
    async t => {
      const rejected = await rig.view(await play({ decision: 'REJECTED' }))
      t.deepEqual([getResult(rejected).decision, listCodes(rejected)], ['REJECTED', ['FACE_MISMATCH']])
      const open = await rig.view(await play({ decision: 'UNDETERMINED' }, {}, { transaction_type: 'BIOMETRIC_ONLY' }))
      t.deepEqual([getResult(open).decision, listCodes(open)], ['UNDETERMINED', ['FACE_NOT_ENROLLED']])
      const issues = ['EMULATOR_DETECTED', 'EXPIRED_DOCUMENT', 'DOCUMENT_GLARE']
      const several = await rig.view(await play({ issues }, { device_policy: { on_emulator: 'WARN' } }))
      t.deepEqual(listCodes(several), ['EXPIRED_DOCUMENT', 'DOCUMENT_GLARE', 'EMULATOR_DETECTED'])
      const expected_data = { first_name: 'Ana', last_name: 'Pérez', date_of_birth: '1980-02-29' }
      const named = await rig.view(await play({ issues: ['NAME_MISMATCH'] }, { expected_data }))
      t.deepEqual(listCodes(named), ['NAME_MISMATCH'])
      const unreadable = await rig.view(await play({ failure: 'CAPTURE_UNREADABLE' }))
      t.deepEqual([unreadable.status, listCodes(unreadable)], ['FAILED', ['CAPTURE_UNREADABLE', not_requested]])
      const failing = await play({ failure: 'ANALYSIS_ERROR' })
      t.is((await rig.view(failing)).status, 'PROCESSING', 'it is tried again')
      await rig.advance(minute)
      t.deepEqual(listCodes(await rig.view(failing)), ['ANALYSIS_ERROR', not_requested])
    },
  )

  test.serial(`${on}a script that can't come about is refused by the field that is wrong`, async t => {
    const customer_id = await rig.customer()
    const refusals: readonly [config: object, error: RegExp][] = [
      [
        { test: { issues: ['NAME_MISMATCH'] } },
        /^config\.test\.issues: NAME_MISMATCH needs config\.expected_data\.first_name$/,
      ],
      [
        { reference: 'test:date_of_birth_mismatch' },
        /^config\.reference: DATE_OF_BIRTH_MISMATCH needs config\.expected_data\.date_of_birth$/,
      ],
      [
        { test: { issues: ['FACE_NOT_ENROLLED'] } },
        /^config\.test\.issues: FACE_NOT_ENROLLED needs transaction_type BIOMETRIC_ONLY$/,
      ],
      [
        { test: { issues: ['UNSUPPORTED_DOCUMENT', 'EXPIRED_DOCUMENT'] } },
        /^config\.test\.issues: EXPIRED_DOCUMENT is impossible with the other issues, this type and policy$/,
      ],
      [{ test: { decision: 'APPROVED', issues: ['FACE_MISMATCH'] } }, /^config\.test\.decision: .* REJECTED$/],
      [
        { test: { issues: ['EMULATOR_DETECTED'] }, device_policy: { on_emulator: 'IGNORE' } },
        /^config\.test\.issues: EMULATOR_DETECTED needs config\.device_policy\.on_emulator other than IGNORE$/,
      ],
      [{ reference: 'test:whatever' }, /^config\.reference: test: must be followed by/],
    ]
    for (const [config, error] of refusals) {
      const json = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
      const { status, body } = await post('/transaction', json)
      t.is(status, 400)
      t.regex(String(body.error), error)
    }
  })

  test.serial(`${on}a magic reference is a script for those who can send none`, async t => {
    const { id } = await rig.open({ reference: 'test:expired_document' })
    t.is((await walk(id, 'COMPLETED')).status, 200)
    await rig.idle()
    t.deepEqual(listCodes(await rig.view(id)), ['EXPIRED_DOCUMENT'])
  })

  test.serial(`${on}the clock of one transaction is advanced: it expires, and only it`, async t => {
    const one = await rig.open()
    const other = await rig.open()
    const { status, body } = await post('/test/clock', { transaction_id: one.id, expires_in_seconds: 1 })
    t.is(status, 200, String(body.error))
    t.is(body.now, new Date(rig.clock.now() + 59 * minute + 59_000).toISOString())
    t.is((await rig.view(one.id)).status, 'CREATED')
    await rig.advance(minute)
    t.deepEqual([(await rig.view(one.id)).status, (await rig.view(other.id)).status], ['EXPIRED', 'CREATED'])
    t.is((await one.phone.session()).status, 410)
    t.deepEqual(listNotified(rig, one.id), ['EXPIRED'])
    t.is((await post('/test/clock', { transaction_id: other.id, expires_in_seconds: 86_400 })).status, 400)
    const sql = 'UPDATE transactions SET clock_offset_ms = ? WHERE id = ?'
    const values = [Date.UTC(8995, 0) - rig.clock.now(), other.id]
    await rig.node().service.store.commit(function* () {
      yield [{ sql, values }]
    })
    const decade = await post('/test/clock', { transaction_id: other.id, advance_seconds: 315_360_000 })
    t.is(decade.body.error, 'advance_seconds: the clock would go beyond the year 8999')
  })

  test.serial(
    `${on}the clocks of many transactions are advanced in several commits, each once, even after an interruption`,
    async t => {
      const many = await openTestRig(t, engine, {}, 'test')
      const { transactions } = many.node().service
      const { account_id, client_id } = many.account
      const open = async (customer_id: string) => {
        const config = {
          webhook: null,
          transaction_ttl_minutes: 60,
          device_policy: defaultDevicePolicy,
          fraud_policy: defaultFraudPolicy,
          document_policy: defaultDocumentPolicy,
          age: null,
          app_link: null,
          locale: null,
          redirect_url: null,
          embed_origins: [],
        }
        const request = { customer_id, transaction_type: 'BIOMETRIC_ONLY', reference: null } as const
        const call = { ...request, ...config, expected_data: null, requested_test: null }
        await openTransaction(transactions, { account_id, client_id }, call)
      }
      const customer_id = await many.customer()
      const count = 2 * maxAdvancedPerCommit + 1
      for (let n = 0; n < count; n++) await open(customer_id)
      const began = many.clock.now()
      const call = { account_id, transaction_id: null, by_ms: minute }
      const broken = countCommits(transactions, 1)
      await t.throwsAsync(advanceTestClock(broken.deps, call), { message: 'the process ended' })
      await open(customer_id)
      const started = countCommits(transactions, 9)
      await finishClockAdvances(started.deps)
      const spread = `SELECT MIN(clock_offset_ms) AS least, MAX(clock_offset_ms) AS most, COUNT(*) AS n FROM transactions`
      t.deepEqual(await many.rows(spread), [{ least: minute, most: minute, n: count + 1 }])
      const due = 'SELECT MIN(ready_at) AS least, MAX(ready_at) AS most FROM scheduled_jobs'
      t.deepEqual(await many.rows(due), [{ least: began + 59 * minute, most: began + 60 * minute }])
      const whole = countCommits(transactions, 9)
      t.is((await advanceTestClock(whole.deps, call)).now, new Date(began + 2 * minute).toISOString())
      t.like((await many.rows(spread))[0], { least: 2 * minute, most: 2 * minute })
      // A transaction and its timer each, the account's own clock, and the position.
      for (const { written } of [broken, started, whole])
        t.true(Math.max(...written) <= 2 * maxAdvancedPerCommit + 2, written.join())
      t.true(whole.written.length >= 3)
      t.deepEqual(await many.rows(`SELECT name FROM facts WHERE name LIKE 'clock%'`), [])
    },
  )

  test.serial(`${on}a delay and a deadline run on the account's own clock`, async t => {
    const { id } = await rig.open({ test: { decision: 'APPROVED', delay_seconds: 200 } })
    const late = await rig.open({ test: { failure: 'ANALYSIS_TIMEOUT' } })
    await walk(id, 'COMPLETED')
    await walk(late.id, 'COMPLETED')
    await rig.idle()
    t.deepEqual([(await rig.view(id)).status, (await rig.view(late.id)).status], ['PROCESSING', 'PROCESSING'])
    t.is((await post('/test/clock', { advance_seconds: 199 })).body.advanced_seconds, 199)
    await rig.advance(minute)
    const finished = await rig.view(id)
    t.deepEqual([finished.status, getResult(finished).decision], ['FINISHED', 'APPROVED'])
    const began = Date.parse(String(finished.processing_at))
    const ended = Date.parse(String(finished.finished_at))
    t.true(ended - began >= 200_000, 'its timestamps are those of its own clock')
    await post('/test/clock', { advance_seconds: 100 })
    await rig.advance(minute)
    const timed_out = await rig.view(late.id)
    t.deepEqual([timed_out.status, listCodes(timed_out)], ['FAILED', ['ANALYSIS_TIMEOUT', not_requested]])
    const later = await rig.open()
    const { created_at } = await rig.view(later.id)
    t.is(Date.parse(String(created_at)) - rig.clock.now(), 299_000, 'what is opened later lives by the same clock')
    t.is((await later.phone.start()).status, 200)
  })

  test.serial(`${on}a receiver is made to fail as often as the script says, and is not called then`, async t => {
    const failing = await play({ decision: 'APPROVED', webhook: { attempts: 2, answer: 'TIMEOUT' } })
    t.deepEqual(listNotified(rig, failing), [])
    await rig.advance(10 * minute)
    t.deepEqual(listNotified(rig, failing), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
    const attempts = await rig.rows(
      'SELECT a.error, a.outcome FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.transaction_id = ? AND d.sequence = 1 ORDER BY a.started_at, a.attempt',
      failing,
    )
    t.deepEqual(
      attempts.map(({ error, outcome }) => [outcome, error]),
      [
        ['failed', 'timed out'],
        ['failed', 'timed out'],
        ['delivered', null],
      ],
    )
    const gone = await play({ decision: 'APPROVED', webhook: { attempts: 1, answer: 'GONE' } })
    const first = async () =>
      (await rig.rows('SELECT id, status FROM deliveries WHERE transaction_id = ? ORDER BY sequence', gone))[0]
    t.is((await first())?.status, 'GONE')
    t.is((await post(`/transaction/${gone}/deliveries/${(await first())?.id}/redeliver`, {})).status, 202)
    await rig.idle()
    t.is((await first())?.status, 'DELIVERED')
    t.deepEqual(listNotified(rig, gone), ['INITIATED'], 'the others were gone too, and nobody asked for them again')
  })

  test.serial(`${on}a listener makes the deliveries to its host, in order, each while its lease holds`, async t => {
    const id = await play({ decision: 'APPROVED' }, { webhook: { url: 'https://listen.invalid/hooks' } })
    type Taken = { delivery_id: string; lease: string; body: string; headers: Record<string, string> } | null
    const take = async (): Promise<Taken> => (await post('/test/listen', {})).body.delivery as Taken
    const statusOf = (taken: Taken): unknown => JSON.parse(taken?.body ?? '{}').status
    const first = await take()
    t.is(statusOf(first), 'INITIATED')
    t.is(await take(), null, 'the next waits')
    const hear = (taken: Taken, heard: object) =>
      post(`/test/listen/${taken?.delivery_id}`, { lease: taken?.lease, duration_ms: 5, ...heard })
    t.is((await hear(first, { status: 500 })).status, 204)
    t.is(await take(), null, 'it backs off')
    await rig.advance(minute)
    const again = await take()
    t.deepEqual([statusOf(again), again?.headers['X-Delivery-Attempt']], ['INITIATED', '2'])
    t.is((await hear(first, { status: 200 })).status, 409, 'an old lease says nothing any more')
    await rig.advance(minute)
    const takenOver = await take()
    t.is(takenOver?.delivery_id, again?.delivery_id, 'a listener that went away left its lease')
    t.is((await hear(again, { status: 200 })).status, 409)
    t.is((await hear(takenOver, { status: 204 })).status, 204)
    for (const status of ['COMPLETED', 'PROCESSING', 'FINISHED']) {
      await rig.idle()
      const next = await take()
      t.is(statusOf(next), status)
      t.is((await hear(next, { status: 200 })).status, 204)
    }
    const deliveries = await rig.rows('SELECT status FROM deliveries WHERE transaction_id = ?', id)
    t.deepEqual(new Set(deliveries.map(({ status }) => status)), new Set(['DELIVERED']))
    t.is(
      (await post('/test/listen/01890a5d-ac96-774b-bcce-b302099a8057', { lease: 'a.b', status: 200, duration_ms: 1 }))
        .status,
      404,
    )
  })

  test.serial(`${on}a live account has none of this`, async t => {
    const live = await openTestRig(t, engine)
    const { id } = await live.open({ reference: 'test:rejected' })
    const token = await live.token()
    const call = (path: string, json: object) => live.call('POST', `${kyc}${path}`, { token, json })
    t.is((await call('/test/clock', { advance_seconds: 1 })).status, 409)
    t.is((await call(`/test/transaction/${id}/walk`, { to: 'INITIATED' })).status, 409)
    t.is((await call('/test/listen', {})).status, 409)
    const customer_id = await live.customer()
    for (const url of ['https://listen.invalid/', 'https://listen.invalid:8443/hooks', 'https://LISTEN.invalid/']) {
      const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { webhook: { url } } }
      const { status, body } = await call('/transaction', json)
      t.deepEqual([status, body.error], [400, 'config.webhook.url: listen.invalid is only for test accounts'])
    }
    const config = { test: { decision: 'APPROVED' } }
    const refused = await call('/transaction', { customer_id, transaction_type: 'BIOMETRIC_ONLY', config })
    t.deepEqual(
      [refused.status, refused.body.error],
      [400, 'config.test: must be absent: only a test account takes it'],
    )
    const other = await rig.open()
    t.is((await call('/test/clock', { transaction_id: other.id, advance_seconds: 1 })).status, 409)
    t.is(
      (
        await rig.call('POST', `${kyc}/test/transaction/${id}/walk`, {
          token: await rig.token(),
          json: { to: 'INITIATED' },
        })
      ).status,
      404,
    )
  })
}
