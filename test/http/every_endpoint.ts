/** Calls of every endpoint, made from what the endpoint declares: its caller, its path, its query and its body. */
import type { ApiDocument, Parameter, Schema } from '@attestor/api-reference'
import { resolveSchema } from '@attestor/api-reference/testing'
import { checkDestination } from '@attestor/outbound'
import { version } from '../../src/base/version.ts'
import { tables } from '../../src/database/tables.ts'
import { type Role, roles } from '../../src/database/words.ts'
import type { DocumentDeps } from '../../src/http/deps.ts'
import type { Authentication, Endpoint } from '../../src/http/endpoint.ts'
import { createApiDocument } from '../../src/http/openapi/documents.ts'
import { issueAccessToken, tokenLifetimeSeconds } from '../../src/identity/accounts/access_token.ts'
import { type AccountMode, createAccount, revokeClient } from '../../src/identity/accounts/accounts.ts'
import { createMetrics } from '../../src/node/metrics/metrics.ts'
import type { Answer, CallOptions } from '../calls.ts'
import { manualClock } from '../clock.ts'
import { cookieOf, openConsoleAt, pageHeaders } from '../console/rig.ts'
import type { TestEngine } from '../database.ts'
import { kyc, openTransaction, requestToken, sdk } from '../service/client.ts'
import { smallPhoto } from '../small_photo.ts'
import { type Door, openDoor } from './door.ts'

type Headers = Readonly<Record<string, string>>

export function bearer(token: string): Headers {
  return { Authorization: `Bearer ${token}` }
}

/** An endpoint, and what a call of it may hold. */
export interface Described {
  readonly endpoint: Endpoint
  /** Method and path, as the table has them. */
  readonly name: string
  readonly query: readonly Parameter[]
  /** The schema of a body of JSON; null without one. */
  readonly body: Schema | null
}

/** A call before it is sent. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly call: CallOptions
}

/** A door behind which there is something for each endpoint to find, and a caller of each kind. */
export interface World {
  readonly door: Door
  readonly described: readonly Described[]
  readonly document: ApiDocument
  readonly documentDeps: DocumentDeps
  /** The things that the calls name, by the names of parameters and members. */
  readonly ids: Readonly<Record<string, string>>
  readonly credentials: {
    readonly access_token: Headers
    readonly sdk_token: Headers
    readonly operator: Readonly<Record<Role, Headers>>
    readonly metrics_token: Headers
    readonly none: Headers
  }
  /** The caller and the things of the endpoints of test mode. */
  readonly ofTests: { readonly headers: Headers; readonly ids: Readonly<Record<string, string>> }
  /** A backend that has nothing of this. */
  readonly stranger: Headers
  /** The credentials that open nothing, with the status and the code of the answer. */
  readonly wrong: Readonly<Record<Authentication, readonly WrongCredential[]>>
  readonly image: Uint8Array
}

type WrongCredential = readonly [why: string, headers: Headers, status: number, code: string]

/** The schemas of requests alone are wanted. Those of all answers would take most of the time. */
const ofNoAnswer = { summary: '', description: '', tag: 'Operation', responses: {} } as const

