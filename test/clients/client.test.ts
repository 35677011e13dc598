import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import { type ClientOptions, createClient, StillOpenError } from '../../clients/typescript/src/client.ts'
import { type Clock, systemClock } from '../../clients/typescript/src/clock.ts'
import { AttestorError } from '../../clients/typescript/src/errors.ts'
import { oneDialect } from '../database.ts'
import { openTestRig } from '../service/rig.ts'

const start = Date.parse('2026-11-21T05:00:00.000Z')
const id = '01a20427-6dcf-775b-bec7-c0c4e0fcddec'
const fresh = { access_token: 'one', expires_in: 3600, token_type: 'Bearer' }

/** A response, or an error that the connection ends with. */
type Played = Response | Error | ((request: Request) => Promise<Response>)

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers })
}

/** A client with a service that gives these responses in turn, and with a clock that only its own waiting turns. */
function play(played: readonly Played[], options: Partial<ClientOptions> = {}) {
  const requests: string[] = []
  const slept: number[] = []
  let now = start
  const left = [...played]
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
  const client = createClient({
    baseUrl: 'https://attestor.invalid/',
    clientId: 'id',
    clientSecret: 'secret',
    clock,
    random: () => 0.5,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const token = request.headers.get('Authorization') ?? (await request.clone().text())
      requests.push(`${request.method} ${pathname.replace('/api/account/integration/kyc', '')} ${token}`)
      const next = left.shift()
      if (next === undefined) throw new Error(`nothing is played for request ${requests.length}`)
      if (next instanceof Error) throw next
      return next instanceof Response ? next : next(request)
    },
    ...options,
  })
  return {
    client,
    requests,
    slept,
    advance: (ms: number) => {
      now += ms
    },
  }
}

function transaction(status: string): Response {
  return answer(200, { id, status, result_data: null })
}

