import test, { type ExecutionContext } from 'ava'
import { runAll } from 'durable-xstate-sql'
import type { CrashPoint, Row } from 'durable-xstate-sql/testing'
import { newId } from '../../src/base/ids.ts'
import { openIdempotencyKeys } from '../../src/database/idempotency_keys.ts'
import { nothingGiven } from '../../src/verification/transactions/feedback.ts'
import type { Answer } from '../calls.ts'
import { eachDialect, forOneDialect, type TestEngine } from '../database.ts'
import { number } from '../raw_row.ts'
import { kyc, requestToken } from '../service/client.ts'
import { type Door, openDoor, openTestDoor } from './door.ts'

const dayMs = 24 * 60 * 60_000

/** A token that the tests' turned clock hasn't outlived. */
function newToken({ call, account }: Door): Promise<string> {
  return requestToken(call, account)
}

/** A POST with a key. */
function post(door: Pick<Door, 'call' | 'token'>, what: 'customer' | 'transaction', key: string, json: unknown) {
  return door.call('POST', `${kyc}/${what}`, { token: door.token, json, headers: { 'Idempotency-Key': key } })
}

function rowsOf(door: Door, table: string): Promise<readonly Row[]> {
  return door.service.store.read({ sql: `SELECT * FROM ${table}`, values: [] })
}

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true'
}

