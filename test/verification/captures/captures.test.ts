import test, { type ExecutionContext } from 'ava'
import { openStore, runAll, type Store } from 'durable-xstate-sql'
import type { CaptureReference } from '../../../machines/transaction.ts'
import { newKey } from '../../../src/base/encryption.ts'
import { newId, sha256 } from '../../../src/base/ids.ts'
import { silentLog } from '../../../src/base/log.ts'
import { type CaptureStores, openCaptures } from '../../../src/verification/captures/captures.ts'
import { type CaptureContents, requireUsable } from '../../../src/verification/captures/contents.ts'
import { deleteCapturesById } from '../../../src/verification/captures/delete_captures.ts'
import { keyedDigest } from '../../../src/verification/captures/digest.ts'
import { createObjectContents } from '../../../src/verification/captures/object_contents.ts'
import { type ObjectStore, ObjectStoreError } from '../../../src/verification/captures/object_store.ts'
import { createDatabaseContents } from '../../../src/verification/captures/open_contents.ts'
import { openS3Objects } from '../../../src/verification/captures/s3_objects.ts'
import { type ManualClock, manualClock } from '../../clock.ts'
import { eachDialect, forOneDialect, sqlite, type TestEngine } from '../../database.ts'
import { text } from '../../raw_row.ts'
import { insertCustomer, insertTransaction } from '../rows.ts'
import { bucket, hasSwift, type Swift, startSwift } from './swift.ts'

const swift: Swift | null = hasSwift ? await startSwift() : null
test.after.always(() => swift?.stop())

/** The store of contents: every test runs for each. */
interface Place {
  readonly name: string
  open(store: Store, clock: ManualClock): Promise<CaptureContents>
  /** Lists the names of contents that are stored outside of the rows of captures. */
  list(store: Store): Promise<readonly string[]>
}

const places: readonly Place[] = [
  {
    name: 'in the database',
    open: async (store, clock) => createDatabaseContents({ store, clock, log: silentLog }),
    async list(store) {
      const rows = await store.read({ sql: 'SELECT DISTINCT capture_id FROM content_pieces ORDER BY 1', values: [] })
      return rows.map(row => text(row, 'capture_id'))
    },
  },
  ...(swift === null
    ? []
    : [
        {
          name: 'in S3',
          async open(store: Store, clock: ManualClock) {
            const location = { bucket, prefix: 'some/place/' }
            const objects = await openS3Objects({
              ...location,
              clock,
              path_style: true,
              attempt_ms: 60_000,
              client: swift.client,
            })
            return createObjectContents({ store, clock, log: silentLog, objects })
          },
          list: swift.list,
        },
      ]),
]

async function opened(t: ExecutionContext, engine: TestEngine, place: Place) {
  const database = await engine.fresh()
  const store = await openStore(database.address, 2)
  const clock = manualClock()
  const contents = await place.open(store, clock)
  t.teardown(async () => {
    contents.close()
    await store.close()
    await database.drop()
  })
  const stores: CaptureStores = { store, contents }
  const captures = openCaptures(stores, clock)
  const key = newKey()
  const image = { account_id: newId(), transaction_id: newId(), kind: 'selfie', media_type: 'image/jpeg' } as const
  const { account_id, transaction_id } = image
  const customer_id = newId()
  const rows = [
    insertCustomer({ id: customer_id, account_id }),
    insertTransaction({ id: transaction_id, account_id, customer_id, status: 'INITIATED' }),
  ]
  await store.commit(() => runAll(rows))
  const keep = async (content: Uint8Array): Promise<CaptureReference> => {
    const { reference, writes } = await captures.prepare(key, { ...image, content })
    await store.commit(() => runAll(writes))
    return reference
  }
  return { store, clock, contents, captures, key, image, keep }
}

/** A bucket that answers as S3 does to callers without the right to list: 403 for a missing object. */
function bucketWithoutList() {
  const contents = new Map<string, Buffer>()
  const faults = new Map<string, ObjectStoreError>()
  const requests: string[] = []
  const objects: ObjectStore = {
    url: 's3://bucket/',
    async put(name, pieces) {
      requests.push(`put ${name}`)
      const fault = faults.get(name) ?? faults.get('*')
      if (fault !== undefined) throw fault
      contents.set(name, Buffer.concat(pieces))
    },
    async get(name) {
      requests.push(`get ${name}`)
      const fault = faults.get(name) ?? faults.get('*')
      if (fault !== undefined) throw fault
      const content = contents.get(name)
      if (content !== undefined) return content
      throw new ObjectStoreError('GET: AccessDenied (status 403)', { is_temporary: false, is_denied: true })
    },
    async delete(name) {
      contents.delete(name)
    },
    close() {},
  }
  return { objects, contents, faults, requests }
}

const away = new ObjectStoreError('no answer', { is_temporary: true })

