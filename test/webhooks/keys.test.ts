import { createPublicKey, verify } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { openStore, type Store } from 'durable-xstate-sql'
import { ApiError } from '../../src/base/api_error.ts'
import { type SigningAlgorithm, signDelivery } from '../../src/identity/keys/sign.ts'
import { readKeys } from '../../src/identity/keys/signing_keys.ts'
import { openWebhookKeys, rotateWebhookKeys, type WebhookKeys } from '../../src/identity/keys/webhook_keys.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import { eachDialect, forOneDialect, type TestEngine } from '../database.ts'
import { bytes, text } from '../raw_row.ts'

const serviceKeys = { roots: [Buffer.alloc(32, 3)], lookup: Buffer.alloc(32, 4) }
const hourMs = 3600_000
const dayMs = 24 * hourMs
const transaction_id = '019a2b3c-0000-7000-8000-000000000000'

interface Setting {
  readonly store: Store
  readonly clock: ManualClock
  node(algorithm?: SigningAlgorithm): Promise<WebhookKeys>
  rotate(algorithm?: SigningAlgorithm, noticeMs?: number): ReturnType<typeof rotateWebhookKeys>
}

async function setUp(t: ExecutionContext, engine: TestEngine): Promise<Setting> {
  const { address, drop } = await engine.fresh()
  const store = await openStore(address, 4)
  t.teardown(async () => {
    await store.close()
    await drop()
  })
  const clock = manualClock()
  const options = (algorithm: SigningAlgorithm) => ({ store, clock, serviceKeys, algorithm })
  return {
    store,
    clock,
    node: (algorithm = 'RS256') => openWebhookKeys(options(algorithm)),
    rotate: (algorithm = 'RS256', noticeMs = dayMs) => rotateWebhookKeys(options(algorithm), noticeMs),
  }
}

async function kidsOf(node: WebhookKeys): Promise<readonly unknown[]> {
  return (await node.jwks()).keys.map(({ kid }) => kid)
}

/** Verifies as Node does by default for each `alg`, and shares no code with the signer. */
function isSigned(key: Readonly<Record<string, unknown>>, headers: Record<string, string>): boolean {
  const data = Buffer.from(`${headers['X-Timestamp']}:${transaction_id}`)
  const signature = Buffer.from(headers['X-Signature'] ?? '', 'base64')
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' })
  if (key.alg === 'EdDSA') return verify(null, data, publicKey, signature)
  return verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
}

