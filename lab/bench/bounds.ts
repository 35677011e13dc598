/**
 * `node lab/bench/bounds.ts [NAME]` measures what each header, query, path, body and file of a stranger or a device
 * costs the node at the largest size that is accepted; only those whose name contains NAME. Each is sent over one
 * connection, a few times, by another thread. The least CPU of a call is shown in milliseconds, minus that of
 * `/healthz`, at the bound and at a quarter of it: that of the thread that has the event loop. A call that costs more
 * than 20, or more than five times a quarter's, is marked. A file's decoding is in other processes, and what hashes or
 * encrypts it in other threads.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { kyc, picture, sdk } from '../../test/service/client.ts'
import { openLocalNode } from './local_node.ts'
import { machine, table } from './measure.ts'

const wanted = process.argv[2] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'bounds-'))
const off = { RATE_LIMIT_DEVICE: '0', RATE_LIMIT_PAGES: '0', RATE_LIMIT_REJECTED_IMAGES: '0', RATE_LIMIT_WRITES: '0' }
const { node, call } = await openLocalNode({
  DATABASE_URL: `sqlite:${join(folder, 'bounds.db')}`,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  ANALYSIS_ENGINE: 'scripted',
  RATE_LIMIT_TOKEN_FAILURES: '0',
  RATE_LIMIT_LOGIN_FAILURES: '0',
  RATE_LIMIT_HANDOFF_FAILURES: '0',
  RATE_LIMIT_READS: '0',
  ...off,
})
const by = { operator_id: null, address: 'command_line' }
await createOperator(node.service, { name: 'bench', role: 'admin', password: 'a long password of the bench' }, by)
const { createAccount } = await import('../../src/identity/accounts/accounts.ts')
const { scope } = await import('../../test/service/client.ts')
const { client_id, client_secret } = await createAccount(node.service, { name: 'bounds', mode: 'test' })
const form = { grant_type: 'client_credentials', client_id, client_secret, scope }
const token = String((await call('POST', '/oauth2/token', { form })).body.access_token)

async function openSession(config: object): Promise<string> {
  const { body } = await call('POST', `${kyc}/customer`, { token, json: { external_customer_id: crypto.randomUUID() } })
  const json = { customer_id: body.customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
  const opened = await call('POST', `${kyc}/transaction`, { token, json })
  const sdk_token = String(opened.body.sdk_token)
  await call('POST', `${sdk}/start`, { token: sdk_token, json: { document_type: 'PASSPORT' } })
  return sdk_token
}

const device = await openSession({})
const { hostname, port } = new URL(node.url)
const host = hostname.replace(/[[\]]/g, '')

interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Each call has another last byte. */
  readonly isNew?: boolean
}