function get(token = 'one') {
  return `GET /transaction/${id} Bearer ${token}`
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../../clients/contract.generated.json'), 'utf8'))

test('Every field of the contract is sent and read, and ignored ones are reported', async t => {
  const sent: unknown[] = []
  const ignored: unknown[] = []
  const read = async (request: Request, body: unknown) => {
    sent.push(await request.json())
    return answer(201, body, { 'X-Ignored-Fields': 'refrence, config.ttl' })
  }
  const { client } = play(
    [
      answer(200, fresh),
      request => read(request, contract.customer.answered),
      request => read(request, contract.transaction.answered),
      answer(200, contract.read.answered),
      answer(200, { ...contract.list.answered, next_cursor: 'n/' }),
      answer(200, { data: contract.list.answered.data, next_cursor: null }),
    ],
    { onIgnored: (path, members) => ignored.push([path.split('/').at(-1), ...members]) },
  )
  t.deepEqual(await client.createCustomer(contract.customer.sent), contract.customer.answered)
  t.deepEqual(await client.createTransaction(contract.transaction.sent), contract.transaction.answered)
  t.deepEqual(sent, [contract.customer.sent, contract.transaction.sent])
  t.deepEqual(ignored, [
    ['customer', 'refrence', 'config.ttl'],
    ['transaction', 'refrence', 'config.ttl'],
  ])
  const transaction = await client.getTransaction(id)
  t.deepEqual(transaction as unknown, contract.read.answered)
  // That this compiles is the point: the status says which result it is.
  if (transaction.status === 'FINISHED') t.is(transaction.result_data.document?.data.document_type, 'PASSPORT')
  const listed = []
  for await (const one of client.listTransactions({ status: ['FINISHED'] })) listed.push(one)
  t.deepEqual(listed, [...contract.list.answered.data, ...contract.list.answered.data])
})

const tokenBody =
  'grant_type=client_credentials&client_id=id&client_secret=secret&scope=account-integration-api%2Faccount-api-access'
const ask = `POST /oauth2/token ${tokenBody}`

test('One token serves all calls, and is renewed a minute before it expires', async t => {
  const { client, requests, advance } = play([
    answer(200, fresh),
    ...[1, 2, 3].map(() => transaction('CREATED')),
    answer(200, { ...fresh, access_token: 'two' }),
    transaction('CREATED'),
  ])
  await Promise.all([client.getTransaction(id), client.getTransaction(id)])
  advance(3_540_000 - 1)
  await client.getTransaction(id)
  advance(1)
  await client.getTransaction(id)
  t.deepEqual(requests, [ask, get(), get(), get(), ask, get('two')])
})

test('A token that is refused is renewed once, and a second refusal is the caller’s', async t => {
  const refused = () => answer(401, { error: 'access token: expired' }, { 'X-Error-Code': 'invalid_token' })
  const { client, requests, slept } = play([
    answer(200, fresh),
    refused(),
    answer(200, { ...fresh, access_token: 'two' }),
    refused(),
  ])
  const error = await t.throwsAsync(client.getTransaction(id), { instanceOf: AttestorError })
  t.like(error, { status: 401, code: 'invalid_token', message: 'access token: expired' })
  t.deepEqual([requests, slept], [[ask, get(), ask, get('two')], []])
})

test('An error of the token endpoint is reported in its own words, and the next call asks again', async t => {
  const { client, requests } = play([
    answer(401, { error: 'invalid_client', error_description: 'unknown client or wrong secret' }),
    answer(200, fresh),
    transaction('CREATED'),
  ])
  const error = await t.throwsAsync(client.getTransaction(id), { instanceOf: AttestorError })
  t.like(error, { status: 401, code: 'invalid_client', message: 'unknown client or wrong secret' })
  t.is((await client.getTransaction(id)).status, 'CREATED')
  t.is(requests.length, 3)
})

test('Reads are repeated: after what Retry-After says, or else after waits that grow', async t => {
  const { client, requests, slept } = play([
    answer(503, { error: 'starting' }),
    answer(200, fresh),
    answer(429, { error: 'too many' }, { 'Retry-After': '7' }),
    new TypeError('fetch failed'),
    answer(503, { error: 'busy' }, { 'Retry-After': new Date(start + 30_000).toUTCString() }),
    transaction('CREATED'),
  ])
  t.is((await client.getTransaction(id)).status, 'CREATED')
  t.deepEqual(slept, [375, 7000, 750, 30_000 - 375 - 7000 - 750])
  t.deepEqual(requests, [ask, ask, ...[1, 2, 3, 4].map(() => get())])
})

test('A call is given up after its last attempt, or where the service asks for a long wait', async t => {
  const busy = () => answer(503, { error: 'busy' }, { 'X-Request-Id': 'r-1' })
  const often = play([answer(200, fresh), busy(), busy(), busy(), busy()])
  const error = await t.throwsAsync(often.client.getTransaction(id), { instanceOf: AttestorError })
  t.like(error, { status: 503, request_id: 'r-1' })
  t.deepEqual(often.slept, [375, 750, 1500])
  const long = play([answer(200, fresh), answer(429, { error: 'later' }, { 'Retry-After': '61' })])
  await t.throwsAsync(long.client.getTransaction(id), { message: 'later' })
  const broken = play([answer(200, fresh), new TypeError('one'), new TypeError('two')], { attempts: 2 })
  await t.throwsAsync(broken.client.getTransaction(id), { message: 'two' })
  const proxy = play([answer(200, fresh), new Response('<html>', { status: 403 })])
  const refused = await t.throwsAsync(proxy.client.getTransaction(id), { instanceOf: AttestorError })
  t.like(refused, { status: 403, code: null })
})

test('A call that opens something is repeated with one key; a call without a key, or with a fault, is not', async t => {
  const keys: (string | null)[] = []
  const withKey = (response: Response) => async (request: Request) => {
    keys.push(request.headers.get('Idempotency-Key'))
    t.deepEqual(await request.json(), { external_customer_id: 'c-1' })
    return response
  }
  const made = { customer_id: id, external_customer_id: 'c-1', created_at: '2026-11-21T05:00:00.000Z' }
  const { client } = play([
    answer(200, fresh),
    withKey(answer(500, { error: 'internal error' })),
    withKey(answer(409, { error: 'under way' }, { 'X-Error-Code': 'idempotency_key_in_use', 'Retry-After': '1' })),
    withKey(answer(201, made)),
  ])
  t.is((await client.createCustomer({ external_customer_id: 'c-1' })).customer_id, id)
  t.is(new Set(keys).size, 1)
  t.regex(keys[0] ?? '', /^[0-9a-f-]{36}$/)

  const path = { transaction_id: id }
  const unkeyed = play([answer(200, fresh), answer(503, { error: 'busy' })])
  const cancel = '/api/account/integration/kyc/transaction/{transaction_id}/cancel'
  const { response, error } = await unkeyed.client.api.POST(cancel, { params: { path }, body: {} })
  t.deepEqual([response.status, error], [503, { error: 'busy' }])

  const wrong = play([answer(200, fresh), answer(400, { error: 'customer_id: must be a UUID' })])
  const body = { customer_id: 'c', transaction_type: 'BIOMETRIC_ONLY' } as const
  await t.throwsAsync(wrong.client.createTransaction(body, 'mine'), { message: 'customer_id: must be a UUID' })
  t.deepEqual([unkeyed.slept, wrong.slept], [[], []])
})

test('Polling begins after 2 s, doubles up to 15 s, and ends at a final status', async t => {
  for (const last of ['FINISHED', 'FAILED', 'EXPIRED'] as const) {
    const open = ['CREATED', 'INITIATED', 'COMPLETED', 'PROCESSING', 'PROCESSING'].map(transaction)
    const { client, slept } = play([answer(200, fresh), ...open, transaction(last)])
    t.is((await client.waitForEnd(id)).status, last)
    t.deepEqual(slept, [2000, 4000, 8000, 15_000, 15_000, 15_000])
  }
})

test('Polling ends within 120 s, or when its caller aborts it', async t => {
  const open = Array.from({ length: 10 }, () => transaction('PROCESSING'))
  const { client, slept } = play([answer(200, fresh), ...open])
  const error = await t.throwsAsync(client.waitForEnd(id), { instanceOf: StillOpenError })
  t.is(error?.transaction.status, 'PROCESSING')
  t.is(
    slept.reduce((sum, ms) => sum + ms),
    119_000,
  )
  const reason = new Error('the person went away')
  const aborted = play([answer(200, fresh)])
  await t.throwsAsync(aborted.client.waitForEnd(id, { signal: AbortSignal.abort(reason) }), { is: reason })
  const caller = new AbortController()
  const during = play([
    answer(200, fresh),
    async () => {
      caller.abort(reason)
      throw reason
    },
  ])
  await t.throwsAsync(during.client.waitForEnd(id, { signal: caller.signal }), { is: reason })
  t.deepEqual(during.slept, [2000])
})

test('The machine’s clock sleeps, and wakes when its caller aborts', async t => {
  await systemClock.sleep(0)
  const caller = new AbortController()
  const reason = new Error('enough')
  const sleeping = systemClock.sleep(1_000_000, caller.signal)
  caller.abort(reason)
  await t.throwsAsync(sleeping, { is: reason })
  await t.throwsAsync(systemClock.sleep(1_000_000, caller.signal), { is: reason })
})

test('A service that never answers is left, and called again', async t => {
  let calls = 0
  const server = createServer((_request, response) => {
    if (calls === 2) response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(fresh))
    if (calls === 3) response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"no"}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const clock = { now: () => start, sleep: async () => {} }
  const credentials = { clientId: 'id', clientSecret: 'secret' }
  // The limit is for the silence alone: on a busy machine an answer, or the connection, may take longer than that.
  const impatientOnce = (request: Request, init?: RequestInit) => fetch(request, ++calls === 1 ? init : {})
  setFlagsFromString('--expose-gc')
  const collecting = setInterval(runInNewContext('gc') as () => void, 10)
  t.teardown(() => clearInterval(collecting))
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    ...credentials,
    clock,
    timeoutMs: 100,
    fetch: impatientOnce,
  })
  await t.throwsAsync(client.getTransaction(id), { message: 'no' })
  t.is(calls, 3)
})

