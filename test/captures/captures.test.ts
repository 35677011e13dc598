import test from 'ava'
import type { CaptureReference } from '../../machines/transaction.ts'
import { newKey } from '../../src/base/encryption.ts'
import { newId, sha256 } from '../../src/base/ids.ts'
import { deleteCapture, encryptCapture, readCaptures } from '../../src/captures/captures.ts'
import { keyedDigest } from '../../src/captures/digest.ts'
import { openStore } from '../../src/durable/store/source.ts'
import { run } from '../../src/durable/store/statement.ts'
import { manualClock } from '../clock.ts'
import { databases } from '../database.ts'

for (const engine of databases) {
  test(`${engine.name}: a capture comes back as it was, under its own key and in its own place only`, async t => {
    const database = await engine.fresh()
    const store = openStore(database.address, 2)
    t.teardown(async () => {
      await store.close()
      await database.drop()
    })
    const clock = manualClock()
    const key = newKey()
    const content = Buffer.from('every pixel of it'.repeat(1000))
    const capture = { account_id: newId(), transaction_id: newId(), kind: 'selfie', media_type: 'image/jpeg', content }
    const keep = async (one: typeof capture) => {
      const { reference, insertion } = encryptCapture(clock, key, one)
      await store.commit(() => run(insertion))
      return reference
    }
    const saved = await keep(capture)
    const other = await keep({ ...capture, content: Buffer.from('other') })
    const both = await readCaptures(store, key, [other, saved])
    t.deepEqual([both(saved), both(other)], [content, Buffer.from('other')])
    const unreadable = async (under: Buffer, reference: CaptureReference) => {
      const contentOf = await readCaptures(store, under, [reference])
      t.throws(() => contentOf(reference), { name: 'UnreadableCaptureError' })
    }
    t.is(saved.digest, keyedDigest(key, sha256(content)))
    t.not(keyedDigest(newKey(), sha256(content)), saved.digest, 'nobody can search for it without the key')
    t.deepEqual(both({ ...saved, digest: sha256(content) }), content, 'as its own row names it')
    await unreadable(newKey(), saved)
    await unreadable(key, { ...saved, digest: other.digest })
    const [row] = await store.read({ sql: 'SELECT * FROM captures WHERE id = ?', values: [saved.capture_id] })
    t.is(row?.byte_count, content.length)
    t.false(Buffer.from(row?.content as Uint8Array).includes('every pixel'))
    await store.commit(() =>
      run({ sql: 'UPDATE captures SET content = ? WHERE id = ?', values: [row?.content ?? null, other.capture_id] }),
    )
    await unreadable(key, other)
    await store.commit(() => run(deleteCapture(saved.capture_id)))
    await unreadable(key, saved)
  })
}