/** A receiver that asks a node for the key set once an hour, and never in between: not even for a key it doesn't know. */
function receiver(clock: ManualClock, node: WebhookKeys) {
  let cached: readonly Readonly<Record<string, unknown>>[] = []
  let until = 0
  return async (headers: Record<string, string>): Promise<boolean> => {
    if (clock.now() >= until) {
      cached = (await node.jwks()).keys
      until = clock.now() + hourMs
    }
    const key = cached.find(({ kid }) => kid === headers['X-Key-Id'])
    return key !== undefined && isSigned(key, headers)
  }
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test)
  test(`On ${engine.name} a key is rotated on running nodes, and a receiver with an hour-old key set never fails to verify`, async t => {
    const { clock, node, rotate } = await setUp(t, engine)
    const one = await node()
    const other = await node()
    const takes = [receiver(clock, one), receiver(clock, other)]
    const signers = new Set<string>()
    let refused = 0
    const walk = async (until: number): Promise<void> => {
      while (clock.now() < until) {
        await clock.advance(25 * 60_000)
        for (const signing of [one, other]) {
          const key = await signing.active()
          signers.add(key.kid)
          const headers = await signDelivery({ key, timestamp: clock.now(), subject: transaction_id })
          for (const take of takes) if (!(await take(headers))) refused++
        }
      }
    }
    const began = clock.now()
    await walk(began + 3 * hourMs)
    const [first] = await kidsOf(one)
    const { kid: second, active_at } = await rotate()
    t.is(active_at, clock.now() + dayMs)
    await clock.advance(60_000)
    t.deepEqual(await kidsOf(one), [first, second], 'active, next: published a day ahead, within a minute')
    t.deepEqual(await kidsOf(other), [first, second])
    await walk(active_at - 1)
    await walk(active_at + hourMs)
    t.deepEqual(await kidsOf(other), [second, first], 'active, retired')
    t.deepEqual([...signers], [first, second])
    // A change to another algorithm, and back, is a rotation for all signers.
    const { kid: third } = await rotate('ES256')
    await walk(clock.now() + dayMs + hourMs)
    t.deepEqual(await kidsOf(one), [third, second, first])
    const { kid: fourth } = await rotate('EdDSA')
    await walk(clock.now() + dayMs + hourMs)
    t.deepEqual(await kidsOf(one), [fourth, third, second, first])
    await clock.advance(7 * dayMs)
    t.deepEqual(await kidsOf(one), [fourth], 'seven days after, nobody needs the others')
    t.is((await one.active()).alg, 'EdDSA')
    t.is(refused, 0)
    t.deepEqual(await kidsOf(await node('EdDSA')), [fourth], 'and after a restart')
  })

  test(`On ${engine.name} a new setting of the algorithm rotates with a day's notice, once, whichever node starts first`, async t => {
    const { clock, node } = await setUp(t, engine)
    const old = await node()
    const [first] = await kidsOf(old)
    const nodes = await Promise.all([node('ES256'), node('ES256'), node('ES256')])
    await clock.advance(60_000)
    for (const one of [old, ...nodes]) {
      const { keys } = await one.jwks()
      t.deepEqual(
        keys.map(({ alg }) => alg),
        ['RS256', 'ES256'],
      )
      t.is((await one.active()).kid, String(first))
    }
    await clock.advance(dayMs)
    t.is((await old.active()).alg, 'ES256', 'a node that was not restarted goes along')
  })

  testOnce(`On ${engine.name} one rotation at a time, and never without notice to the other nodes`, async t => {
    const { clock, node, rotate } = await setUp(t, engine)
    await t.throwsAsync(rotate(), { instanceOf: ApiError, message: /none exists yet/ })
    const one = await node()
    const [first] = await kidsOf(one)
    const rotations = await Promise.allSettled([rotate('RS256', 0), rotate('RS256', 0), rotate('RS256', 0)])
    t.deepEqual(rotations.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
    await t.throwsAsync(rotate(), { instanceOf: ApiError, message: /is next already, and signs from/ })
    await clock.advance(60_000)
    t.is((await one.active()).kid, String(first))
    t.is((await kidsOf(one)).length, 2, 'published before it signs')
    await clock.advance(60_000)
    t.not((await one.active()).kid, String(first))
  })

  testOnce(
    `On ${engine.name} a clock that is set back or was ahead leaves a key that signs, and one that follows`,
    async t => {
      const { clock, node, rotate } = await setUp(t, engine)
      const one = await node()
      const [first] = await kidsOf(one)
      clock.set(-2 * hourMs)
      t.is((await one.active()).kid, String(first), 'the first, although its time is yet to come')
      t.deepEqual(await kidsOf(one), [first])
      t.is((await (await node()).active()).kid, String(first), 'and after a restart')
      clock.set(2 * hourMs)

      // A node knows a rotation within a minute, even if the clock is turned meanwhile.
      const { kid: second } = await rotate()
      clock.set(-2 * hourMs)
      await clock.advance(60_000)
      t.deepEqual(await kidsOf(one), [first, second])
      clock.set(2 * hourMs)
      await clock.advance(dayMs)
      t.is((await one.active()).kid, second)

      clock.set(365 * dayMs)
      const { kid: mistaken } = await rotate()
      clock.set(-365 * dayMs)
      await clock.advance(60_000)
      t.is((await one.active()).kid, second)
      const { kid: third, active_at } = await rotate()
      t.is(active_at, clock.now() + dayMs, 'what was made for next year is followed like any other')
      await t.throwsAsync(rotate(), { instanceOf: ApiError, message: /is next already/ })
      await clock.advance(dayMs)
      t.is((await one.active()).kid, third)
      await clock.advance(366 * dayMs)
      t.is((await one.active()).kid, third)
      t.false((await kidsOf(one)).includes(mistaken))
    },
  )

  testOnce(`On ${engine.name} private parts are neither published nor readable in the database`, async t => {
    const { store, node, rotate } = await setUp(t, engine)
    const one = await node()
    await rotate('EdDSA')
    const { keys } = await (await node('EdDSA')).jwks()
    t.is(keys.length, 2)
    for (const key of [...keys, ...(await one.jwks()).keys])
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) t.false(secret in key)
    const rows = await store.read({ sql: 'SELECT * FROM signing_keys', values: [] })
    const opened = await readKeys(store, serviceKeys, 'webhook')
    for (const row of rows) {
      const secret = String(opened.find(({ kid }) => kid === row.id)?.private_jwk.d)
      t.true(secret.length > 40)
      t.false(JSON.stringify({ ...row, private_jwk: null }).includes(secret))
      t.false(Buffer.from(bytes(row, 'private_jwk')).includes(secret), text(row, 'id'))
    }
    await t.throwsAsync(readKeys(store, { ...serviceKeys, roots: [Buffer.alloc(32)] }, 'webhook'), {
      name: 'DecryptionError',
    })
  })
}
