import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openStore, type Store } from 'durable-xstate-sql'
import type { Row } from 'durable-xstate-sql/testing'
import { openCustomerKey } from '../../src/identity/customers/customer_key.ts'
import { openServiceKeys } from '../../src/identity/keys/key_slots.ts'
import { keyedDigest } from '../../src/verification/captures/digest.ts'
import { type Answer, callTo } from '../calls.ts'
import { eachDialect } from '../database.ts'
import { bytes, text } from '../raw_row.ts'
import { anotherTake, digestOf, kyc, type Phone, phoneOf, picture } from './client.ts'
import { type Hook, openHook } from './hook.ts'
import { accessToken, crashes, environmentOf, type Keeper, master, patiently, startKeeper } from './keeper.ts'

/** Events that the service has acknowledged: the journal must have them. */
interface Acknowledged {
  readonly type: string
  readonly holds: string
  readonly image_sha256: string | null
}

interface Carried {
  readonly id: string
  readonly acknowledged: readonly Acknowledged[]
}

/** Takes the step that the session asks for next, and records what is acknowledged. */
async function stepOn(phone: Phone, session: Answer, images: readonly Buffer[], note: Acknowledged[]) {
  const [front, selfie, frame] = images
  const acknowledge = (answer: Answer, type: string, image_sha256: string | null = null): Answer => {
    if (answer.status < 300) note.push({ type, holds: '', image_sha256 })
    return answer
  }
  const upload = async (path: string, type: string, image: Buffer | undefined): Promise<void> => {
    acknowledge(await phone.upload(path, image), type, image === undefined ? null : digestOf(image))
  }
  if (session.body.status === 'CREATED') return void acknowledge(await phone.start(), 'START')
  switch (session.body.next_step) {
    case 'document_front':
      await phone.signals().then(answer => acknowledge(answer, 'SIGNALS'))
      return upload('document/front', 'FRONT_CAPTURED', front)
    case 'selfie':
      await phone.chip({ unavailable: 'READ_FAILED' }).then(answer => acknowledge(answer, 'CHIP_READ'))
      return upload('selfie', 'SELFIE_CAPTURED', selfie)
    case 'liveness': {
      const { status, body } = await phone.challenge()
      if (status !== 201) return
      note.push({ type: 'CHALLENGE_ISSUED', holds: String(body.challenge_id), image_sha256: null })
      for (const n of (body.actions as unknown[]).keys())
        await upload(`liveness/${body.challenge_id}/${n}`, 'FRAME_CAPTURED', frame && anotherTake(frame))
      return
    }
    default:
      acknowledge(await phone.complete(), 'COMPLETE')
  }
}

/** Takes one verification to its end, whatever happens to the service. */
async function carry(keeper: Keeper, token: string, number: number): Promise<Carried> {
  let url = ''
  const raw = callTo(() => url)
  const call: typeof raw = async (...asked) => {
    url = await keeper.url()
    return raw(...asked)
  }
  const post = (path: string, json: unknown) => patiently(keeper, () => call('POST', kyc + path, { token, json }))
  const { customer_id } = (await post('/customer', { external_customer_id: `person-${number}` })).body
  const fraud_policy = { on_document_of_another_customer: 'WARN', on_face_of_another_customer: 'WARN' }
  const config = { webhook: { url: hookUrl }, document_policy: { chip: 'PREFER' }, fraud_policy }
  const opened = (await post('/transaction', { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config })).body
  const phone = phoneOf(call, String(opened.sdk_token))
  const images = await Promise.all([0, 1, 2].map(n => picture(number * 3 + n)))
  const acknowledged: Acknowledged[] = []
  for (;;) {
    const session = await patiently(keeper, phone.session)
    if (session.body.status !== 'CREATED' && session.body.status !== 'INITIATED') break
    await stepOn(phone, session, images, acknowledged).catch(() => {})
  }
  for (;;) {
    const { body } = await patiently(keeper, () => phone.result('20'))
    if (['FINISHED', 'FAILED', 'EXPIRED'].includes(String(body.status))) break
  }
  return { id: String(opened.transaction_id), acknowledged }
}

let hookUrl = ''

async function eventsOf(store: Store, id: string): Promise<readonly Row[]> {
  return store.read({ sql: 'SELECT sequence, event FROM journal WHERE actor_id = ? ORDER BY sequence', values: [id] })
}

async function customerKeyOf(store: Store, transaction_id: string): Promise<Buffer> {
  const sql = 'SELECT c.id, c.data_key FROM customers c JOIN transactions t ON t.customer_id = c.id WHERE t.id = ?'
  const [row = {}] = await store.read({ sql, values: [transaction_id] })
  return openCustomerKey(await openServiceKeys(store, master), text(row, 'id'), bytes(row, 'data_key'))
}