export function nameEndpoint({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path}`
}

function documentDepsOf(baseUrl: string): DocumentDeps {
  return { baseUrl, checkDestination, defaultTtlMinutes: 60, embedOrigins: [], redirectSchemes: [] }
}

/** Returns an OpenAPI document of the requests of endpoints, also of those that are in none. */
export function documentRequests(endpoints: readonly Endpoint[], baseUrl: string): ApiDocument {
  const all = endpoints.map(one => ({ ...one, ...ofNoAnswer, operationId: nameEndpoint(one) }))
  return createApiDocument(documentDepsOf(baseUrl), all) as ApiDocument
}

function describeEndpoints({ endpoints, url }: Door): Pick<World, 'described' | 'document' | 'documentDeps'> {
  const document = documentRequests(endpoints, url)
  const described = endpoints.map(endpoint => {
    const operation = document.paths[endpoint.path]?.[endpoint.method]
    return {
      endpoint,
      name: nameEndpoint(endpoint),
      query: operation?.parameters?.filter(one => one.in === 'query') ?? [],
      body: operation?.requestBody?.content['application/json']?.schema ?? null,
    }
  })
  return { document, described, documentDeps: documentDepsOf(url) }
}

async function openAccount(door: Door, name: string, mode: AccountMode = 'live') {
  const account = await createAccount(door.service, { name, mode })
  return { ...account, token: await requestToken(door.call, account) }
}

/** A transaction whose capture goes on, and the receipt of one that was erased. */
async function fill(door: Door, token: string, image: Uint8Array) {
  const made = (answer: Answer): Answer['body'] => {
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const document_policy = { chip: 'PREFER', wallet: 'OFFER' }
  const webhook = { url: 'https://receiver.example/hook' }
  const opened = await openTransaction(door.call, token, { config: { document_policy, webhook } })
  const { sdk_token, transaction_id } = opened
  const device = async (method: string, path: string, more: CallOptions = {}) =>
    made(await door.call(method, `${sdk}${path}`, { token: sdk_token, ...more }))
  await device('POST', '/start')
  await device('PUT', '/selfie', { raw: image, type: 'image/jpeg' })
  const { challenge_id } = await device('POST', '/liveness/challenge')
  const { request_id } = await device('POST', '/document/wallet', { json: {} })
  const listed = async (what: string): Promise<readonly Record<string, unknown>[]> =>
    (await door.call('GET', `${kyc}/transaction/${transaction_id}/${what}`, { token })).body.data as []
  const [delivery] = await listed('deliveries')
  const [capture] = await listed('captures')
  const link = await door.call('POST', `${kyc}/transaction/${transaction_id}/captures/${capture?.id}/link`, { token })
  const gone = await openTransaction(door.call, token)
  const erased = await door.call('DELETE', `${kyc}/customer/${gone.customer_id}`, { token })
  const ids = {
    customer_id: opened.customer_id,
    transaction_id,
    challenge_id,
    request_id,
    delivery_id: delivery?.delivery_id,
    capture_id: capture?.id,
    link: String(link.body.url).split('/').at(-1),
    erasure_id: erased.body.erasure_id,
  }
  return { sdk_token, ids: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)])) }
}

const metricsToken = 'a-token-for-metrics'

/** Credentials whose hour is over, or that somebody has ended. The clock stands where the hour of the others begins. */
async function openEnded(door: Door) {
  const account = await openAccount(door, 'Before')
  const { sdk_token: expired } = await openTransaction(door.call, account.token)
  await door.clock.advance(tokenLifetimeSeconds * 1000)
  const revoked = await openAccount(door, 'Revoked')
  const { sdk_token: erased, customer_id } = await openTransaction(door.call, revoked.token)
  await door.call('DELETE', `${kyc}/customer/${customer_id}`, { token: revoked.token })
  const again = await openAccount(door, 'Revoked again')
  await revokeClient(door.service, again.client_id)
  return { token: account.token, revoked: again.token, expired, erased }
}

/** The credentials that open nothing, for each way in which endpoints authenticate; each with the answer to it. */
function listWrong(
  door: Door,
  own: World['credentials'],
  ended: Awaited<ReturnType<typeof openEnded>> & { readonly session: Headers },
): World['wrong'] {
  const { client_id } = door.account
  const claims = { client_id, scope: 'openid', expires_at: door.clock.now() + 60_000 }
  const refused = [401, 'invalid_token'] as const
  const nothing = ['nothing', {}, ...refused] as const
  const { Cookie: _cookie, ...page } = own.operator.admin
  return {
    access_token: [
      nothing,
      ['a device’s token', own.sdk_token, ...refused],
      ['an expired token', bearer(ended.token), ...refused],
      ['the token of a revoked client', bearer(ended.revoked), ...refused],
      [
        'a token without the scope',
        bearer(issueAccessToken(door.service.serviceKeys, claims)),
        403,
        'insufficient_scope',
      ],
    ],
    sdk_token: [
      nothing,
      ['a backend’s token', own.access_token, ...refused],
      ['the token of an expired transaction', bearer(ended.expired), 410, 'gone'],
      ['the token of an erased transaction', bearer(ended.erased), 410, 'gone'],
    ],
    metrics_token: [
      nothing,
      ['a guess', bearer('guess'), ...refused],
      ['a backend’s token', own.access_token, ...refused],
    ],
    operator: [
      ['nothing', page, ...refused],
      ['a guessed cookie', { ...page, Cookie: 'attestor_console=guess' }, ...refused],
      ['a backend’s token', { ...page, ...own.access_token }, ...refused],
      ['the cookie of a session that is over', ended.session, ...refused],
    ],
    none: [],
  }
}

/** A customer and a transaction that are there for an operator to erase. */
async function openOthers(door: Door, token: string) {
  const { transaction_id: transaction } = await openTransaction(door.call, token)
  const { customer_id: customer } = await openTransaction(door.call, token)
  return { transaction, customer }
}

/** The transaction of a test account that has begun, and its delivery. */
async function fillTest(door: Door, token: string): Promise<World['ofTests']> {
  const { transaction_id } = await openTransaction(door.call, token, {
    config: { webhook: { url: 'https://listen.invalid/' } },
  })
  await door.call('POST', `${kyc}/test/transaction/${transaction_id}/walk`, { token, json: { to: 'INITIATED' } })
  const { body } = await door.call('GET', `${kyc}/transaction/${transaction_id}/deliveries`, { token })
  const [delivery] = body.data as readonly { readonly delivery_id: string }[]
  return { headers: bearer(token), ids: { transaction_id, delivery_id: String(delivery?.delivery_id) } }
}

export async function openWorld(engine: TestEngine): Promise<World> {
  const metrics = createMetrics({ clock: manualClock(), token: metricsToken, version })
  const door = await openDoor(engine, { metrics })
  const ended = await openEnded(door)
  const image = await smallPhoto()
  const { token, account_id, client_id } = await openAccount(door, 'Acme')
  const { sdk_token, ids } = await fill(door, token, image)
  const { headersOf, operators, as, login } = await openConsoleAt(door)
  const own = {
    access_token: bearer(token),
    sdk_token: bearer(sdk_token),
    operator: headersOf,
    metrics_token: bearer(metricsToken),
    none: {},
  }
  const { session_id } = (await as.viewer('GET', '/me')).body
  // The code of a log-in is good once.
  await door.clock.advance(60_000)
  const session = { ...pageHeaders(door), Cookie: cookieOf(await login(operators.admin)) }
  await door.call('POST', '/console/api/logout', { headers: session })
  // A minute later each is seen again.
  for (const role of roles) await as[role]('GET', '/me')
  return {
    door,
    ...describeEndpoints(door),
    ids: {
      ...ids,
      ...(await openOthers(door, token)),
      account_id,
      client_id,
      session_id: String(session_id),
      operator_id: operators.viewer.operator_id,
      origin: 'https://receiver.example',
      n: '0',
      kind: 'selfie',
      name: 'transaction',
      version: '1',
      path: 'index',
      screen: 'accounts',
      from: new Date(0).toISOString(),
    },
    ofTests: await fillTest(door, (await openAccount(door, 'Tests', 'test')).token),
    stranger: bearer((await openAccount(door, 'Stranger', 'test')).token),
    credentials: own,
    wrong: listWrong(door, own, { ...ended, session }),
    image,
  }
}

function isOfTests(path: string): boolean {
  return path.startsWith(`${kyc}/test/`)
}

/** The thing that a parameter of a path names: an `id`, which the console erases, is of what stands before it. */
export function findId({ ids, ofTests }: World, path: string, name: string): string {
  const own = name === 'id' ? ids[/(\w+)\/\{id\}/.exec(path)?.[1] ?? ''] : ids[name]
  const known = isOfTests(path) ? ofTests.ids[name] : own
  if (known === undefined) throw new Error(`${path} names a thing that this world has not: ${name}`)
  return known
}

/** The path of a call; `others` are the ids that it has in place of those that are there. */
export function createPath(world: World, { path }: Endpoint, others: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{\*?(\w+)\}/g, (_, name: string) => others[name] ?? findId(world, path, name))
}

/** Returns the parameters of a path, in order. */
export function listPathNames({ path }: Endpoint): readonly string[] {
  return [...path.matchAll(/\{\*?(\w+)\}/g)].map(([, name = '']) => name)
}

/** A value that a schema takes: its example, and of an object the members that must be there. */
export function createSample(world: World, given: Schema, name = ''): unknown {
  const { schema } = resolveSchema(world.document, given)
  const { examples = given.examples, enum: words, properties, required = [], items, type, minimum } = schema
  const id = world.ids[name]
  if (id !== undefined) return id
  if (examples !== undefined && examples[0] !== null) return examples[0]
  if (words !== undefined) return words[0]
  if (type === 'object')
    return Object.fromEntries(required.map(member => [member, createSample(world, properties?.[member] ?? {}, member)]))
  if (type === 'array') return [createSample(world, items ?? {})]
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return minimum ?? 1
  return 'x'.repeat(Number(schema.minLength ?? 6))
}

/** Returns the headers of the endpoint's right caller; of operators, the one with no more than the role that it takes. */
export function credentialOf({ credentials, ofTests }: World, endpoint: Endpoint): Headers {
  const { authentication, isForOperators, path, role = 'viewer' } = endpoint
  if (isOfTests(path)) return ofTests.headers
  if (authentication === 'operator') return credentials.operator[role]
  if (!isForOperators) return credentials[authentication]
  const { Cookie: _cookie, ...page } = credentials.operator.viewer
  return page
}

/** A call that its endpoint takes: of the right caller, about things that are there, with all that it must have. */
export function createCall(world: World, { endpoint, query, body }: Described): Sent {
  const { method, request } = endpoint
  const media = request?.body?.media
  const content: CallOptions =
    media === 'image'
      ? { raw: world.image, type: 'image/jpeg' }
      : media === 'form'
        ? { form: {} }
        : body === null
          ? {}
          : { json: createSample(world, body) }
  const needed = query.filter(({ required }) => required)
  return {
    method: method.toUpperCase(),
    path: createPath(world, endpoint),
    query: Object.fromEntries(needed.map(({ name, schema }) => [name, String(createSample(world, schema, name))])),
    call: { ...content, headers: credentialOf(world, endpoint) },
  }
}

/** The path of a call, with its query. */
export function pathOf({ path, query }: Sent): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

export function send({ door }: World, sent: Sent): Promise<Answer> {
  return door.call(sent.method, pathOf(sent), sent.call)
}

/** The tables that a refused call may write to: who was refused is recorded, and calls are counted. */
const ofRefusals = ['audit', 'facts', 'rate_limits', 'nodes']

const watched = Object.keys(tables).filter(table => !ofRefusals.includes(table))

/** The rows of all tables that no refused call may change. */
export type Everything = Readonly<Record<string, string>>

export async function readEverything({ door }: World): Promise<Everything> {
  const read = async (table: string) => {
    const rows = await door.service.store.read({ sql: `SELECT * FROM ${table}`, values: [] })
    return [table, JSON.stringify(rows)] as const
  }
  return Object.fromEntries(await Promise.all(watched.map(read)))
}

/** Lists the tables whose rows are others than before. */
export async function listChanged(world: World, before: Everything): Promise<readonly string[]> {
  const after = await readEverything(world)
  return watched.filter(table => after[table] !== before[table])
}