for (const engine of oneDialect)
  test(`On ${engine.name} the client verifies a person with the service itself, over the life of its token`, async t => {
    const rig = await openTestRig(t, engine, {}, 'test')
    const { url: baseUrl } = rig.node()
    const tokens: string[] = []
    const { client_id: clientId, client_secret: clientSecret } = rig.account
    const client = createClient({
      baseUrl,
      clientId,
      clientSecret,
      clock: { now: rig.clock.now, sleep: ms => rig.advance(ms) },
      fetch: async request => {
        const response = await fetch(request)
        if (request.url.endsWith('/oauth2/token')) tokens.push(String(response.status))
        return response
      },
    })
    const { customer_id } = await client.createCustomer({ external_customer_id: 'c-1' })
    const opening = {
      customer_id,
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      config: { test: { decision: 'REJECTED', delay_seconds: 20 } },
    } as const
    const { transaction_id } = await client.createTransaction(opening, 'signup-1')
    t.is((await client.createTransaction(opening, 'signup-1')).transaction_id, transaction_id)
    const { response } = await client.api.POST('/api/account/integration/kyc/test/transaction/{transaction_id}/walk', {
      params: { path: { transaction_id } },
      body: { to: 'COMPLETED' },
    })
    t.is(response.status, 200)
    const ended = await client.waitForEnd(transaction_id)
    t.deepEqual([ended.status, ended.result_data?.decision], ['FINISHED', 'REJECTED'])
    await rig.advance(3_600_000)
    t.is((await client.getTransaction(transaction_id)).status, 'FINISHED')
    t.deepEqual(tokens, ['200', '200'])
    const error = await t.throwsAsync(client.getTransaction('7'), { instanceOf: AttestorError })
    t.like(error, { status: 404, code: 'not_found' })
  })