async function opened(t: ExecutionContext, engine: TestEngine): Promise<{ door: Door; call: object }> {
  const door = await openTestDoor(t, engine)
  const { body } = await post(door, 'customer', 'the customer', { external_customer_id: 'x' })
  t.is(body.error, 'idempotency-key: must be 1 to 255 visible ASCII characters')
  const customer = await post(door, 'customer', 'the-customer', { external_customer_id: 'x' })
  t.is(customer.status, 201)
  return { door, call: { customer_id: customer.body.customer_id, transaction_type: 'BIOMETRIC_ONLY' } }
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test)
  const { name } = engine

  testOnce(`${name}: the first answer is replayed to the letter, on every node`, async t => {
    const { door, call } = await opened(t, engine)
    const other = await openTestDoor(t, engine, {}, { beside: door })
    const json = { ...call, config: { locale: 'en', transaction_ttl_minutes: 5 }, colour: 'red' }
    const first = await post(door, 'transaction', 'k', json)
    t.is(first.status, 201)
    t.false(isReplay(first))
    await door.clock.advance(10 * 60_000)
    const { colour, config } = json
    const speltAnew = {
      colour,
      config: { transaction_ttl_minutes: config.transaction_ttl_minutes, locale: 'en' },
      ...call,
    }
    for (const [node, body] of [
      [door, json],
      [other, json],
      [other, speltAnew],
    ] as const) {
      const again = await post(node, 'transaction', 'k', body)
      t.true(isReplay(again))
      t.is(again.status, 201)
      t.is(again.text, first.text)
      for (const header of ['location', 'x-ignored-fields', 'content-type', 'cache-control'])
        t.is(again.headers.get(header), first.headers.get(header), header)
      t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
    }
    t.is((await rowsOf(door, 'transactions')).length, 1)
    const customer = await post(other, 'customer', 'the-customer', { external_customer_id: 'x' })
    t.true(isReplay(customer))
    t.is(customer.status, 201, 'a customer that was created gets 201 again')
    const unkeyed = await door.call('POST', `${kyc}/transaction`, { token: door.token, json })
    t.not(unkeyed.body.transaction_id, first.body.transaction_id, 'without a key every call is its own')
  })

  testOnce(`${name}: a key means one request of one account, and what is kept is encrypted`, async t => {
    const { door, call } = await opened(t, engine)
    const first = await post(door, 'transaction', 'k', call)
    const { account, token } = await door.newAccount()
    for (const again of [
      await post(door, 'transaction', 'k', { ...call, config: { locale: 'en' } }),
      await post(door, 'transaction', 'k', { ...call, transaction_type: 'nonsense' }),
      await post(door, 'customer', 'k', call),
    ]) {
      t.is(again.status, 422)
      t.deepEqual(again.body, { error: 'idempotency-key: was used for another request' })
      t.is(again.headers.get('x-error-code'), 'idempotency_key_reused')
      t.false(isReplay(again))
    }
    t.true(isReplay(await post(door, 'transaction', 'k', call)), 'a refused reuse changes nothing')
    const foreign = await post({ ...door, token }, 'customer', 'k', { external_customer_id: 'x' })
    t.is(foreign.status, 201)
    const mine = await post(door, 'customer', 'the-customer', { external_customer_id: 'x' })
    t.not(foreign.body.customer_id, mine.body.customer_id)
    const rows = await rowsOf(door, 'idempotency_keys')
    const accounts = [door.account.account_id, account.account_id]
    t.deepEqual([...new Set(rows.map(row => String(row.account_id)))].sort(), accounts.sort())
    const stored = Object.values(rows)
      .flatMap(Object.values)
      .map(value => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    const secrets = [first.body.sdk_token, 'the-customer'].map(String)
    t.false(stored.some(text => secrets.some(secret => text.includes(secret))))
  })

  testOnce(`${name}: a key is 1 to 255 visible ASCII characters, and an error leaves it free`, async t => {
    const { door, call } = await opened(t, engine)
    for (const key of ['', 'a b', 'é', 'a'.repeat(256), 'a\tb']) {
      const answer = await post(door, 'customer', key, { external_customer_id: 'y' })
      t.is(answer.status, 400)
      t.deepEqual(answer.body, { error: 'idempotency-key: must be 1 to 255 visible ASCII characters' })
    }
    const longest = `"${'~'.repeat(253)}!`
    t.is((await post(door, 'customer', longest, { external_customer_id: 'y' })).status, 201)
    t.true(isReplay(await post(door, 'customer', longest, { external_customer_id: 'y' })))
    t.is((await post({ ...door, token: 'none' }, 'transaction', 'k', call)).status, 401)
    t.is((await post(door, 'transaction', 'k', { ...call, transaction_type: 'nonsense' })).status, 400)
    t.is((await post(door, 'transaction', 'k', { ...call, customer_id: newId() })).status, 404)
    t.is((await post(door, 'customer', 'k', { external_customer_id: 'x', email: 'a@b.example' })).status, 409)
    const done = await post(door, 'transaction', 'k', call)
    t.is(done.status, 201)
    t.false(isReplay(done))
    const twice = `POST ${kyc}/customer HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n`
    t.regex(await door.raw(twice), /^HTTP\/1.1 400 [\s\S]*idempotency-key: given more than once/)
  })

  test(`${name}: concurrent calls with one key do their work once, on whichever nodes they come`, async t => {
    const { door, call } = await opened(t, engine)
    const other = await openTestDoor(t, engine, {}, { beside: door })
    const nodes = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? door : other))
    const answers = await Promise.all(nodes.map(node => post(node, 'transaction', 'k', call)))
    const fresh = answers.filter(answer => answer.status === 201 && !isReplay(answer))
    t.is(fresh.length, 1)
    const text = fresh[0]?.text ?? ''
    for (const answer of answers)
      if (answer.status === 201) t.is(answer.text, text)
      else t.is(answer.headers.get('x-error-code'), 'idempotency_key_in_use', answer.text)
    t.is((await rowsOf(door, 'transactions')).length, 1)

    const people = await Promise.all(nodes.map(node => post(node, 'customer', 'p', { external_customer_id: 'p' })))
    t.is(people.filter(answer => answer.status === 201 && !isReplay(answer)).length, 1)
    for (const { status, headers } of people)
      t.true(status === 201 || headers.get('x-error-code') === 'idempotency_key_in_use')

    const keyed = (index: number) => post(nodes[index] ?? door, 'customer', `c${index}`, { external_customer_id: 'z' })
    const made = await Promise.all(nodes.map((_, index) => keyed(index)))
    t.deepEqual(made.map(({ status }) => status).sort(), [...Array(15).fill(200), 201])
    t.is(new Set(made.map(({ body }) => body.customer_id)).size, 1, 'several keys, one customer')
    for (const [index, { status, text }] of made.entries()) {
      const again = await keyed(index)
      t.true(isReplay(again))
      t.like(again, { status, text })
    }
  })

  test(`${name}: the first of two calls in flight to commit is answered, the other is 409 or 422`, async t => {
    const { door, call } = await opened(t, engine)
    const held = Promise.withResolvers<void>()
    const arrivals = [1, 2].map(() => Promise.withResolvers<void>())
    const arrived = Promise.all(arrivals.map(({ promise }) => promise))
    const { transactions } = door.service
    const slowHost: typeof transactions.host = {
      ...transactions.host,
      async create(...given) {
        arrivals.pop()?.resolve()
        await held.promise
        return transactions.host.create(...given)
      },
    }
    const slow = await openDoor(
      engine,
      { transactions: { ...transactions, host: slowHost, giveFeedback: async () => nothingGiven } },
      { beside: door },
    )
    t.teardown(slow.close)
    const late = [post(slow, 'transaction', 'k', call), post(slow, 'transaction', 'k', { ...call, config: null })]
    await arrived
    const quick = await post(door, 'transaction', 'k', call)
    t.is(quick.status, 201)
    held.resolve()
    const [same, different] = await Promise.all(late)
    t.is(same?.status, 409)
    t.deepEqual(same?.body, { error: 'idempotency-key: another call with it was under way' })
    t.is(same?.headers.get('retry-after'), '1')
    t.is(different?.status, 422)
    t.is((await rowsOf(door, 'transactions')).length, 1)
    t.is((await rowsOf(door, 'journal')).length, 1, 'the loser left nothing')
    t.is((await post(slow, 'transaction', 'k', call)).text, quick.text)
  })

  test(`${name}: a call that breaks before its commit did nothing, after it is replayed`, async t => {
    const { door, call } = await opened(t, engine)
    const doomed = new Set<CrashPoint>()
    const reach = (instant: CrashPoint): void => {
      if (doomed.delete(instant)) throw new Error(`died at ${instant}`)
    }
    const frail = await openTestDoor(t, engine, {}, { beside: door, reach })
    t.is((await post(frail, 'customer', 'warm', { external_customer_id: 'w' })).status, 201)
    for (const instant of ['commit.begun', 'commit.written', 'commit.durable'] as const) {
      const before = (await rowsOf(door, 'transactions')).length
      doomed.add(instant)
      t.is((await post(frail, 'transaction', instant, call)).status, 500)
      t.is(doomed.size, 0, 'the instant was reached')
      const done = (await rowsOf(door, 'transactions')).length - before
      t.is(done, instant === 'commit.durable' ? 1 : 0)
      const again = await post(door, 'transaction', instant, call)
      t.is(again.status, 201)
      t.is(isReplay(again), done === 1)
      t.is((await rowsOf(door, 'transactions')).length, before + 1)
      const session = await door.call('GET', '/api/sdk/v1/session', { token: String(again.body.sdk_token) })
      t.is(session.status, 200, 'the token in the answer works')
    }
  })

  test(`${name}: an answer is kept for 24 hours, and then goes`, async t => {
    const { door, call } = await opened(t, engine)
    const first = await post(door, 'transaction', 'k', call)
    await door.clock.advance(dayMs - 1)
    t.is((await post({ ...door, token: await newToken(door) }, 'transaction', 'k', call)).text, first.text)
    await door.clock.advance(1)
    const again = await post({ ...door, token: await newToken(door) }, 'transaction', 'k', { ...call, config: {} })
    t.is(again.status, 201)
    t.false(isReplay(again))
    t.not(again.body.transaction_id, first.body.transaction_id)
    t.deepEqual(
      (await rowsOf(door, 'idempotency_keys')).map(row => number(row, 'expires_at')),
      [door.clock.now() + dayMs],
      'the old ones are gone',
    )

    const { store } = door.service
    const keys = openIdempotencyKeys(door.service)
    const answer = { status: 200, subject_id: newId(), headers: {}, body: null }
    for (let index = 0; index < 150; index++) {
      const old = { account_id: newId(), key: String(index), request: '' }
      await store.commit(() => runAll(keys.keep(old, answer)))
    }
    await door.clock.advance(dayMs)
    const token = await newToken(door)
    const left = async (key: string): Promise<number> => {
      t.is((await post({ ...door, token }, 'transaction', key, call)).status, 201)
      return (await rowsOf(door, 'idempotency_keys')).length
    }
    t.is(await left('a'), 52, 'a hundred at most in one call')
    t.is(await left('b'), 2)
  })
}
