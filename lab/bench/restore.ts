/**
 * Seconds of a backup and of a restore a gigabyte: `node lab/bench/restore.ts [MEGABYTES] [KIB AN IMAGE] [ROUNDS]`. Fills a
 * database with transactions of seven rows and four images, and takes `attestor backup` and `attestor restore --replace` in
 * turns, as an operator does. `TEST_MYSQL_URL` names a server: then on MariaDB too. Images are random bytes, as
 * encrypted ones are. What the same commands take with an almost empty database is subtracted, and shown. The CPU is that
 * of the command and its tools, not the server's.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, runAll, type Statement, type Store } from 'durable-xstate-sql'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import { manifestFile } from '../../src/node/backup/manifest.ts'
import { eachDialect, type TestEngine } from '../../test/database.ts'
import { machine, spread, table, treeCpuMilliseconds, urlOf } from './measure.ts'

const megabytes = Number(process.argv[2] ?? 300)
const kib = Number(process.argv[3] ?? 250)
const rounds = Number(process.argv[4] ?? 3)
const images = 4
const gigabyte = 2 ** 30

function createTransaction(account_id: string): readonly Statement[] {
  const id = newId()
  const at = Date.now()
  const hash = 'f'.repeat(64)
  const actor = { id, account_id, version: 6, chart_version: 1, status: 'FINISHED' as const, created_at: at }
  const made = { customer_id: newId(), transaction_type: 'DOCUMENT_AND_BIOMETRIC' as const, expires_at: at }
  return [
    insert('transactions', {
      ...actor,
      ...made,
      snapshot: JSON.stringify('x'.repeat(1200)),
      journal_hash: hash,
      journal_at: at,
      config: JSON.stringify('x'.repeat(300)),
      token_hash: newId(),
      result: randomBytes(1500),
    }),
    ...[1, 2, 3, 4, 5, 6].map(sequence =>
      insert('journal', {
        actor_id: id,
        sequence,
        account_id,
        actor_type: 'transaction',
        event: JSON.stringify('x'.repeat(160)),
        status: 'FINISHED',
        occurred_at: at,
        chart_version: 1,
        hash,
      }),
    ),
    ...Array.from({ length: images }, () => {
      const content = randomBytes(kib * 1024)
      const about = { kind: 'selfie' as const, media_type: 'image/jpeg', byte_count: content.length, digest: newId() }
      return insert('captures', { id: newId(), account_id, transaction_id: id, ...about, content, created_at: at })
    }),
  ]
}

async function fill(store: Store): Promise<number> {
  const account_id = newId()
  const count = Math.ceil((megabytes * 1024) / (images * kib + 8))
  // A commit of some megabytes: no packet to a server is larger than it takes.
  const perCommit = Math.max(1, Math.floor(4096 / (images * kib + 8)))
  for (let from = 0; from < count; from += perCommit)
    await store.commit(
      () =>
        runAll(Array.from({ length: Math.min(perCommit, count - from) }, () => createTransaction(account_id)).flat()),
      { isDurable: false },
    )
  return count
}

interface Took {
  readonly seconds: number
  readonly cpu: number
}

async function attestor(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Took> {
  const began = performance.now()
  const before = treeCpuMilliseconds(process.pid)
  const program = join(import.meta.dirname, '../../src/cli.ts')
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`attestor ${words[0]} ended with ${code}`)
  return {
    seconds: (performance.now() - began) / 1000,
    cpu: (treeCpuMilliseconds(process.pid) - before) / 1000,
  }
}

/** A backup and its restore. */
async function takeBoth(file: string, environment: Readonly<Record<string, string>>) {
  const backup = await attestor(['backup', file], environment)
  const restore = await attestor(['restore', file, '--replace'], environment)
  const bytes = statSync(file).size
  for (const path of [file, manifestFile(file)]) rmSync(path)
  return { backup, restore, bytes }
}

type Both = Awaited<ReturnType<typeof takeBoth>>

function describeRow(name: string, what: 'backup' | 'restore', empty: Both, full: readonly Both[]): string[] {
  const perGigabyte = (value: keyof Took): string =>
    spread(
      full.map(one => ((one[what][value] - empty[what][value]) * gigabyte) / (one.bytes - empty.bytes)),
      1,
    )
  const bytes = full[0]?.bytes ?? 0
  const start = empty[what]
  const few = `${start.seconds.toFixed(1)}, ${start.cpu.toFixed(1)}`
  return [`${name}, ${what}`, (bytes / 2 ** 20).toFixed(0), few, perGigabyte('seconds'), perGigabyte('cpu')]
}

async function measureOn(engine: TestEngine, folder: string): Promise<readonly string[][]> {
  const database = await engine.fresh()
  const environment = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64') }
  const file = join(folder, engine.name)
  try {
    // It makes the keys, without which nothing is restored.
    await attestor(['account', 'create', '--name', 'bench'], environment)
    const empty = await takeBoth(file, environment)
    const store = await openStore(database.address, 2)
    const count = await fill(store)
    await store.close()
    const full: Both[] = []
    for (let round = 0; round < rounds; round++) full.push(await takeBoth(file, environment))
    const name = `${engine.name}, ${count} transactions`
    return [describeRow(name, 'backup', empty, full), describeRow(name, 'restore', empty, full)]
  } finally {
    await database.drop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'attestor-restore-'))
try {
  console.log(`${images} images of ${kib} KiB a transaction, ${rounds} rounds; ${machine()}`)
  const rows: string[][] = []
  for (const engine of eachDialect) rows.push(...(await measureOn(engine, folder)))
  console.log(table([['', 'MB', 'empty: s, CPU s', 'more s a GB', 'more CPU s a GB'], ...rows]))
  console.log(machine())
} finally {
  rmSync(folder, { recursive: true })
}