async function checkCarried(t: ExecutionContext, store: Store, hook: Hook, { id, acknowledged }: Carried) {
  const journal = await eventsOf(store, id)
  t.deepEqual(
    journal.map(({ sequence }) => sequence),
    journal.map((_, index) => index + 1),
    'no gap in the journal',
  )
  const events = journal.map(row => text(row, 'event'))
  const key = await customerKeyOf(store, id)
  for (const { type, holds, image_sha256 } of acknowledged)
    t.true(
      events.some(
        event =>
          event.includes(`"${type}"`) && event.includes(image_sha256 === null ? holds : keyedDigest(key, image_sha256)),
      ),
      `${type} was acknowledged`,
    )
  const once = ['"START"', '"COMPLETE"', 'xstate.done.actor.admission', 'xstate.done.actor.analysis']
  for (const name of once) t.is(events.filter(event => event.includes(name)).length, 1, name)
  const [row] = await store.read({
    sql: 'SELECT status, snapshot, result FROM transactions WHERE id = ?',
    values: [id],
  })
  t.is(row?.status, 'FINISHED')
  t.is((JSON.parse(String(row?.snapshot)) as { context: { decision: string } }).context.decision, 'APPROVED')
  t.truthy(row?.result)

  const seen = hook.received.filter(({ body }) => body.transaction_id === id)
  t.true(seen.every(({ refused }) => refused === null))
  const firsts = seen.filter(({ body }, index) => seen.findIndex(one => one.body.sequence === body.sequence) === index)
  t.deepEqual(
    firsts.map(({ body }) => `${body.sequence} ${body.status}`),
    ['1 INITIATED', '2 COMPLETED', '3 PROCESSING', '4 FINISHED'],
  )
  t.is(new Set(seen.map(({ body }) => `${body.sequence} ${body.event_id}`)).size, 4, 'one event a sequence')
}

/** Selects rows without an actor, or whose actor has ended. */
const orphans = `SELECT d.name, t.status, v.status AS delivery FROM scheduled_jobs d
  LEFT JOIN transactions t ON t.id = d.actor_id LEFT JOIN deliveries v ON v.id = d.actor_id
  WHERE (t.id IS NULL AND v.id IS NULL) OR t.status IN ('FINISHED', 'FAILED', 'EXPIRED') OR v.status = 'DELIVERED'
  UNION ALL SELECT held_job, status, NULL FROM transactions WHERE held_job IS NOT NULL
  UNION ALL SELECT held_job, NULL, status FROM deliveries WHERE held_job IS NOT NULL`

const countUses = 'SELECT COUNT(*) AS uses, COUNT(DISTINCT document) AS documents FROM document_uses'
/** Every approved person's face, enrolled by their own transaction. */
const countFaces = `SELECT COUNT(*) AS enrolled FROM customers c JOIN transactions t ON t.id = c.face_transaction_id
  WHERE c.face IS NOT NULL AND t.customer_id = c.id`
const countVectors = `SELECT COUNT(*) AS vectors, COUNT(DISTINCT v.sequence) AS sequences, MAX(s.sequence) AS last
  FROM face_vectors v JOIN face_searches s ON s.id = v.account_id WHERE v.vector IS NOT NULL`
const countShared = "SELECT COUNT(*) AS shared FROM duplicates WHERE kind = 'document'"

for (const engine of eachDialect)
  test.serial(
    `On ${engine.name} a node that dies at any instant of any commit or job loses nothing and doubles nothing`,
    async t => {
      const within = mkdtempSync(join(tmpdir(), 'attestor-crash-'))
      const database = await engine.fresh()
      let url = ''
      const hook = await openHook({ jwks_url: () => `${url}/.well-known/jwks.json`, now: () => keeper.now() })
      hookUrl = hook.url
      hook.answer(({ body }, seen) => ({ status: body.status === 'PROCESSING' && seen === 1 ? 500 : 204 }))
      const caFile = join(within, 'ca.pem')
      writeFileSync(caFile, hook.ca)
      const environment = await environmentOf(database, hook, caFile)
      const keeper = startKeeper(environment)
      const store = await openStore(database.address, 2)
      t.teardown(async () => {
        await keeper.stop()
        await hook.close()
        await store.close()
        await database.drop()
        rmSync(within, { recursive: true, force: true })
      })
      url = await keeper.url()
      const token = await accessToken(keeper, environment)
      let number = 0
      const verifyOne = async (): Promise<void> => {
        const carried = await carry(keeper, token, number++)
        await hook.seen(({ body }) => body.transaction_id === carried.id && body.status === 'FINISHED')
        await checkCarried(t, store, hook, carried)
      }
      // Undisturbed, so that the receiver has the keys in its cache afterwards.
      await verifyOne()
      for (const [instant, nths] of crashes) {
        const before = keeper.died
        for (const nth of nths) {
          await keeper.arm(instant, nth)
          const carried = await carry(keeper, token, number++)
          await hook.seen(({ body }) => body.transaction_id === carried.id && body.status === 'FINISHED')
          await checkCarried(t, store, hook, carried)
        }
        t.true(keeper.died > before, `${instant} was never reached`)
      }
      await keeper.stop()
      t.deepEqual(await store.read({ sql: orphans, values: [] }), [])
      // Everybody showed one document: each use is there once, and each result names the ten newest before it.
      const [uses] = await store.read({ sql: countUses, values: [] })
      t.deepEqual({ ...uses }, { uses: number, documents: 1 })
      t.is((await store.read({ sql: countFaces, values: [] }))[0]?.enrolled, number)
      // Each is searchable once, and no enrolment took its number twice.
      const [vectors] = await store.read({ sql: countVectors, values: [] })
      t.deepEqual({ ...vectors }, { vectors: number, sequences: number, last: number })
      const before = Array.from({ length: number }, (_, n) => Math.min(n, 10)).reduce((sum, n) => sum + n, 0)
      const [shared] = await store.read({ sql: countShared, values: [] })
      t.is(shared?.shared, before)
      t.log(`${keeper.died} crashes in ${number} verifications`)
    },
  )
