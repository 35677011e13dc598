/**
 * A search among an account's enrolled faces: `node lab/bench/face_search.ts [FACES…] [-- SEARCHES]`, by default 10,000, 100,000
 * and 1,000,000 faces, and 20,000 searches of strangers among 10,000. Faces are drawn: strangers by the measured
 * distribution of distances (mean 1, deviation 0.161, lab/bench/results/unseen-faces.md), so that no picture is needed. Prints
 * how long the first search takes, which loads all faces from SQLite, and the next ones; the memory; the longest time that
 * the event loop stands still; how many searches of strangers find one; and whether the time of a search shows whom another
 * account knows.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { computeSearchLimit } from '@attestor/rules'
import { mobileFaceNet } from '@attestor/vision/testing'
import { openStore, run, runAll, type Store } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { written } from '../../src/cli/intervals.ts'
import { insert } from '../../src/database/schema.ts'
import { createFaceIndex, quantise } from '../../src/duplicates/face_index.ts'
import { type FaceSearch, openFaceSearch } from '../../src/duplicates/face_search.ts'
import { setFaceSearch } from '../../src/duplicates/rows.ts'
import { openServiceKeys } from '../../src/identity/keys/key_slots.ts'
import { sqlite, type TestEngine } from '../../test/database.ts'
import { drawVectors } from './face_vectors.ts'
import { cpuMilliseconds, machine, median, percentile, table } from './measure.ts'

const given = process.argv.slice(2)
const split = given.includes('--') ? given.indexOf('--') : given.length
const counts = given.slice(0, split).map(Number)
const alarmSearches = Number(given[split + 1] ?? 20_000)
const length = 192
const rounds = 30
const strangers = mobileFaceNet.limits.strangers ?? { mean: 1, deviation: 0 }
const drawFace = drawVectors(33)

/** Stores faces as those of customers of an account. */
async function enrol(
  { store, writer, account_id }: { store: Store; writer: FaceSearch; account_id: string },
  faces: readonly (readonly number[])[],
): Promise<void> {
  const rows = await Promise.all(
    faces.map(async values => {
      const customer_id = newId()
      const owner = { id: customer_id, account_id, customer_id }
      const statements = await writer.prepareEnrolment(owner, { model: mobileFaceNet.name, values })
      const customer = { id: customer_id, account_id, lookup: customer_id, profile: Buffer.alloc(1), created_at: 0 }
      const keys = { data_key: Buffer.alloc(60), face: Buffer.alloc(1), face_transaction_id: customer_id }
      return [insert('customers', { ...customer, ...keys }), ...statements]
    }),
  )
  await store.commit(() => runAll(rows.flat()))
}

/** CPU of searches in one account, by turns for people whom another account has enrolled, and for people whom nobody has. */
async function compareAccounts(database: TestEngine): Promise<string> {
  const { address, drop } = await database.fresh()
  const store = await openStore(address, 4)
  const serviceKeys = await openServiceKeys(store, Buffer.alloc(32, 7))
  const writer = openFaceSearch({ store, serviceKeys, maxBytes: 2 ** 32 })
  const [own, others] = [newId(), newId()]
  const known = Array.from({ length: 1000 }, drawFace)
  // These are drawn before too: values that were just drawn are still in the processor's cache.
  const unknown = Array.from({ length: 1000 }, drawFace)
  for (const [account_id, faces] of [
    [own, Array.from({ length: 1000 }, drawFace)],
    [others, known],
  ] as const) {
    await store.commit(() => run(insert('accounts', { id: account_id, name: 'bench', created_at: 0 })))
    await setFaceSearch({ store, serviceKeys }, account_id, true)
    await enrol({ store, writer, account_id }, faces)
  }
  const look = async (values: readonly number[]): Promise<number> => {
    const spent = cpuMilliseconds()
    const owner = { id: newId(), account_id: own, customer_id: newId() }
    const result = await writer.find(owner, { model: mobileFaceNet.name, values }, strangers)
    if (result?.faces_searched !== 1000) throw new Error(`searched ${result?.faces_searched}`)
    return cpuMilliseconds() - spent
  }
  const differences: number[] = []
  const times: number[] = []
  for (const [n, values] of unknown.entries()) {
    const pair = [known[n] ?? values, values]
    const [first = 0, second = 0] = [await look(pair[n % 2] ?? values), await look(pair[1 - (n % 2)] ?? values)]
    times.push(second)
    differences.push(n % 2 === 0 ? first - second : second - first)
  }
  await store.close()
  await drop()
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length
  const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / differences.length ** 2)
  return (
    `of people whom another account knows a search costs ${mean.toFixed(4)} ± ${(1.96 * spread).toFixed(4)} ms of CPU more ` +
    `than of others, of ${median(times).toFixed(3)}, in ${differences.length} pairs`
  )
}

