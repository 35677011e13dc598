/** Tests each endpoint by its declaration in the table. A new endpoint is tested without a new test. */
import { resolveSchema } from '@attestor/api-reference/testing'
import test, { type ExecutionContext } from 'ava'
import { newId } from '../../src/base/ids.ts'
import { type Role, roles } from '../../src/database/words.ts'
import type { Authentication, Endpoint } from '../../src/http/endpoint.ts'
import { includesRole } from '../../src/identity/operators/roles.ts'
import type { Answer, CallOptions } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { kyc } from '../service/client.ts'
import {
  createCall,
  createPath,
  type Described,
  type Everything,
  findId,
  listChanged,
  listPathNames,
  openWorld,
  pathOf,
  readEverything,
  type Sent,
  send,
  type World,
} from './every_endpoint.ts'
import { findBrokenRule, listBroken } from './field_rules.ts'

type Says = readonly [status: number, code: string]

const forbidden: Says = [403, 'insufficient_scope']

/** Checks that an answer is an error of this status and code, in the form that all errors have. */
function isError(t: ExecutionContext, { status, headers, body, text }: Answer, says: Says, title: string): void {
  t.deepEqual([status, headers.get('x-error-code')], [...says], `${title}: ${text}`)
  t.deepEqual(Object.keys(body), ['error'], title)
  if (status === 401) t.truthy(headers.get('www-authenticate'), title)
}

/** Checks that one of these names is what was not found. */
function isNotFound(t: ExecutionContext, answer: Answer, names: readonly string[], title: string): void {
  isError(t, answer, [404, 'not_found'], title)
  t.true(names.includes(String(answer.body.error).split(': ')[0] ?? ''), `${title}: ${answer.text}`)
}

/** The members of a body that name a thing of the account. */
function listMembers({ document }: World, { body }: Described): readonly string[] {
  const properties = Object.keys(body === null ? {} : (resolveSchema(document, body).schema.properties ?? {}))
  return ['customer_id', 'transaction_id'].filter(name => properties.includes(name))
}

/** The names of the things that a call is about: in its path, and in its body. */
function listNames(world: World, described: Described): readonly string[] {
  return [...listPathNames(described.endpoint), ...listMembers(world, described)]
}

/** A call that also names what it may leave out. */
function nameAll(world: World, described: Described): Sent {
  const good = createCall(world, described)
  const members = listMembers(world, described)
  if (members.length === 0) return good
  const ids = Object.fromEntries(members.map(name => [name, findId(world, described.endpoint.path, name)]))
  return { ...good, call: { ...good.call, json: { ...(good.call.json as object), ...ids } } }
}

function hasBody({ request }: Endpoint): boolean {
  return request?.body !== undefined
}

/** A call in which everything is wrong but who makes it. */
function spoil(world: World, { endpoint }: Described): Sent {
  const path = createPath(world, endpoint, Object.fromEntries(listPathNames(endpoint).map(name => [name, 'x'])))
  const call = hasBody(endpoint) ? { raw: '{', type: 'application/json' } : {}
  return { method: endpoint.method.toUpperCase(), path, query: { limit: 'x' }, call }
}

/** Whether the router takes this path for that of an endpoint. */
function matches({ path }: Endpoint, called: string): boolean {
  const pattern = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{\*\w+\}/g, '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(called)
}

/** Calls that end what others need come later: first those that read, and last those that erase. */
function rank({ endpoint: { method, path } }: Described): number {
  const isEnd = /\/(cancel|complete|reset|disable)$/.test(path)
  const isErasure = method === 'delete' && /\/(customer|transaction)\/\{\w+\}$/.test(path)
  return ['get', 'put', 'patch', 'post', 'delete'].indexOf(method) + (isEnd ? 10 : 0) + (isErasure ? 20 : 0)
}

/** Calls that end the caller's session, that never end, and of an origin, which is there once something was sent to it. */
const apart = ['logout', 'events', 'origin/delivery', 'origin/pause', 'origin/resume'].map(one => `/console/api/${one}`)

const json = 'application/json'
const packed = { 'Content-Encoding': 'gzip' }

