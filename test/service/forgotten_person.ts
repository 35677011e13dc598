import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type { EngineFindings } from '@attestor/rules'
import type { ExecutionContext } from 'ava'
import type { Value } from 'durable-xstate-sql/sql'
import { decrypt } from '../../src/base/encryption.ts'
import { tables } from '../../src/database/tables.ts'
import { customerAad } from '../../src/identity/customers/customers.ts'
import { makeBackup } from '../../src/node/backup/backup.ts'
import { keyedDigest } from '../../src/verification/captures/digest.ts'
import { transactionAad } from '../../src/verification/transactions/rows.ts'
import { kyc, picture } from './client.ts'
import type { Opened, Rig } from './rig.ts'

/** Words that nobody else has, as a document, a device and an engine say them. */
export const canary = {
  last_name: 'CANARYSURNAME',
  first_name: 'CANARYGIVEN',
  document_number: 'CNRY90X7Q',
  personal_number: 'CANARYNUMBER1',
  printed: 'CANARYPRINTED',
  engine_code: 'CANARY_ENGINE_CODE',
  device_model: 'CanaryPhone 77',
  ip_address: '203.0.113.199',
  latitude: '52.5170311',
  longitude: '13.3888522',
} as const

/** A score that only the same pictures give again. */
const score = 0.7182818284

/** A picture that nobody else has: what follows a JPEG's end is no part of it. */
export async function drawCanary(): Promise<Buffer> {
  return Buffer.concat([await picture(9), randomBytes(48)])
}

export function describeCanary(found: EngineFindings): EngineFindings {
  const { document, face } = found
  const { last_name, first_name, document_number, personal_number, printed, engine_code } = canary
  const mrz = document?.mrz && { ...document.mrz, last_name, first_name, document_number, personal_number }
  return {
    ...found,
    document: document && {
      ...document,
      mrz: mrz ?? null,
      visual: { lines: [[printed, last_name]], legibility: { score: 1, threshold: 0 } },
      reported: [{ code: engine_code, issue: null, status: 'UNDETERMINED' }],
    },
    face: face && { ...face, similarity: { score, threshold: 0.5 }, template: { model: 'canary', values: [score] } },
  }
}

/** Lists the forms in which a searcher would write the captured data. */
export function listNeedles(pictures: readonly Buffer[]): readonly Buffer[] {
  const marks = pictures.map(one => one.subarray(-48))
  const digests = pictures.map(one => createHash('sha256').update(one).digest())
  const words = [...Object.values(canary), String(score)]
  return [
    ...[...words, ...words.map(word => word.toLowerCase())].map(word => Buffer.from(word)),
    ...marks,
    ...[...marks, ...digests].flatMap(bytes => [bytes.toString('hex'), bytes.toString('base64')].map(Buffer.from)),
  ]
}

/** A collector of traces that keeps their bytes. */
export async function openTraceSink(t: ExecutionContext) {
  const parts: Buffer[] = []
  const server = createServer(async (request, response) => {
    for await (const part of request) parts.push(part as Buffer)
    response.setHeader('Content-Type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bytes: () => Buffer.concat(parts) }
}

function toBytes(value: Value): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))
}

/** All columns of all tables; on SQLite the bytes of the file and of its log. */
export async function readStored({ database: { address }, rows }: Rig): Promise<Buffer> {
  if (address.dialect === 'sqlite')
    return Buffer.concat([address.file, `${address.file}-wal`].map(file => readFileSync(file)))
  const all = await Promise.all(Object.keys(tables).map(table => rows(`SELECT * FROM ${table}`)))
  return Buffer.concat(all.flat().flatMap(row => Object.values(row).map(toBytes)))
}

