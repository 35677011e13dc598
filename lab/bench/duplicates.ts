/**
 * `node lab/bench/duplicates.ts [TRANSACTIONS] [ROUNDS]` measures what the fraud policy costs an analysis, by default
 * among 100,000 transactions, with 6 pictures each and as many enrolled faces. Prints the CPU of finding and recording
 * all three kinds for one transaction, on SQLite: the difference to a policy of `IGNORE`, where nothing is done. `node
 * packages/vision/bench/analysis.ts` measures the analysis itself.
 */

import { pictureCopies } from '@attestor/vision/testing'
import { run, runAll } from 'durable-xstate-sql'
import { newKey } from '../../src/base/encryption.ts'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import { findDuplicates } from '../../src/duplicates/compare.ts'
import { openFaceSearch } from '../../src/duplicates/face_search.ts'
import { insertCodes } from '../../src/duplicates/picture_copies.ts'
import { setFaceSearch } from '../../src/duplicates/rows.ts'
import { sqlite } from '../../test/database.ts'
import { drawFingerprint } from '../../test/fingerprints.ts'
import { openRig } from '../../test/service/rig.ts'
import { drawVectors } from './face_vectors.ts'
import { cpuMilliseconds, machine, median } from './measure.ts'

const [count = 100_000, rounds = 50] = process.argv.slice(2).map(Number)
const rig = await openRig(sqlite)
const { transactions, store, serviceKeys } = rig.node().service
const faces = openFaceSearch({ store, serviceKeys, maxBytes: 2 ** 28 })
const deps = { ...transactions, documentKey: newKey(), pictureKey: newKey(), faces, count: () => {} }
const { account_id } = rig.account
await setFaceSearch(rig.node().service, account_id, true)

const drawVector = drawVectors(8)

function drawFace() {
  return { model: 'drawn', values: drawVector() }
}

/** Four frames, a selfie and a document's portrait. */
const positions = [0, 1, 2, 3, 4, 5]
const series = `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`
function idOf(kind: number): string {
  return `printf('019a0000-0000-7000-8${kind}00-%012x', n)`
}
function bits(seed: number): string {
  return `(n * 2654435761 * ${seed} >> 7) & 65535`
}
const fills = [
  `${series} INSERT INTO document_uses SELECT ${idOf(100)}, '${account_id}', ${idOf(200)}, 'h' || n, n FROM s`,
  ...positions.map(
    position => `${series} INSERT INTO picture_codes SELECT ${idOf(300)}, ${position}, '${account_id}', ${idOf(100)},
      ${bits(11 + position)}, ${bits(31 + position)}, ${bits(51 + position)}, ${bits(71 + position)} FROM s`,
  ),
]
for (const sql of fills) await store.commit(() => run({ sql, values: [] }))
for (let done = 0; done < count; done += 1000) {
  const statements = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const id = newId()
      const enrolment = await deps.faces.prepareEnrolment({ id, account_id, customer_id: id }, drawFace())
      const customer = {
        id,
        account_id,
        lookup: id,
        profile: Buffer.alloc(1),
        data_key: Buffer.alloc(60),
        created_at: 0,
      }
      return [insert('customers', { ...customer, face: Buffer.alloc(1), face_transaction_id: id }), ...enrolment]
    }),
  )
  await store.commit(() => runAll(statements.flat()))
}
const { id } = await rig.open()
const [row] = await store.read({
  sql: 'SELECT id, account_id, customer_id FROM transactions WHERE id = ?',
  values: [id],
})
const owner = row as unknown as { id: string; account_id: string; customer_id: string }
const times: number[] = []
for (let n = 0; n < rounds; n++) {
  const fingerprints = positions.map(k => ({ ...drawFingerprint(n * 6 + k), ...(k === 5 && { is_portrait: true }) }))
  const face = { template: drawFace(), strangers: { mean: 1, deviation: 0.165 } }
  const before = cpuMilliseconds()
  await findDuplicates(
    deps,
    owner,
    { document: ['UTO', 'PASSPORT', `L${n}`], images: { copies: pictureCopies, fingerprints }, face },
    Date.now(),
  )
  insertCodes(deps, pictureCopies, { id: newId(), account_id, transaction_id: id }, fingerprints)
  times.push(cpuMilliseconds() - before)
}
console.log(machine())
console.log(`${count} transactions: median ${median(times).toFixed(1)} CPU ms, most ${Math.max(...times).toFixed(1)}`)
await rig.close()
