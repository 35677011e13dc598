/**
 * The floor of a lifecycle: the service's own statements of the commit in `floor_lifecycle.generated.json`, in as many
 * units, with group commit on SQLite and batched on MariaDB, behind bare `node:http`. It decodes the photos and signs and
 * sends the webhooks as the service does, and does nothing else.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startImageChecker } from '@attestor/vision'
import { Agent, request } from 'undici'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { readConfig } from '../../src/config/settings.ts'
import { generateSigningKey, openSigningKey } from '../../src/identity/keys/sign.ts'
import { prepareDelivery } from '../../src/webhooks/delivery_request.ts'
import { openSqliteReplay } from './floor_database.ts'
import { openMariadbReplay } from './floor_mariadb.ts'
import type { FloorRecord, RecordedStatement, RecordedValue, Work } from './floor_record_types.ts'
import { answerQuestions, processCpuMilliseconds, treeCpuMilliseconds } from './measure.ts'

const { BENCH_WEBHOOK = '', IMAGE_PROCESSES = '2', ...environment } = process.env
const { DATABASE_URL: address } = readConfig(environment)
const record = JSON.parse(
  readFileSync(join(import.meta.dirname, 'floor_lifecycle.generated.json'), 'utf8'),
) as FloorRecord
const database =
  address.dialect === 'sqlite' ? openSqliteReplay(address.file, record.schema) : await openMariadbReplay(address)
const images = startImageChecker({ clock: systemClock, children: Number(IMAGE_PROCESSES) })
const key = openSigningKey(await generateSigningKey('RS256'))
const dispatcher = new Agent({ connections: 50, pipelining: 1 })

/** The values that differ in every lifecycle, by their numbers in the record. */
type Unique = string[]

function createUnique(length: number): string {
  return length === 36
    ? randomUUID()
    : length === 64
      ? randomBytes(32).toString('hex')
      : randomBytes(32).toString('base64url')
}

/** Compiles a value of the record once. */
function compile(value: RecordedValue): (unique: Unique) => string | number | Buffer | null {
  if (typeof value === 'object' && value !== null) {
    const bytes = randomBytes(value.bytes)
    return () => bytes
  }
  if (typeof value !== 'string' || !value.includes('‹')) return () => value
  const parts = value.split(/‹(\d+):(\d+)›/)
  return unique => {
    let text = parts[0] ?? ''
    for (let at = 1; at < parts.length; at += 3) {
      const index = Number(parts[at])
      unique[index] ??= createUnique(Number(parts[at + 1]))
      text += unique[index] + parts[at + 2]
    }
    return text
  }
}

function compileStatement(statement: RecordedStatement, inUnit: boolean) {
  const values = statement.values.map(compile)
  const { reads } = statement
  const sql = database.translate(statement.sql, inUnit)
  return { reads, bind: (unique: Unique) => ({ sql, reads, values: values.map(value => value(unique)) }) }
}

async function sendWebhook(): Promise<void> {
  const notification = { transaction_id: newId(), status: 'FINISHED', event_id: newId(), sequence: 1 } as const
  const delivery = { notification: { ...notification, occurred_at: systemClock.now() }, delivery_id: newId() }
  const prepared = await prepareDelivery({ ...delivery, attempt: 1, key, now: systemClock.now(), version: '0' })
  const answer = await request(BENCH_WEBHOOK, { method: 'POST', ...prepared, dispatcher })
  await answer.body.dump()
}

interface Lifecycle {
  readonly unique: Unique
  calls: number
  /** Resolves when the result is there. */
  readonly finished: PromiseWithResolvers<void>
}

/** Returns a function that does one part of a call's work. */
function compileWork(one: Work): (lifecycle: Lifecycle) => Promise<void> {
  if (one.type === 'send') return sendWebhook
  if (one.type === 'read') {
    const { bind } = compileStatement(one.statement, false)
    return async ({ unique }) => database.read(bind(unique))
  }
  const statements = one.statements.map(statement => compileStatement(statement, true))
  const ends = one.statements.some(({ sql }) => sql.startsWith('INSERT INTO transaction_issues'))
  return async ({ unique, finished }) => {
    await database.commit(
      statements.map(({ bind }) => bind(unique)),
      one.is_durable,
    )
    if (ends) finished.resolve()
  }
}

const phases = record.phases.map(({ call, request, background }) => ({
  isPhoto: /PUT .*(document|selfie|liveness)/.test(call),
  request: request.map(compileWork),
  background: background.map(compileWork),
}))

async function runAll(work: readonly ((lifecycle: Lifecycle) => Promise<void>)[], of: Lifecycle): Promise<void> {
  for (const one of work) await one(of)
}

const open = new Map<string, Lifecycle>()

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const limits = { max_bytes: 10_000_000, max_megapixels: 50 }

async function decode(content: Buffer): Promise<void> {
  await images.check({ content, limits, subject: 'selfie', accountId: 'bench' })
}

function findLifecycle(path: string, token: string, body: Buffer): [id: string, lifecycle: Lifecycle] {
  if (path.endsWith('/customer')) {
    const lifecycle = { unique: [], calls: 0, finished: Promise.withResolvers<void>() }
    const id = randomUUID()
    open.set(id, lifecycle)
    return [id, lifecycle]
  }
  const named = path.endsWith('/transaction') ? JSON.parse(body.toString()).customer_id : path.split('/transaction/')[1]
  const id = String(named ?? token)
  const lifecycle = open.get(id)
  if (lifecycle === undefined) throw new Error(`${path}: no lifecycle`)
  return [id, lifecycle]
}

const server = createServer(async (message, response) => {
  const [path = ''] = (message.url ?? '').split('?')
  const body = await readBody(message)
  const [id, lifecycle] = findLifecycle(path, (message.headers.authorization ?? '').slice('Bearer '.length), body)
  const phase = phases[lifecycle.calls++]
  if (phase === undefined) throw new Error('one call too many')
  if (phase.isPhoto) await decode(body)
  if (path.endsWith('/result')) await lifecycle.finished.promise
  await runAll(phase.request, lifecycle)
  const answer = { customer_id: id, transaction_id: id, sdk_token: id, challenge_id: id, status: 'FINISHED' }
  const text = JSON.stringify(answer)
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
  if (lifecycle.calls === phases.length) open.delete(id)
  await runAll(phase.background, lifecycle)
})
await images.ready
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

answerQuestions({
  ready: () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, access_token: 'none' }),
  usage: () => ({
    cpu_ms: treeCpuMilliseconds(process.pid),
    own_ms: processCpuMilliseconds(process.pid),
    ...database.counted,
  }),
})
process.once('disconnect', () => process.exit(0))