function write({ method = 'GET', path, headers = {}, body = '' }: Request): Buffer {
  const lines = Object.entries({
    Host: `${host}:${port}`,
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  })
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

const sender = new Worker(new URL('bounds_sender.ts', import.meta.url), { workerData: { port: Number(port), host } })
await once(sender, 'online')

function loopMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface Cost {
  readonly status: string
  readonly ms: number
}

const rounds = 5

async function cost(request: Request): Promise<Cost> {
  const bytes = write({ ...request, headers: { ...request.headers, Connection: 'close' } })
  const spent: number[] = []
  let status = ''
  for (let n = 0; n < rounds; n++) {
    // An image that is sent again would be refused.
    if (request.isNew) bytes.writeUInt8(n + 1, bytes.length - 1)
    sender.postMessage(bytes)
    const before = loopMilliseconds()
    status = String((await once(sender, 'message'))[0])
    spent.push(loopMilliseconds() - before)
  }
  return { status, ms: Math.min(...spent) }
}

type Shape = (size: number) => Request

const kibibyte = 1024
const mebibyte = kibibyte * kibibyte
const json = { 'Content-Type': 'application/json' }
const asBackend = { Authorization: `Bearer ${token}` }
const asDevice = { Authorization: `Bearer ${device}` }

/** Members or parameters of different names, as many as fit. */
function fill(size: number, one: (n: number) => string, between = ','): string {
  const parts: string[] = []
  for (let n = 0, length = 0; length < size; n++) {
    const part = one(n)
    length += part.length + between.length
    if (length <= size) parts.push(part)
  }
  return parts.join(between)
}

function header(name: string, path: string, value: (size: number) => string, more: object = {}): Shape {
  return size => ({ path, headers: { ...more, [name]: value(size) } })
}

function body(method: string, path: string, text: (size: number) => string | Buffer, headers: object): Shape {
  return size => ({ method, path, headers: { ...headers } as Record<string, string>, body: text(size) })
}

function tags(size: number): string {
  return fill(size, n => `${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}`)
}

function repeat(text: string): (size: number) => string {
  return size => text.repeat(Math.floor(size / text.length))
}

function members(size: number): string {
  return `{${fill(size - 2, n => `"m${n}":1`)}}`
}

function customer(name: string, value: (size: number) => string): (size: number) => string {
  return size => `{"external_customer_id":"x","${name}":"${value(size - 60)}"}`
}

function config(text: (size: number) => string): (size: number) => string {
  return size =>
    `{"customer_id":"${crypto.randomUUID()}","transaction_type":"BIOMETRIC_ONLY","config":{${text(size - 120)}}}`
}

const maxHeader = 15 * kibibyte
const maxQuery = 14 * kibibyte
const maxJson = 64 * kibibyte
const maxForm = 16 * kibibyte
const maxChip = 1024 * kibibyte

const inHeaders: Readonly<Record<string, Shape>> = {
  'accept-language /verify': header('Accept-Language', '/verify', tags),
  'accept-language with weights': header('Accept-Language', '/verify', size =>
    fill(size, n => `en-${n};q=0.${n % 10}`),
  ),
  'accept-language, one long tag': header('Accept-Language', '/verify', repeat('a-')),
  'accept /docs': header('Accept', '/docs/none', size => fill(size, n => `a/b${n};q=0.${n % 10}`)),
  'accept-encoding /docs': header('Accept-Encoding', '/docs', size => fill(size, n => `x${n};q=0.${n % 10}`)),
  'accept-encoding /assets': header('Accept-Encoding', '/assets/x/packages/page-files/icon.svg', size =>
    fill(size, n => `x${n}`),
  ),
  'if-none-match /openapi.json': header('If-None-Match', '/openapi.json', size => fill(size, n => `"${n}"`)),
  'x-forwarded-for': header('X-Forwarded-For', '/verify', size => fill(size, n => `[2001:db8::${n % 9999}]:1`)),
  'authorization, bearer': header('Authorization', `${kyc}/transaction`, size => `Bearer ${'a'.repeat(size - 7)}`),
  'authorization, spaces': header('Authorization', `${kyc}/transaction`, size => `Bearer${' '.repeat(size - 8)}!`),
  'authorization, device': header('Authorization', sdk, size => `Bearer ${'a'.repeat(size - 7)}`),
  'authorization, basic': size => ({
    method: 'POST',
    path: '/oauth2/token',
    headers: {
      Authorization: `Basic ${Buffer.from(`${'%41'.repeat(size / 8)}:x`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  }),
  'cookie of the console': header('Cookie', '/console/api/me', size => fill(size, n => `a${n}=b`, '; ')),
  'cookie, one long': header('Cookie', '/console/api/me', size => `attestor_console=${'a'.repeat(size)}`),
  traceparent: header('traceparent', '/verify', repeat('00-')),
  'x-request-id': header('X-Request-Id', '/verify', repeat('a')),
  'content-type': header('Content-Type', `${kyc}/customer`, repeat('a;charset=x;'), asBackend),
  origin: header('Origin', sdk, repeat('https://a.'), asDevice),
  'many headers': size => ({
    path: '/verify',
    headers: Object.fromEntries(Array.from({ length: Math.floor(size / 12) }, (_, n) => [`x-h${n}`, 'v'])),
  }),
}

const inPaths: Readonly<Record<string, Shape>> = {
  'query of a list, unknown': size => ({
    path: `${kyc}/transaction?${fill(size, n => `a${n}=`, '&')}`,
    headers: asBackend,
  }),
  'query of a list, one name': size => ({
    path: `${kyc}/transaction?${fill(size, () => 'a=', '&')}`,
    headers: asBackend,
  }),
  'query of a list, statuses': size => ({
    path: `${kyc}/transaction?status=${fill(size, () => 'FAILED')}`,
    headers: asBackend,
  }),
  'query of a list, cursor': size => ({ path: `${kyc}/transaction?cursor=${'a'.repeat(size)}`, headers: asBackend }),
  'query of a list, time': size => ({
    path: `${kyc}/transaction?created_from=${'2'.repeat(size)}`,
    headers: asBackend,
  }),
  'query of /verify': size => ({ path: `/verify?${fill(size, n => `a${n}=%41`, '&')}` }),
  'escapes in a query': size => ({
    path: `${kyc}/transaction?reference=${'%C3%A4'.repeat(size / 6)}`,
    headers: asBackend,
  }),
  'path of /docs': size => ({ path: `/docs/${'a/'.repeat(size / 2)}` }),
  'path of the console': size => ({ path: `/console/${'a/'.repeat(size / 2)}` }),
  'path of the console, empty': size => ({ path: `/console/${'/'.repeat(size)}` }),
  'path of an asset': size => ({ path: `/assets/x/${'../'.repeat(size / 3)}` }),
  'path of a transaction': size => ({ path: `${kyc}/transaction/${'a'.repeat(size)}`, headers: asBackend }),
  'path of /verify': size => ({ path: `/verify/${'a'.repeat(size)}` }),
  'link of an image': size => ({ path: `${kyc}/capture/${'a'.repeat(size)}` }),
}

const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' }

function post(path: string, text: (size: number) => string, headers: object): Shape {
  return body('POST', path, text, { ...json, ...headers })
}

function customers(text: (size: number) => string): Shape {
  return post(`${kyc}/customer`, text, asBackend)
}

function transactions(text: (size: number) => string): Shape {
  return post(`${kyc}/transaction`, config(text), asBackend)
}

const inBodies: Readonly<Record<string, Shape>> = {
  'form, names': body('POST', '/oauth2/token', size => fill(size, n => `a${n}=b`, '&'), asForm),
  'form, one value': body('POST', '/oauth2/token', size => `scope=${'%41'.repeat((size - 6) / 3)}`, asForm),
  'form, brackets': body('POST', '/oauth2/token', size => `a${'[b]'.repeat((size - 3) / 3)}=c`, asForm),
  'form, dots': body('POST', '/oauth2/token', size => fill(size, n => `a.b${n}=c`, '&'), asForm),
  members: customers(members),
  'members, long names': customers(size => `{"${'n'.repeat(size - 8)}":1}`),
  elements: customers(size => `{"x":[${fill(size - 8, () => '1')}]}`),
  brackets: customers(size => `{"x":${'['.repeat(size - 6)}`),
  spaces: customers(size => `{${' '.repeat(size - 2)}}`),
  quotes: customers(size => `{"x":"${'\\"'.repeat((size - 9) / 2)}"}`),
  backslashes: customers(size => `{"x":"${'\\'.repeat(size - 8)}`),
  'a number': customers(size => `{"x":${'9'.repeat(size - 6)}}`),
  'unclosed strings': customers(size => `{${'"'.repeat(size - 1)}`),
  'external id': customers(size => `{"external_customer_id":"${'x'.repeat(size - 30)}"}`),
  'external id of emoji': customers(size => `{"external_customer_id":"${'😀'.repeat((size - 30) / 4)}"}`),
  email: customers(customer('email', size => `${'a.'.repeat((size - 10) / 2)}a@example.com`)),
  'email, domain': customers(customer('email', size => `a@${'a-'.repeat((size - 10) / 2)}.com`)),
  'phone number': customers(customer('phone_number', size => `+${'1'.repeat(size - 1)}`)),
  'webhook url': transactions(size => `"webhook":{"url":"https://${'a.'.repeat((size - 40) / 2)}com"}`),
  'webhook path': transactions(size => `"webhook":{"url":"https://a.example/${'%41'.repeat((size - 60) / 3)}"}`),
  'webhook events': transactions(
    size => `"webhook":{"url":"https://a.example","events":[${fill(size - 60, () => '"FAILED"')}]}`,
  ),
  locale: transactions(size => `"locale":"${'a-'.repeat((size - 15) / 2)}b"`),
  names: transactions(size => `"expected_data":{"first_name":"${'é'.repeat((size - 40) / 2)}"}`),
  reference: transactions(size => `"reference":"${'x'.repeat(size - 20)}"`),
  'embed origins': transactions(size => `"embed_origins":[${fill(size - 20, () => '"https://a"')}]`),
  'test issues': transactions(size => `"test":{"issues":[${fill(size - 20, () => '"FACE_MISMATCH"')}]}`),
  'policy members': transactions(size => `"device_policy":{${fill(size - 20, n => `"a${n}":1`)}}`),
  signals: body('PUT', `${sdk}/signals`, members, { ...json, ...asDevice }),
  'signals, deep': body('PUT', `${sdk}/signals`, size => `{"device":${'{"a":'.repeat((size - 12) / 5)}`, {
    ...json,
    ...asDevice,
  }),
  'handoff code': post('/api/sdk/v1/handoff', size => `{"code":"${'a'.repeat(size - 12)}"}`, {}),
  'form of a wallet, names': body(
    'POST',
    `/api/wallet/v1/${crypto.randomUUID()}/${crypto.randomUUID()}/request`,
    size => fill(size, n => `a${n}=b`, '&'),
    asForm,
  ),
  'log-in': post('/console/api/login', size => `{"name":"${'a'.repeat(size - 12)}"}`, {
    'X-Attestor-Console': '1',
    Origin: node.url,
  }),
}

const chipDevice = await (async () => {
  // Scripted accounts read no chip, but a live one does.
  const live = await createAccount(node.service, { name: 'live' })
  const own = { ...form, client_id: live.client_id, client_secret: live.client_secret }
  const bearer = String((await call('POST', '/oauth2/token', { form: own })).body.access_token)
  const made = await call('POST', `${kyc}/customer`, { token: bearer, json: { external_customer_id: 'chip' } })
  const opened = await call('POST', `${kyc}/transaction`, {
    token: bearer,
    json: {
      customer_id: made.body.customer_id,
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      config: { document_policy: { chip: 'REQUIRE' } },
    },
  })
  const sdk_token = String(opened.body.sdk_token)
  await call('POST', `${sdk}/start`, { token: sdk_token, json: { document_type: 'PASSPORT' } })
  return sdk_token
})()

const withChip = { ...json, Authorization: `Bearer ${chipDevice}` }

function chip(text: (size: number) => string): Shape {
  return body('PUT', `${sdk}/document/chip`, text, withChip)
}

function file(bytes: (size: number) => Buffer): (size: number) => string {
  return size => bytes(Math.min(size, 48_000)).toString('base64')
}

function sod(bytes: (size: number) => Buffer): (size: number) => string {
  return size =>
    JSON.stringify({
      sod: file(bytes)(size),
      dg1: 'AQID',
      dg2: randomBytes(Math.floor(Math.min(size, 900_000) / 2))
        .toString('base64')
        .slice(0, 698_000 - (698_000 % 4)),
    })
}

/** Nests DER in DER, as deep as it fits: a SEQUENCE of the rest, each with a length of two bytes. */
function nested(size: number): Buffer {
  const depth = Math.floor(size / 4)
  return Buffer.concat(
    Array.from({ length: depth }, (_, n) => {
      const left = Math.max(0, size - 4 * (n + 1))
      return Buffer.from([0x30, 0x82, left >> 8, left & 255])
    }),
  )
}

const inFiles: Readonly<Record<string, Shape>> = {
  'chip, members': chip(members),
  'chip, brackets': chip(size => `{"sod":${'['.repeat(size - 8)}`),
  'chip, a long string': chip(size => `{"sod":"${'A'.repeat(size - 10)}"}`),
  'chip, quotes': chip(size => `{"sod":"${'\\"'.repeat((size - 10) / 2)}"}`),
  'chip, nested sod': chip(sod(nested)),
  'chip, small sod entries': chip(
    sod(size => Buffer.concat([Buffer.from([0x30, 0x83, 0, 187, 0]), Buffer.alloc(size - 5, Buffer.from([5, 0]))])),
  ),
  'chip, random sod': chip(sod(size => randomBytes(size))),
  'chip where none is asked for': body('PUT', `${sdk}/document/chip`, members, { ...json, ...asDevice }),
}

const small = await picture(7)
const pictured = await Promise.all([openSession({}), openSession({})])

const inImages: Readonly<Record<string, Shape>> = {
  'image, accepted': size => ({
    method: 'PUT',
    path: `${sdk}/document/front`,
    headers: { 'Content-Type': 'image/jpeg', Authorization: `Bearer ${pictured[size < mebibyte * 5 ? 1 : 0]}` },
    body: Buffer.concat([small, Buffer.alloc(size - small.length)]),
    isNew: true,
  }),
  'image, no image': body('PUT', `${sdk}/document/front`, size => Buffer.alloc(size, 1), {
    'Content-Type': 'image/jpeg',
    ...asDevice,
  }),
  'image, only a header': body(
    'PUT',
    `${sdk}/document/front`,
    size => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(size - 4)]),
    { 'Content-Type': 'image/jpeg', ...asDevice },
  ),
}

const groups: readonly (readonly [Readonly<Record<string, Shape>>, bound: number])[] = [
  [inHeaders, maxHeader],
  [inPaths, maxQuery],
  [inBodies, maxJson],
  [inFiles, maxChip],
  [inImages, 10 * mebibyte],
]

const plain = (await cost({ path: '/healthz' })).ms
const rows: (readonly [string, string, number, number])[] = []
for (const [shapes, bound] of groups)
  for (const [name, shape] of Object.entries(shapes)) {
    if (!name.includes(wanted)) continue
    const size = name.startsWith('form') ? maxForm : bound
    const { status, ms } = await cost(shape(size))
    const quarter = await cost(shape(Math.floor(size / 4)))
    rows.push([name, status, Math.max(0, ms - plain), Math.max(0, quarter.ms - plain)])
  }

const maxMs = 20

function judge(ms: number, quarterMs: number): string {
  if (ms > maxMs) return 'over'
  // Below a few milliseconds the difference is noise.
  return ms > 5 && ms > 5 * quarterMs ? 'not linear' : ''
}

const sorted = rows.toSorted(([, , one], [, , other]) => other - one)
process.stdout.write(`${machine()}; /healthz ${plain.toFixed(2)} ms\n`)
process.stdout.write(
  `${table([
    ['at its bound', 'status', 'CPU ms', 'a quarter', ''],
    ...sorted.map(([name, status, ms, quarter]) => [
      name,
      status,
      ms.toFixed(1),
      quarter.toFixed(1),
      judge(ms, quarter),
    ]),
  ])}\n`,
)
await sender.terminate()
await node.stop()
rmSync(folder, { recursive: true })