console.log(machine())
const lines = [
  [
    'faces',
    'limit',
    'first search, CPU s',
    'next, CPU ms',
    'by the clock',
    'loop stands still, ms',
    'vectors, MB',
    'grown, MB',
  ],
]
for (const count of counts.length > 0 ? counts : [10_000, 100_000, 1_000_000]) {
  const database = await sqlite.fresh()
  const store = await openStore(database.address, 4)
  const serviceKeys = await openServiceKeys(store, Buffer.alloc(32, 7))
  const account_id = newId()
  await store.commit(() => run(insert('accounts', { id: account_id, name: 'bench', created_at: 0 })))
  await setFaceSearch({ store, serviceKeys }, account_id, true)
  const maxBytes = 2 ** 32
  const writer = openFaceSearch({ store, serviceKeys, maxBytes })
  const template = { model: mobileFaceNet.name, values: drawFace() }
  for (let done = 0; done < count; done += 1000)
    await enrol({ store, writer, account_id }, Array.from({ length: Math.min(1000, count - done) }, drawFace))
  globalThis.gc?.()
  const residentBefore = process.memoryUsage.rss()
  const faces = openFaceSearch({ store, serviceKeys, maxBytes })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const look = async (): Promise<{ readonly cpu: number; readonly clock: number }> => {
    const [began, spent] = [performance.now(), cpuMilliseconds()]
    const owner = { id: newId(), account_id, customer_id: newId() }
    const result = await faces.find(owner, { ...template, values: drawFace() }, strangers)
    if (result?.faces_searched !== count) throw new Error(`searched ${result?.faces_searched}`)
    return { cpu: cpuMilliseconds() - spent, clock: performance.now() - began }
  }
  const first = await look()
  delay.enable()
  const times: Awaited<ReturnType<typeof look>>[] = []
  for (let n = 0; n < rounds; n++) times.push(await look())
  delay.disable()
  globalThis.gc?.()
  lines.push([
    count.toLocaleString('en'),
    computeSearchLimit(strangers, count).toFixed(3),
    (first.cpu / 1000).toFixed(2),
    median(times.map(({ cpu }) => cpu)).toFixed(1),
    median(times.map(({ clock }) => clock)).toFixed(1),
    (delay.max / 1e6).toFixed(1),
    ((count * (length + 20)) / 1e6).toFixed(1),
    ((process.memoryUsage.rss() - residentBefore) / 1e6).toFixed(0),
  ])
  await store.close()
  await database.drop()
}
console.log(table(lines))

console.log(await compareAccounts(sqlite))

const among = 10_000
const index = createFaceIndex(length)
for (let n = 0; n < among; n++) index.add(newId(), quantise(drawFace()))
const limit = computeSearchLimit(strangers, among)
let alarms = 0
const nearest: number[] = []
for (let n = 0; n < alarmSearches; n++) {
  const [near] = await index.search(quantise(drawFace()), newId(), limit)
  nearest.push(near?.distance ?? 2)
  if ((near?.distance ?? 2) <= limit) alarms++
}
console.log(
  `strangers among ${among}, limit ${limit.toFixed(3)}: ${written(alarms, alarmSearches)} searches find one; ` +
    `of the nearest distances a thousandth is below ${percentile(nearest, 0.001).toFixed(3)}`,
)
