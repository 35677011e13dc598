import test from 'ava'
import { run, runAll, type Unit } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import { scannedRows } from '../../src/webhooks/delivery_list.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import { inLongTier } from '../tier.ts'
import { kyc } from './client.ts'
import { attestor, urlOf } from './programs.ts'
import { openRig, type Rig } from './rig.ts'

interface Attempt {
  readonly attempt: number
  readonly started_at: string
  readonly outcome: string
  readonly http_status: number | null
  readonly address: string | null
  readonly error: string | null
  readonly answer: string | null
}

interface Delivery {
  readonly delivery_id: string
  readonly status: string
  readonly state: string
  readonly next_attempt_at: string | null
  readonly origin: string
  readonly origin_paused_at: string | null
  readonly attempts: readonly Attempt[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** More delivered ones than a page looks at, and one after them that is gone. */
function many(account_id: string, transaction_id: string) {
  return Array.from({ length: scannedRows + 1 }, (_, n) =>
    insert('deliveries', {
      id: newId(),
      account_id,
      snapshot: '{}',
      version: 1,
      chart_version: 1,
      created_at: 1,
      transaction_id,
      status: n === scannedRows ? 'GONE' : 'DELIVERED',
      sequence: 100 + n,
      event_id: newId(),
      notified_status: 'FINISHED',
      occurred_at: n,
    }),
  )
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test.serial)
  let rig: Rig
  const on = `On ${engine.name}: `
  const listed = async (id: string): Promise<readonly Delivery[]> =>
    (await rig.call('GET', `${kyc}/transaction/${id}/deliveries`, { token: await rig.token() })).body
      .data as readonly Delivery[]
  const only = async (id: string): Promise<Delivery> => {
    const [delivery, ...more] = await listed(id)
    if (delivery === undefined || more.length > 0) throw new Error('one delivery was expected')
    return delivery
  }
  const redeliver = async (id: string, delivery_id: string) =>
    rig.call('POST', `${kyc}/transaction/${id}/deliveries/${delivery_id}/redeliver`, { token: await rig.token() })
  const started = async (): Promise<string> => {
    const { id, phone } = await rig.open({ webhook: { url: rig.hook.url, events: ['INITIATED'] } })
    await phone.start()
    return id
  }
  const webhook = async (...words: string[]): Promise<string> => {
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    const { stdout, stderr } = await attestor(['webhook', ...words], environment)
    return `${stdout}${stderr}`.trim()
  }

  test.serial.beforeEach(async () => {
    rig = await openRig(engine, { WEBHOOK_PAUSE_HOURS: '2', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' })
  })
  test.serial.afterEach.always(() => rig.close())

  testOnce(
    `${on}every attempt is listed with its outcome, and the receiver's words are for its account alone`,
    async t => {
      const said = 'canary of the receiver: Größe'
      rig.hook.answer((_webhook, seen) =>
        seen === 1 ? { status: 503, text: `${said}${'x'.repeat(5000)}` } : { status: 200, text: 'ok' },
      )
      const id = await started()
      await rig.idle()
      const failed = await only(id)
      t.like(failed, {
        status: 'INITIATED',
        state: 'BACKING_OFF',
        origin: `https://${rig.hook.host}`,
        origin_paused_at: null,
      })
      t.like(failed.attempts[0], {
        attempt: 1,
        outcome: 'failed',
        http_status: 503,
        address: '127.0.0.1',
        error: 'answered 503',
      })
      t.true(failed.attempts[0]?.answer?.startsWith(said))
      t.is(Buffer.byteLength(failed.attempts[0]?.answer ?? ''), 1024)
      const wait_ms = Date.parse(failed.next_attempt_at ?? '') - rig.clock.now()
      t.true(wait_ms >= 4000 && wait_ms <= 6000, String(wait_ms))
      await rig.advance(wait_ms)
      const delivered = await only(id)
      t.like(delivered, { state: 'DELIVERED', next_attempt_at: null })
      t.deepEqual(
        delivered.attempts.map(({ attempt, outcome, http_status, answer }) => [
          attempt,
          outcome,
          http_status,
          answer?.slice(0, 2),
        ]),
        [
          [1, 'failed', 503, 'ca'],
          [2, 'delivered', 200, 'ok'],
        ],
      )
      for (const table of ['delivery_attempts', 'deliveries', 'scheduled_jobs', 'journal', 'origins'])
        t.false(JSON.stringify(await rig.rows(`SELECT * FROM ${table}`)).includes('canary'))
      t.false(JSON.stringify(rig.lines).includes('canary'))
      // Without the key the response can't be decrypted; the rest is still listed.
      t.is((await rig.rows('SELECT answer FROM delivery_attempts')).length, 2)
    },
  )

  testOnce(
    `${on}a delivery is repeated on request: 202; 409 while it is under way; 404 with another transaction`,
    async t => {
      const id = await started()
      await rig.idle()
      const { delivery_id } = await only(id)
      t.is((await redeliver(await started(), delivery_id)).status, 404)
      rig.hook.answer(() => ({ status: 500 }))
      const accepted = await redeliver(id, delivery_id)
      t.is(accepted.status, 202)
      t.is(accepted.body.delivery_id, delivery_id)
      await rig.idle()
      const again = await redeliver(id, delivery_id)
      t.is(again.status, 409)
      t.deepEqual(again.body, { error: 'delivery_id: is in flight' })
      const seen = rig.hook.received.filter(({ headers }) => headers['x-delivery-id'] === delivery_id)
      t.deepEqual(
        seen.map(({ headers, refused }) => [headers['x-delivery-attempt'], refused]),
        [
          ['1', null],
          ['1', null],
        ],
      )
      t.is(seen[0]?.body.event_id, seen[1]?.body.event_id)
    },
  )

  // Breakers are in the node's memory, on all databases.
  testOnce(`${on}a breaker delays and uses up no attempt; a success closes it for all that wait`, async t => {
    await rig.hook.down()
    const ids: string[] = []
    for (let count = 0; count < 8; count++) ids.push(await started())
    await rig.idle()
    const attempts = async (): Promise<number> => (await rig.rows('SELECT id FROM delivery_attempts')).length
    t.is(await attempts(), 5, 'five failures open it; the other three have not been tried')
    await rig.advance(9_999)
    t.is(await attempts(), 5)
    await rig.advance(1)
    t.is(await attempts(), 6, 'one probe')
    await rig.advance(19_999)
    t.is(await attempts(), 6)
    await rig.hook.up()
    await rig.advance(1)
    await rig.advance(6 * minuteMs)
    for (const id of ids) {
      const delivery = await only(id)
      t.is(delivery.state, 'DELIVERED')
      t.true(delivery.attempts.length <= 3, 'none lost an attempt to the breaker')
      t.is(delivery.attempts.at(-1)?.attempt, delivery.attempts.length)
    }
  })

  inLongTier(test.serial)(
    `${on}an origin with nothing but failures is paused, says so, and goes on when it is resumed`,
    async t => {
      await rig.hook.down()
      const early = await started()
      await rig.advance(2 * hourMs)
      t.is((await only(early)).state, 'EXHAUSTED')
      const late = await started()
      await rig.advance(10 * minuteMs)
      const paused = await only(late)
      t.is(paused.attempts.length, 1, 'it failed once, after which the origin was paused')
      t.not(paused.origin_paused_at, null)
      t.true(
        rig.lines.some(({ level, message }) => level === 'warn' && String(message).startsWith('an origin is paused')),
      )
      const waiting = await started()
      await rig.advance(24 * hourMs)
      t.deepEqual((await only(waiting)).attempts, [])
      t.is((await only(waiting)).next_attempt_at !== null, true)
      const [line] = (await webhook('paused')).split('\n')
      t.like(JSON.parse(line ?? ''), { origin: `https://${rig.hook.host}`, account_id: rig.account.account_id })
      t.is(await webhook('resume', 'https://elsewhere.example'), 'origin: no paused origin has that name')
      t.is(await webhook('resume', `https://${rig.hook.host}/any/path`), '1 resumed')
      await rig.advance(10 * minuteMs)
      t.not((await only(late)).origin_paused_at, null, 'still dead: one attempt, and paused again')
      const tried = (await rig.rows('SELECT id FROM delivery_attempts')).length
      await rig.advance(hourMs)
      t.is((await rig.rows('SELECT id FROM delivery_attempts')).length, tried)
      await rig.hook.up()
      t.is((await redeliver(waiting, (await only(waiting)).delivery_id)).status, 202, 'it waits no longer')
      await rig.advance(30 * minuteMs)
      t.deepEqual([(await only(waiting)).state, (await only(early)).state], ['DELIVERED', 'EXHAUSTED'])
      t.is((await redeliver(early, (await only(early)).delivery_id)).status, 202)
      await rig.advance(30 * minuteMs)
      for (const id of [early, late, waiting]) t.is((await only(id)).state, 'DELIVERED', id)
      t.is((await only(late)).origin_paused_at, null)
      t.is(await webhook('paused'), '')
    },
  )

  test.serial(`${on}an origin that answered promptly gets nothing while an operator has it paused`, async t => {
    const { store } = rig.node().service
    const early = await started()
    await rig.idle()
    t.is((await only(early)).state, 'DELIVERED')
    const pause = 'UPDATE origins SET paused_at = ?, paused_by = ?'
    await store.commit(() => run({ sql: pause, values: [rig.clock.now(), newId()] }))
    const late = await started()
    await rig.advance(minuteMs)
    t.deepEqual((await only(late)).attempts, [])
    await store.commit(() => run({ sql: pause, values: [null, null] }))
    await rig.advance(minuteMs)
    t.is((await only(late)).state, 'DELIVERED')
  })

  test.serial(`${on}an account lists all its deliveries, and repeats the failed ones a page at a time`, async t => {
    const onAll = async (method: string, path: string, token?: string) =>
      rig.call(method, `${kyc}/delivery${path}`, { token: token ?? (await rig.token()) })
    const idsOf = (body: Readonly<Record<string, unknown>>) =>
      (body.data as readonly { transaction_id: string }[]).map(({ transaction_id }) => transaction_id)
    await rig.hook.down()
    const from = new Date(rig.clock.now()).toISOString()
    const one = await started()
    const two = await started()
    const three = await started()
    await rig.advance(30 * minuteMs)
    const missed = `state=EXHAUSTED&from=${from}&limit=2`
    const page = await onAll('GET', `?${missed}`)
    t.deepEqual(idsOf(page.body), [one, two])
    const rest = await onAll('GET', `?${missed}&cursor=${page.body.next_cursor}`)
    t.deepEqual([idsOf(rest.body), rest.body.next_cursor], [[three], null])
    const stranger = await rig.token(await rig.newAccount())
    t.deepEqual((await onAll('GET', '', stranger)).body, { data: [], next_cursor: null })
    t.is((await onAll('GET', `?${missed}&cursor=${page.body.next_cursor}`, stranger)).status, 400)
    t.is((await onAll('POST', `/redeliver?from=${from}`, stranger)).body.redelivered, 0)
    await rig.hook.up()
    const again = await onAll('POST', `/redeliver?from=${from}&limit=2`)
    t.deepEqual([again.status, again.body.redelivered], [202, 2])
    const last = await onAll('POST', `/redeliver?from=${from}&limit=2&cursor=${again.body.next_cursor}`)
    t.deepEqual(last.body, { redelivered: 1, next_cursor: null })
    await rig.advance(30 * minuteMs)
    for (const id of [one, two, three]) t.is((await only(id)).state, 'DELIVERED')
    t.is((await rig.call('DELETE', `${kyc}/transaction/${two}`, { token: await rig.token() })).status, 200)
    t.deepEqual(idsOf((await onAll('GET', '')).body), [one, three], 'what was erased is not listed')
    await rig.node().service.store.commit(() => runAll(many(rig.account.account_id, one)) as Unit<unknown>)
    const none = await onAll('GET', '?state=GONE')
    t.deepEqual(none.body.data, [], 'none among those that one page looks at')
    t.is(idsOf((await onAll('GET', `?state=GONE&cursor=${none.body.next_cursor}`)).body).length, 1)
  })
}
