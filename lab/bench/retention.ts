/**
 * `node lab/bench/retention.ts [TRANSACTIONS] [SECONDS]` measures what retention costs everybody else. It fills a
 * database with ended transactions of 13 rows each (770,000 are ten million rows), lets retention delete for so many
 * seconds, and prints its rate, the longest halt of the event loop, and the duration of others' commits and reads
 * meanwhile.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore, run, runAll, type Store } from 'durable-xstate-sql'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { insert } from '../../src/database/schema.ts'
import { startRetention } from '../../src/verification/erasure/retention_sweep.ts'
import { eachDialect } from '../../test/database.ts'
import { machine, median, percentile } from './measure.ts'

const count = Number(process.argv[2] ?? 770_000)
const seconds = Number(process.argv[3] ?? 60)
const perCommit = 10_000
const account_id = newId()
const day = 86_400_000
const openedAt = Date.now() - 100 * day

/** Ids that sort as they were made, as UUIDs of version 7 do: `019a0000-0000-7000-8000-00000000002a`. */
function idOf(kind: number, n = 'n'): string {
  return `printf('019a0000-0000-7000-8${kind}00-%012x', ${n})`
}

function text(length: number): string {
  return `'${'x'.repeat(length)}'`
}

function actor(id: string): string {
  return `${id}, '${account_id}', ${text(1200)}, 6, 1, 'FINISHED', ${openedAt}`
}

const actorNames = 'id, account_id, snapshot, version, chart_version, status, created_at'

/** The second of the two rows for each `n` has the odd number. */
const pair = '2 * n + q.column1'
const pairs = 'FROM s, (VALUES (0), (1)) q'

/** For each `n`: a transaction, its six entries, two captures, and two deliveries with an attempt each. */
const statements: readonly string[] = [
  `INSERT INTO transactions (${actorNames}, journal_hash, journal_at, customer_id, transaction_type, config, token_hash,
    expires_at, result)
    SELECT ${actor(idOf(0))}, ${text(64)}, ${openedAt}, ${idOf(1)}, 'DOCUMENT_AND_BIOMETRIC', ${text(300)}, ${idOf(2)}, 0,
    zeroblob(1500) FROM s`,
  `INSERT INTO deliveries (${actorNames}, transaction_id, sequence, event_id, notified_status, occurred_at)
    SELECT ${actor(idOf(3, pair))}, ${idOf(0)}, 1 + q.column1, ${idOf(3, pair)}, 'FINISHED', ${openedAt} ${pairs}`,
  `INSERT INTO journal (actor_id, sequence, account_id, actor_type, event, status, occurred_at, chart_version, hash)
    SELECT ${idOf(0)}, q.column1, '${account_id}', 'transaction', ${text(160)}, 'FINISHED', ${openedAt}, 1, ${text(64)}
    FROM s, (VALUES (1), (2), (3), (4), (5), (6)) q`,
  `INSERT INTO captures (id, account_id, transaction_id, kind, media_type, digest, byte_count, content, created_at)
    SELECT ${idOf(4, pair)}, '${account_id}', ${idOf(0)}, 'facts', 'application/json', ${idOf(4, pair)}, 300, zeroblob(300),
    ${openedAt} ${pairs}`,
  `INSERT INTO delivery_attempts (id, account_id, delivery_id, attempt, started_at, duration_ms, outcome)
    SELECT ${idOf(5, pair)}, '${account_id}', ${idOf(3, pair)}, 1, ${openedAt}, 1, 'delivered' ${pairs}`,
]

async function fill(store: Store): Promise<number> {
  await store.commit(() => run(insert('accounts', { id: account_id, name: 'a', created_at: 0 })))
  let written = 0
  for (let from = 0; from < count; from += perCommit) {
    const last = Math.min(from + perCommit, count) - 1
    const numbers = `WITH RECURSIVE s (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM s WHERE n < ${last})`
    await store.commit(
      function* () {
        const outcomes = yield* runAll(statements.map(sql => ({ sql: `${numbers} ${sql}`, values: [] })))
        written += outcomes.reduce((sum, { changed }) => sum + changed, 0)
      },
      { isDurable: false },
    )
  }
  return written
}

/** Others' work, until `over`: milliseconds of each read and each commit. */
async function others(store: Store, over: () => boolean) {
  const reads: number[] = []
  const commits: number[] = []
  while (!over()) {
    const began = performance.now()
    await store.read({ sql: 'SELECT id FROM transactions WHERE id = ?', values: [newId()] })
    const read = performance.now()
    await store.commit(() => run(insert('facts', { name: newId(), value: '' })))
    reads.push(read - began)
    commits.push(performance.now() - read)
    await pause(10)
  }
  return { reads, commits }
}

function described(times: readonly number[]): string {
  return `${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(0)}, ${Math.max(...times).toFixed(0)} at most`
}

async function watching(store: Store, what: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let over = false
  const cpu = process.cpuUsage()
  delay.enable()
  const measured = others(store, () => over)
  const summary = await work()
  over = true
  const { reads, commits } = await measured
  delay.disable()
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `${what}: longest stall ${(delay.max / 1e6).toFixed(0)} ms; others' reads ${described(reads)}; commits ${described(commits)}; ${((user + system) / 1e6).toFixed(1)} CPU seconds${summary ?? ''}`,
  )
}

async function countRows(store: Store): Promise<number> {
  return Number((await store.read({ sql: 'SELECT COUNT(*) AS many FROM transactions', values: [] }))[0]?.many)
}

console.log(machine())
for (const engine of eachDialect.slice(0, 1)) {
  const database = await engine.fresh()
  const store = await openStore(database.address, 4)
  const began = performance.now()
  const written = await fill(store)
  const [pages] = await store.read({ sql: 'SELECT page_count * 4096 AS bytes FROM pragma_page_count', values: [] })
  console.log(
    `${engine.name}: ${written} rows of ${count} transactions, ${(Number(pages?.bytes) / count / 1024).toFixed(1)} KiB each, in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  )
  await watching(store, 'quiet', () => pause(10_000))
  await watching(store, `${seconds} s of retention`, async () => {
    const before = await countRows(store)
    const retention = startRetention({
      store,
      clock: systemClock,
      log: silentLog,
      capturesMs: 0,
      transactionsMs: 50 * day,
      auditMs: 0,
      removeAudit: async () => 0,
    })
    await Promise.race([retention.idle(), pause(seconds * 1000)])
    await retention.stop()
    const removed = before - (await countRows(store))
    return `; ${removed} transactions, ${((removed * written) / count / seconds).toFixed(0)} rows a second`
  })
  await store.close()
  await database.drop()
}