/** Bodies that no endpoint takes which reads JSON. One endpoint is called with all others: see `integrator.test.ts`. */
const brokenJson: readonly (readonly [title: string, call: CallOptions, ...says: Says])[] = [
  ['a form', { raw: 'a=b', type: 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
  ['a packed body', { raw: '{}', type: json, headers: packed }, 415, 'unsupported_media_type'],
  ['a part of JSON', { raw: '{"a":', type: json }, 400, 'malformed_request'],
]

const brokenImages: typeof brokenJson = [
  [
    'a picture of SVG',
    { raw: '<svg xmlns="http://www.w3.org/2000/svg"/>', type: 'image/svg+xml' },
    415,
    'unsupported_media_type',
  ],
  ['JSON', { raw: '{}', type: json }, 415, 'unsupported_media_type'],
  ['no bytes', { raw: '', type: 'image/jpeg' }, 422, 'unusable_capture'],
  ['a packed picture', { raw: 'x', type: 'image/jpeg', headers: packed }, 415, 'unsupported_media_type'],
]

/** The broken bodies of an endpoint: what it may not have follows from what it declares. */
function listBrokenBodies({ request, errorFormat }: Endpoint): typeof brokenJson {
  const body = request?.body
  if (body?.media === 'image') return brokenImages
  if (body?.media !== 'json' || errorFormat === 'oauth') return []
  return body.isRequired ? [...brokenJson, ['nothing', {}, 400, 'malformed_request']] : brokenJson
}

/** A body of this length is not read: the connection is closed after its headers. */
const beyondAll = 2 ** 40

/** The most bytes that an endpoint reads; null where it reads none. */
function mostBytes({ request }: Endpoint): number | null {
  const body = request?.body
  if (body === undefined) return null
  if (body.media === 'image') return 1_000_000
  if (body.media === 'form') return body.max_bytes ?? 16 * 1024
  return body.large?.max_bytes ?? 64 * 1024
}

/** Names the caller of each path, so that no declaration is loosened by mistake. The first entry that fits holds. */
const callers: readonly (readonly [name: RegExp, caller: Authentication | Role])[] = [
  // The last part of its path is the token.
  [/^GET \/api\/account\/integration\/kyc\/capture\//, 'none'],
  [/^\w+ \/api\/account\/integration\/kyc\//, 'access_token'],
  [/^\w+ \/api\/sdk\/v1\/session(\/|$)/, 'sdk_token'],
  [/^GET \/metrics$/, 'metrics_token'],
  // A log-in, a code of a hand-off, and a wallet's answer to a request are credentials themselves.
  [/^POST \/(oauth2\/token|console\/api\/login|api\/sdk\/v1\/handoff|api\/wallet\/v1\/.*)$/, 'none'],
  [/^GET \/console\/api\/sign-on/, 'none'],
  [/^DELETE \/console\/api\/(customer|transaction)\/\{id\}$/, 'admin'],
  [/^POST \/console\/api\/account$/, 'admin'],
  [/^\w+ \/console\/api\/(account\/|client\/|key|operator|audit|origin\/(pause|resume)$)/, 'admin'],
  [/^GET \/console\/api\/.*\/(personal|capture\/.*|evidence)$/, 'reviewer'],
  [/^GET \/console\/api\/(reference|external-id)$/, 'reviewer'],
  [/^\w+ \/console\/api\/transaction\/.*\/(cancel|review|claim|redeliver)$/, 'reviewer'],
  [/^\w+ \/console\/api\//, 'viewer'],
  [/^GET /, 'none'],
]

for (const engine of oneDialect) {
  const on = `On ${engine.name} `
  let world: World
  let before: Everything

  test.serial.before(async () => {
    world = await openWorld(engine)
    before = await readEverything(world)
  })
  test.serial.after.always(() => world.door.close())

  test.serial(`${on}the path of an endpoint says who may call it`, t => {
    for (const { endpoint, name } of world.described) {
      const declared = endpoint.authentication === 'operator' ? endpoint.role : endpoint.authentication
      const expected = callers.find(([pattern]) => pattern.test(name))?.[1]
      t.is(String(declared), String(expected), name)
    }
  })

  test.serial(`${on}every endpoint asks who calls before it looks at anything else`, async t => {
    for (const described of world.described) {
      const spoilt = spoil(world, described)
      const wrong = world.wrong[described.endpoint.authentication]
      const answers = await Promise.all(
        wrong.map(([, headers]) => send(world, { ...spoilt, call: { ...spoilt.call, headers } })),
      )
      for (const [at, [why, , ...says]] of wrong.entries())
        isError(t, answers[at] as Answer, says, `${described.name} with ${why}`)
    }
    t.deepEqual(await listChanged(world, before), [])
  })

  test.serial(
    `${on}every endpoint of the console is for its role and those above it, and for no other page`,
    async t => {
      const { operator } = world.credentials
      const { 'X-Attestor-Console': page = '', Origin = '', ...rest } = operator.admin
      const ofOthers = [
        { Origin },
        { 'X-Attestor-Console': page },
        { 'X-Attestor-Console': page, Origin: 'https://evil.example' },
      ]
      for (const described of world.described.filter(({ endpoint }) => endpoint.isForOperators === true)) {
        const { endpoint, name } = described
        const spoilt = spoil(world, described)
        const as = (headers: Readonly<Record<string, string>>) =>
          send(world, { ...spoilt, call: { ...spoilt.call, headers } })
        for (const role of roles)
          if (!includesRole(role, endpoint.role ?? 'viewer'))
            isError(t, await as(operator[role]), forbidden, `${name} as ${role}`)
        if (endpoint.method !== 'get')
          for (const headers of ofOthers)
            isError(t, await as({ ...rest, ...headers }), forbidden, `${name} of another page`)
      }
      t.deepEqual(await listChanged(world, before), [])
    },
  )

  test.serial(`${on}a thing of another account is not found, as one that nobody has`, async t => {
    for (const described of world.described.filter(({ endpoint }) => endpoint.authentication === 'access_token')) {
      const own = nameAll(world, described)
      const names = listNames(world, described)
      if (names.length === 0 && own.method !== 'GET') continue
      const theirs = await send(world, { ...own, call: { ...own.call, headers: world.stranger } })
      if (names.length > 0) isNotFound(t, theirs, names, `${described.name} of a stranger`)
      else if (own.method === 'GET') t.deepEqual(theirs.body.data, [], described.name)
    }
    const { body } = await world.door.call('POST', `${kyc}/test/listen`, { headers: world.stranger, json: {} })
    t.is(body.delivery, null)
  })

  test.serial(`${on}an id of nothing, and what is no id, are not found`, async t => {
    for (const described of world.described) {
      const { endpoint, name } = described
      const names = listPathNames(endpoint)
      const ids = endpoint.authentication === 'access_token' ? [newId(), 'x'] : ['x']
      if (endpoint.authentication === 'none') continue
      const own = createCall(world, described)
      for (const [at, parameter] of names.entries())
        for (const id of ids) {
          const answer = await send(world, { ...own, path: createPath(world, endpoint, { [parameter]: id }) })
          isNotFound(t, answer, names.slice(at), `${name}: ${parameter} ${id}`)
        }
    }
    t.deepEqual(await listChanged(world, before), [])
  })

  test.serial(
    `${on}every path says which methods it has, and is one path with or without a slash at its end`,
    async t => {
      const paths = new Set(world.described.map(({ endpoint }) => createPath(world, endpoint)))
      for (const path of paths) {
        const methods = world.described
          .filter(({ endpoint }) => matches(endpoint, path))
          .map(({ endpoint }) => endpoint.method)
        const allowed = [
          ...new Set(methods.flatMap(method => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))),
        ]
        const [other = 'SEARCH'] = ['PUT', 'DELETE', 'PATCH', 'POST'].filter(method => !allowed.includes(method))
        for (const [method, called] of [
          [other, path],
          ['SEARCH', path === '/' ? path : `${path}/`],
        ] as const) {
          const answer = await send(world, { method, path: called, query: {}, call: {} })
          isError(t, answer, [405, 'method_not_allowed'], `${method} ${called}`)
          t.is(answer.headers.get('allow'), allowed.sort().join(', '), path)
        }
      }
    },
  )

  test.serial(
    `${on}every endpoint refuses a body of another type, or beyond its size, and reads no further`,
    async t => {
      for (const described of world.described) {
        const { endpoint, name } = described
        const good = createCall(world, described)
        const { headers = {} } = good.call
        for (const [title, broken, ...says] of listBrokenBodies(endpoint)) {
          const call = { ...broken, headers: { ...broken.headers, ...headers } }
          isError(t, await send(world, { ...good, call }), says, `${name} with ${title}`)
        }
        const most = mostBytes(endpoint)
        if (most === null) continue
        const type = endpoint.request?.body?.media === 'form' ? 'application/x-www-form-urlencoded' : json
        const head = Object.entries({ Host: 'x', ...headers, 'Content-Type': type, 'Content-Length': beyondAll })
        const lines = [`${good.method} ${pathOf(good)} HTTP/1.1`, ...head.map(line => line.join(': ')), '', '']
        const answer = await world.door.raw(lines.join('\r\n'))
        t.regex(answer, endpoint.errorFormat === 'oauth' ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 413 /, name)
        t.true(answer.includes(`body: must be at most ${most} bytes`), `${name}: ${answer}`)
      }
      t.deepEqual(await listChanged(world, before), [])
    },
  )

  test.serial(
    `${on}every field of every call that breaks its rule is named, with the rule, and nothing is stored`,
    async t => {
      for (const described of world.described) {
        const good = createCall(world, described)
        for (const [at, { query, json, says }] of [...listBroken(world, described, good)].entries()) {
          const title = `${described.name} ${JSON.stringify({ query, json }).slice(0, 300)}`
          t.regex(findBrokenRule(world, described, { query, json }), says, title)
          // The schema judges all of them; that the endpoint asks it is seen by one.
          if (at > 0) continue
          const call = { ...good.call, ...(json === undefined ? {} : { json }) }
          const answer = await send(world, { ...good, query, call })
          isError(t, answer, [400, 'invalid_field'], title)
          t.regex(String(answer.body.error), says, title)
        }
      }
      t.deepEqual(await listChanged(world, before), [])
    },
  )

  test.serial(`${on}the right caller of every endpoint is let in`, async t => {
    const called = world.described.filter(
      ({ endpoint }) => endpoint.authentication !== 'none' && !apart.includes(endpoint.path),
    )
    for (const described of called.toSorted((one, other) => rank(one) - rank(other))) {
      const { status, text } = await send(world, createCall(world, described))
      const isIn = status < 500 && ![401, 403, 404, 405, 413, 415].includes(status)
      t.true(isIn, `${described.name}: ${status} ${text.slice(0, 200)}`)
    }
    t.deepEqual(
      world.door.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })
}