test.serial('one object that is missing, refused or slow is its own capture’s: others are stored and read', async t => {
  const [engine = sqlite] = eachDialect
  const s3 = bucketWithoutList()
  const place = {
    name: 'in a bucket',
    open: async (store: Store, clock: ManualClock) =>
      createObjectContents({ store, clock, log: silentLog, objects: s3.objects }),
    list: async () => [],
  }
  const { captures, contents, clock, key, keep } = await opened(t, engine, place)
  const lost = await keep(Buffer.from('lost'))
  const kept = await keep(Buffer.from('kept'))
  s3.contents.delete(lost.capture_id)
  for (let n = 0; n < 5; n++) {
    const contentOf = await captures.read(key, [lost, kept])
    t.throws(() => contentOf(lost), { name: 'UnreadableCaptureError' })
    t.is(contentOf(kept).toString(), 'kept')
    t.true(contents.isAvailable())
  }
  s3.faults.set(lost.capture_id, away)
  for (let n = 0; n < 3; n++) {
    await t.throwsAsync(captures.read(key, [lost]), { code: 'unavailable' } as never)
    t.true(contents.isAvailable(), 'one object’s failure is that object’s')
  }
  t.truthy(await keep(Buffer.from('another')))
  s3.faults.set('*', away)
  await t.throwsAsync(captures.read(key, [kept]), { code: 'unavailable' } as never)
  await t.throwsAsync(captures.read(key, [lost]), { code: 'unavailable' } as never)
  t.false(contents.isAvailable(), 'different objects fail')
  s3.faults.clear()
  await clock.advance(5000)
  await new Promise(setImmediate)
  t.true(contents.isAvailable())
  s3.faults.set('*', new ObjectStoreError('AccessDenied', { is_temporary: false, is_denied: true }))
  await t.throwsAsync(captures.read(key, [kept]), { code: 'unavailable' } as never)
  t.false(contents.isAvailable(), 'a right was taken back')
})

/** The tests run one after the other, as they share one bucket. */
for (const engine of eachDialect)
  for (const place of places) {
    const on = `${engine.name}, ${place.name}: `
    // Objects are read without the database.
    const testOnce = place.name === 'in S3' ? forOneDialect(engine, test.serial) : test.serial

    testOnce(`${on}a capture comes back as it was, under its own key and in its own place only`, async t => {
      const { store, captures, key, keep } = await opened(t, engine, place)
      const content = Buffer.from('every pixel of it'.repeat(100_000))
      const saved = await keep(content)
      const other = await keep(Buffer.from('other'))
      t.is((await place.list(store)).includes(saved.capture_id), place.name === 'in the database', 'in pieces')
      const both = await captures.read(key, [other, saved])
      t.true(both(saved).equals(content))
      t.deepEqual(both(other), Buffer.from('other'))
      const unreadable = async (under: Buffer, reference: CaptureReference) => {
        const contentOf = await captures.read(under, [reference])
        t.throws(() => contentOf(reference), { name: 'UnreadableCaptureError' })
      }
      t.is(saved.digest, keyedDigest(key, sha256(content)))
      t.not(keyedDigest(newKey(), sha256(content)), saved.digest, 'nobody can search for it without the key')
      t.true(both({ ...saved, digest: sha256(content) }).equals(content), 'as its own row names it')
      await unreadable(newKey(), saved)
      await unreadable(key, { ...saved, digest: other.digest })
      await unreadable(key, { ...saved, capture_id: other.capture_id })
      await unreadable(key, { ...saved, capture_id: newId() })
      const [row] = await store.read({ sql: 'SELECT * FROM captures WHERE id = ?', values: [saved.capture_id] })
      t.is(row?.byte_count, content.length)
      t.false(Buffer.from((row?.content ?? '') as Uint8Array).includes('every pixel'))
    })

    test.serial(`${on}deleted captures are gone, and nothing else`, async t => {
      const { store, captures, key, keep } = await opened(t, engine, place)
      const before = await place.list(store)
      const removed = await keep(Buffer.alloc(5_000_000, 1))
      const kept = await keep(Buffer.from('kept'))
      await store.commit(() => runAll(deleteCapturesById([removed.capture_id])))
      const contentOf = await captures.read(key, [removed, kept])
      t.throws(() => contentOf(removed), { name: 'UnreadableCaptureError' })
      t.is(contentOf(kept).toString(), 'kept')
      while ((await captures.collect()) > 0);
      const added = (await place.list(store)).filter(name => !before.includes(name))
      t.deepEqual(added, place.name === 'in S3' ? [`some/place/${kept.capture_id}`] : [], 'the small one is in its row')
      t.is((await captures.read(key, [kept]))(kept).toString(), 'kept')
      t.deepEqual(await store.read({ sql: 'SELECT * FROM object_removals', values: [] }), [])
    })

    test.serial(`${on}a content whose commit never came is collected an hour later, and no sooner`, async t => {
      const { store, clock, captures, key, image } = await opened(t, engine, place)
      const before = await place.list(store)
      const { usableUntil } = await captures.prepare(key, { ...image, content: Buffer.alloc(3_000_000, 'lost') })
      t.is(await captures.collect(), 0)
      await clock.advance(3_599_999)
      t.is(await captures.collect(), 0)
      t.is((await place.list(store)).length, before.length + 1)
      const use = () => requireUsable(usableUntil, clock.now())
      t.throws(use, { name: 'ApiError', message: /took too long/ }, 'nor may any commit name it by now')
      await clock.advance(1)
      t.is(await captures.collect(), 1)
      t.deepEqual(await place.list(store), before)
      t.deepEqual(await store.read({ sql: 'SELECT * FROM object_removals', values: [] }), [])
    })

    test.serial(`${on}a device's report is in the database, and read with its row`, async t => {
      const { store, captures, key, image } = await opened(t, engine, place)
      const before = await place.list(store)
      const facts = {
        ...image,
        kind: 'facts' as const,
        media_type: 'application/json',
        content: Buffer.from('{"a":1}'),
      }
      const { reference, writes } = await captures.prepare(key, facts)
      await store.commit(() => runAll(writes))
      t.is((await captures.read(key, [reference]))(reference).toString(), '{"a":1}')
      t.deepEqual(await place.list(store), before)
    })
  }