/** The backup that an operator would make now. */
export async function readBackup({ node, database, clock }: Rig): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-canary-'))
  const file = join(folder, 'backup')
  try {
    const config = { DATABASE_URL: database.address }
    await makeBackup({ config, store: node().service.store, clock, file, onProgress: () => {} })
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Pieces of what is encrypted of a transaction, and of its key: what has none of them has nothing that a key could decrypt. */
export async function listCiphertexts({ rows }: Rig, id: string): Promise<readonly Buffer[]> {
  const values = [
    ...(await rows('SELECT content FROM captures WHERE transaction_id = ?', id)),
    ...(await rows(
      'SELECT piece FROM content_pieces WHERE capture_id IN (SELECT id FROM captures WHERE transaction_id = ?)',
      id,
    )),
    ...(await rows('SELECT data_key FROM capture_keys WHERE id = ?', id)),
  ].flatMap(row => Object.values(row).filter(value => value instanceof Uint8Array))
  return values.flatMap(value => [Buffer.from(value.subarray(0, 24)), Buffer.from(value.subarray(-24))])
}

type Decrypted = readonly [place: string, plain: Buffer]

/** The columns that hold bytes, of all tables. A new one fails the test until it is decrypted, or said to be plain. */
function listBytes(): readonly string[] {
  return Object.entries(tables).flatMap(([table, { columns }]) =>
    Object.entries(columns).flatMap(([name, type]) => (String(type).startsWith('bytes') ? [`${table}.${name}`] : [])),
  )
}

/** Keys, which are drawn, and what is of no person. */
const withoutPerson = [
  'customers.data_key',
  'capture_keys.data_key',
  'face_searches.data_key',
  'signing_keys.private_jwk',
  'operators.totp_secret',
  'trust_anchors.der',
  'account_settings.logo',
]

/** Everything that the keys of the database open, as somebody sees it who has the master key. */
export async function decryptAll({ rows, node }: Rig): Promise<readonly Decrypted[]> {
  const { transactions } = node().service
  const found: Decrypted[] = []
  const seen = new Set(withoutPerson)
  const customers = await rows('SELECT id, data_key, profile, face FROM customers')
  const keys = new Map(
    customers.map(({ id, data_key }) => [id, transactions.customerKey(String(id), data_key as Uint8Array)]),
  )
  const keyOf = (customer_id: Value | undefined): Buffer => {
    const key = keys.get(customer_id ?? null)
    if (key === undefined) throw new Error(`no key of ${customer_id}`)
    return key
  }
  const add = (place: string, value: Value | undefined, open: (bytes: Uint8Array) => Buffer): void => {
    seen.add(place)
    if (value instanceof Uint8Array) found.push([place, open(value)])
  }
  for (const row of customers)
    for (const name of ['profile', 'face'] as const)
      add(`customers.${name}`, row[name], bytes => decrypt(keyOf(row.id), customerAad(String(row.id), name), bytes))
  const columns = ['expected_data', 'result', 'trace', 'review_reason', 'review_template'] as const
  for (const row of await rows(
    `SELECT id, customer_id, encrypted_reference, ${columns.join(', ')} FROM transactions WHERE erasure_id IS NULL`,
  )) {
    const id = String(row.id)
    const open = (column: Parameters<typeof transactionAad>[1]) => (bytes: Uint8Array) =>
      decrypt(keyOf(row.customer_id), transactionAad(id, column), bytes)
    for (const name of columns)
      add(`transactions.${name}`, row[name], bytes =>
        name === 'trace' ? inflateRawSync(open(name)(bytes)) : open(name)(bytes),
      )
    add('transactions.encrypted_reference', row.encrypted_reference, open('reference'))
  }
  const captures = await rows(`SELECT c.id, c.digest, t.customer_id, t.id AS transaction_id, k.data_key FROM captures c
    JOIN transactions t ON t.id = c.transaction_id LEFT JOIN capture_keys k ON k.id = t.id WHERE c.kind <> 'findings'`)
  seen.add('captures.content').add('content_pieces.piece')
  for (const { id, digest, customer_id, transaction_id, data_key } of captures) {
    const key =
      data_key instanceof Uint8Array ? transactions.captureKey(String(transaction_id), data_key) : keyOf(customer_id)
    const reference = { capture_id: String(id), digest: String(digest) }
    found.push(['captures.content', (await transactions.captures.read(key, [reference]))(reference)])
  }
  const places = listBytes()
  const unread = places.filter(place => !seen.has(place))
  for (const place of unread) {
    const [table = '', column = ''] = place.split('.')
    const [row] = await rows(`SELECT COUNT(*) AS n FROM ${table} WHERE ${column} IS NOT NULL`)
    if (Number(row?.n) > 0) throw new Error(`${place} is read by nobody here`)
  }
  return found
}

/** Lists the names of pictures in a journal, under the customer's key. */
export async function listNames({ rows, node }: Rig, { id }: Opened, pictures: readonly Buffer[]) {
  const [row] = await rows(
    'SELECT c.id, c.data_key FROM customers c JOIN transactions t ON t.customer_id = c.id WHERE t.id = ?',
    id,
  )
  const key = node().service.transactions.customerKey(String(row?.id), row?.data_key as Uint8Array)
  return pictures.map(one => Buffer.from(keyedDigest(key, createHash('sha256').update(one).digest('hex'))))
}

/** Reads all answers about a transaction that callers can get. */
export async function readAnswers(rig: Rig, { id, phone }: Opened): Promise<Buffer> {
  const token = await rig.token()
  const path = `${kyc}/transaction/${id}`
  const texts = await Promise.all(
    ['', '/events', '/deliveries', '/captures', '/evidence'].map(
      async rest => (await rig.call('GET', `${path}${rest}`, { token })).text,
    ),
  )
  const { payload } = JSON.parse(texts.at(-1) ?? '{}') as { payload: string }
  const evidence = Buffer.from(payload, 'base64url').toString()
  return Buffer.from([...texts, evidence, (await phone.result()).text, (await phone.session()).text].join('\n'))
}

/** The files of the server, where it is on this machine: tables, logs and what it has freed. */
export async function readServerFiles({ rows }: Rig): Promise<ReadonlyMap<string, Buffer>> {
  const [row] = await rows('SELECT @@datadir AS folder, DATABASE() AS name')
  const folder = String(row?.folder)
  if (!existsSync(folder)) return new Map()
  const { globSync } = await import('node:fs')
  const files = globSync(['ib*', 'undo*', 'aria_log*', '*-bin.*', `${row?.name}/*`], { cwd: folder })
  return new Map(files.map(file => [file, readFileSync(join(folder, file))]))
}

export function countFound(stored: Buffer, needles: readonly Buffer[]): number {
  return needles.filter(needle => stored.includes(needle)).length
}
