/**
 * `node lab/bench/floor_record.ts` counts the commits, writes and reads that one lifecycle with webhooks sends to
 * SQLite, one at a time. `node lab/bench/floor_record.ts FILE COMMIT` writes them down.
 * `floor_lifecycle.generated.json` is the record of the commit that it names. It stays, so that later savings of the
 * service count.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { smallPhoto } from '../../test/small_photo.ts'
import type { FloorRecord, Phase, RecordedStatement, RecordedValue, Work } from './floor_record_types.ts'
import { type Load, lifecycle, send } from './lifecycle_load.ts'

type Value = string | number | Uint8Array | null
type Patched = Record<string, (...given: never[]) => unknown>

let phases: Phase[] = []
/** The statements of the transaction that is open, or null outside of one. */
let open: { statements: RecordedStatement[]; is_durable: boolean } | null = null
let is_durable = true
let place: 'request' | 'background' = 'background'

/** Values that an earlier lifecycle used too: all have the same account, token and origin. */
let shared = new Set<string>()
let own = new Map<string, number>()

/** UUIDs, hex of SHA-256, and 256 bits in base64url: values that differ in every lifecycle. */
const unique =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|(?<![\w-])[\w-]{43}(?![\w-])/g

function toRecordedValue(value: Value): RecordedValue {
  if (value instanceof Uint8Array) return { bytes: value.length }
  if (typeof value !== 'string') return value
  return value.replaceAll(unique, found => {
    if (shared.has(found)) return found
    const index = own.get(found) ?? own.size
    own.set(found, index)
    return `‹${index}:${found.length}›`
  })
}

function work(one: Work): void {
  void phases.at(-1)?.[place].push(one)
}

function onStatement(sql: string, values: readonly Value[], reads: boolean): void {
  const statement = { sql, values: values.map(toRecordedValue), reads }
  if (sql === 'BEGIN IMMEDIATE') open = { statements: [], is_durable }
  else if (open === null) work({ type: 'read', statement })
  else if (sql === 'COMMIT') {
    work({ type: 'commit', ...open })
    open = null
  } else open.statements.push(statement)
}

function onExec(sql: string): void {
  if (sql === 'PRAGMA synchronous = NORMAL') is_durable = false
  else if (sql === 'PRAGMA synchronous = FULL') is_durable = true
}

/** Records the driver's calls; it must run before the service loads the driver. */
function recordDriver(): void {
  const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Patched
  const database = new Database(':memory:')
  const statement = (database.prepare as (sql: string) => Patched)('SELECT 1')
  const statements = Object.getPrototypeOf(statement) as Patched
  for (const [method, reads] of [
    ['all', true],
    ['run', false],
  ] as const) {
    const original = statements[method] as (...given: unknown[]) => unknown
    statements[method] = function (this: { source: string }, ...given: Value[]) {
      onStatement(this.source, given, reads)
      return original.apply(this, given)
    } as never
  }
  const databases = Object.getPrototypeOf(database) as Patched
  const exec = databases.exec as (sql: string) => unknown
  databases.exec = function (this: unknown, sql: string) {
    onExec(sql)
    return exec.call(this, sql)
  } as never
}

async function listenForWebhooks(): Promise<{ port: number; end: () => void }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      work({ type: 'send' })
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, end: () => server.close() }
}

function countWork(): string {
  const all = phases.flatMap(({ request, background }) => [...request, ...background])
  const commits = all.filter(one => one.type === 'commit')
  if (commits.length === 0) throw new Error('no commit was seen: the store calls its driver another way')
  const statements = commits.flatMap(one => one.statements)
  const outside = all.flatMap(one => (one.type === 'read' ? [one.statement] : []))
  const looks = outside.filter(isLook).length
  const reads = statements.filter(one => one.reads).length + outside.length - looks
  const writes = statements.filter(one => !one.reads).length
  return `${commits.length} commits, ${writes} writes, ${reads} reads, and ${looks} looks for ready rows and old leases`
}

function settle(): Promise<unknown> {
  return pause(400)
}

/** Records the lifecycle call by call: the work before each answer, and the work that goes on afterwards. */
async function record(load: Load): Promise<void> {
  const pool = new Pool(load.url, { connections: 1 })
  shared = new Set([...shared, ...own.keys()])
  phases = []
  own = new Map()
  await lifecycle(async call => {
    phases.push({ call: `${call.method} ${call.path.replaceAll(unique, '…')}`, request: [], background: [] })
    place = 'request'
    const answer = await send(pool, call)
    place = 'background'
    await settle()
    return answer
  }, load)
  await pool.close()
}

function isLook({ sql }: RecordedStatement): boolean {
  return /MIN\(ready_at\)|FROM scheduled_jobs WHERE lease >|SELECT id FROM \w+ WHERE held_until >/.test(sql)
}

/** Leaves out looks, which many lifecycles share under load. */
function withoutLooks(all: readonly Work[]): Work[] {
  return all.filter(one => one.type !== 'read' || !isLook(one.statement))
}

recordDriver()
const { startBenchNode } = await import('./lifecycle_node.ts')
const folder = mkdtempSync(join(tmpdir(), 'attestor-floor-'))
const receiver = await listenForWebhooks()
const { node, access_token } = await startBenchNode({
  DATABASE_URL: `sqlite:${join(folder, 'record.sqlite')}`,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  PORT: '0',
  LOG_LEVEL: 'error',
})
const load = { url: node.url, access_token, photo: await smallPhoto(), webhook: `http://127.0.0.1:${receiver.port}/` }
for (let run = 0; run < 3; run++) await record(load)
console.log(`a lifecycle: ${countWork()}`)
const [, file, commit = ''] = process.argv.slice(1)
const tables = await node.service.store.read({
  sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC",
  values: [],
})
const kept = phases.map(({ call, request, background }) => ({
  call,
  request: withoutLooks(request),
  background: withoutLooks(background),
}))
const recorded: FloorRecord = { recorded: commit, schema: tables.map(({ sql }) => String(sql)), phases: kept }
if (file !== undefined) writeFileSync(file, `${JSON.stringify(recorded)}\n`)
await node.stop()
receiver.end()
rmSync(folder, { recursive: true })
