import Database from 'better-sqlite3'
import { settings } from '../../../src/config/settings.ts'
import { sqlite } from '../../../test/database.ts'
import { kyc, tokenForm } from '../../../test/service/client.ts'
import { openRig } from '../../../test/service/rig.ts'
import { type ApiDocument, listErrorCodes, listRoutes, type Route } from '../openapi.ts'
import { callWrongly, type FailingCall, nobody } from './failing_calls.ts'
import { createLink, openWorld, repeatedKey, type World } from './failing_world.ts'

/** The answers of each operation when it failed, by the code of the error. */
export type Failures = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Returns the largest body of a route, in bytes. */
function largestBody(route: Route): number {
  if (['putChip', 'putWalletAnswer', 'postWalletResponse'].includes(route.operation.operationId)) return 2 ** 20
  return takesImage(route) ? 10 * 2 ** 20 : 2 ** 16
}

type Provoke = (route: Route, world: World) => FailingCall | null

const bodies: Readonly<Record<string, object>> = {
  createCustomer: { email: 'alexis@example.com' },
  changeCustomer: { phone_number: '+15' },
  createTransaction: { customer_id: 'c-1', transaction_type: 'BIOMETRIC_ONLY' },
  startSession: { location_permission: 'maybe' },
  changeDocument: { document_type: 'CARD' },
  putSignals: { geolocation: { latitude: 91 } },
  requestWallet: { origin: 'https://elsewhere.example' },
  putWalletAnswer: { protocol: 'by mail', data: {} },
  putAttestation: { platform: 'symbian' },
  putChip: { unavailable: 'LOST' },
  cancelSession: { final: 'yes' },
  claimHandoff: { code: '' },
  sendHandoff: { code: 'Q29kZQ', recipient: 'alexis' },
  advanceTestClock: {},
  walkTransaction: { to: 'FINISHED' },
  listen: { wait_seconds: 60 },
  reportAttempt: { lease: 'a.b', duration_ms: -1 },
}

const queries: Readonly<Record<string, string>> = {
  listCustomers: 'limit=500',
  listTransactions: 'status=DONE',
  listEvents: 'limit=0',
  listAllDeliveries: 'cursor=none',
  redeliverAll: 'limit=20',
  getSession: 'wait=90',
  getResult: 'wait=90',
}

/** Files that are no chip's, and an answer that is no wallet's. */
const unusable: Readonly<Record<string, FailingCall>> = {
  putChip: json({ sod: 'AQID', dg1: 'AQID', dg2: 'AQID' }),
  putWalletAnswer: json({ protocol: 'openid4vp-v1-unsigned', data: {} }),
  postWalletResponse: { body: 'vp_token={}' },
}

const forms: Readonly<Record<string, string>> = {
  invalid_request: 'client_id=c-1',
  unsupported_grant_type: 'grant_type=password',
  invalid_client: 'grant_type=client_credentials&client_id=c-1&client_secret=guessed',
}

function isDevices({ operation }: Route): boolean {
  return operation.security?.some(one => 'sdk_token' in one) === true
}

function isOAuth({ operation }: Route): boolean {
  return operation.operationId === 'requestToken'
}

function json(body: object): FailingCall {
  return { body: JSON.stringify(body) }
}

function takesJson({ operation }: Route): boolean {
  return operation.requestBody?.content['application/json'] !== undefined
}

function takesImage({ operation }: Route): boolean {
  return operation.requestBody?.content['image/jpeg'] !== undefined
}

/** The path to what is open for an operation, if its own path names that. */
function getOpen({ operation }: Route, { open }: World): FailingCall {
  return { path: open[operation.operationId] ?? {} }
}

const limited = 'rate_limited'

/** More than any limit lets through. */
const maxCalls = 700

/** Returns a call of an operation that fails with a code; null where nothing here does. */
const provocations: Readonly<Record<string, Provoke>> = {
  malformed_request: (route, world) =>
    route.operation.operationId === 'postWalletResponse'
      ? { ...getOpen(route, world), body: 'vp_token={' }
      : takesJson(route)
        ? { body: '{' }
        : {
            headers: [
              ['Content-Type', 'text/plain'],
              ['Content-Type', 'text/plain'],
            ],
          },
  invalid_field: ({ operation: { operationId } }) => {
    const body = bodies[operationId]
    const query = queries[operationId]
    return body === undefined && query === undefined
      ? null
      : { ...(body && json(body)), ...(query === undefined ? {} : { query }) }
  },
  invalid_token: () => ({ token: 'c2VjcmV0' }),
  insufficient_scope: (_, { withoutScope }) => ({ token: withoutScope }),
  not_found: ({ operation: { operationId } }) =>
    operationId === 'listCustomers'
      ? { query: 'external_customer_id=nobody' }
      : {
          path: { name: 'none', kind: 'none', n: '99x', request_id: 'none' },
          ...(operationId === 'advanceTestClock' ? json({ transaction_id: nobody, advance_seconds: 1 }) : {}),
        },
  conflict: ({ operation: { operationId } }, { paths }) =>
    operationId === 'createCustomer'
      ? json({ external_customer_id: 'person-0', email: 'another@example.com' })
      : { path: paths[operationId] ?? {}, ...json({ lease: 'a.b', status: 204, duration_ms: 12 }) },
  not_allowed_in_state: (route, { devices, ofLiveAccount, paths }) => {
    const { operationId } = route.operation
    // Repeated, the end of a capture answers the same.
    if (operationId === 'completeSession') return {}
    if (operationId === 'requestWallet') return { token: devices.ended, ...json({}) }
    if (isDevices(route)) return { token: devices.ended, path: { kind: 'selfie' } }
    const isForTests = route.operation.tags.includes('Test mode')
    return { ...(isForTests ? { token: ofLiveAccount } : {}), path: paths[operationId] ?? {} }
  },
  gone: (route, { devices, paths }) => ({
    path: { kind: 'selfie', ...paths[route.operation.operationId] },
    ...(isDevices(route) ? { token: devices.expired } : {}),
  }),
  too_large: (route, world) => ({ ...getOpen(route, world), body: Buffer.alloc(largestBody(route) + 1, ' ') }),
  unsupported_media_type: (route, world) => ({ ...getOpen(route, world), type: 'text/plain' }),
  unusable_capture: (route, world) => ({
    ...getOpen(route, world),
    ...(unusable[route.operation.operationId] ?? { body: world.damaged }),
  }),
  // This device has attested no key.
  signature_refused: (route, world) => ({ ...getOpen(route, world), headers: [['Signature', 'capture=:AQID:']] }),
  attestation_refused: (_, { attestation }) => json(attestation),
  idempotency_key_reused: ({ operation: { operationId } }, { customerId }) => ({
    headers: [repeatedKey],
    ...json(
      operationId === 'createCustomer'
        ? { external_customer_id: 'another' }
        : { customer_id: customerId, transaction_type: 'BIOMETRIC_ONLY' },
    ),
  }),
  invalid_scope: (_, { rig: { account } }) => ({
    body: new URLSearchParams({ ...tokenForm(account), scope: 'everything' }).toString(),
  }),
  ...Object.fromEntries(Object.entries(forms).map(([code, body]) => [code, () => ({ body })])),
}

function getToken(route: Route, { accessToken, devices, ofFeatures }: World): { readonly token?: string } {
  if (isDevices(route)) return { token: ofFeatures[route.operation.operationId] ?? devices.started }
  return route.operation.security?.some(one => 'access_token' in one) === true ? { token: accessToken } : {}
}

async function failWith(route: Route, code: string, world: World, given: FailingCall): Promise<unknown> {
  const failure = await callWrongly(world.rig.node().url, route, { ...getToken(route, world), ...given })
  return failure.code === code ? failure.body : null
}

/** Returns the first body that is not null. Another pair follows where one call had ended before the other began. */
const maxPairs = 20

async function failAtOnce(pair: (n: number) => Promise<readonly unknown[]>): Promise<unknown> {
  for (let n = 0; n < maxPairs; n++) {
    const found = (await pair(n)).find(body => body !== null)
    if (found !== undefined) return found
  }
  return null
}

/** Calls twice while another process keeps both from committing. */
async function callTwice({ rig, accessToken }: World, call: () => Promise<unknown>): Promise<readonly unknown[]> {
  const { address } = rig.database
  if (address.dialect !== 'sqlite') throw new Error('the lock of a file is held')
  const other = new Database(address.file)
  try {
    other.exec('BEGIN IMMEDIATE')
    const both = Promise.all([call(), call()])
    // A call that comes after them is answered when they wait for the lock.
    for (let n = 0; n < 3; n++) await rig.call('GET', `${kyc}/transaction?limit=1`, { token: accessToken })
    other.exec('ROLLBACK')
    return await both
  } finally {
    other.close()
  }
}

/** Provokes the codes that need two callers, or a receiver that is away. */
async function failBeside(routes: readonly Route[], world: World): Promise<Failures> {
  const { rig, accessToken } = world
  const find = (operationId: string): Route => {
    const route = routes.find(({ operation }) => operation.operationId === operationId)
    if (route === undefined) throw new Error(`there is no ${operationId}`)
    return route
  }
  const asBackend = (operationId: string, code: string, given: FailingCall) =>
    failWith(find(operationId), code, world, { token: accessToken, ...given })
  const repeated = (operationId: string, body: object): Promise<unknown> =>
    failAtOnce(n => {
      const given = {
        headers: [['Idempotency-Key', `at-once-${n}`] as const],
        ...json({ ...body, reference: String(n) }),
      }
      return callTwice(world, () => asBackend(operationId, 'idempotency_key_in_use', given))
    })
  const erased = await Promise.all(Array.from({ length: maxPairs }, () => rig.open({ webhook: null })))
  const walkOrErase = (n: number) => {
    const path = { transaction_id: erased[n]?.id ?? '' }
    const walk = asBackend('walkTransaction', 'gone', { path, ...json({ to: 'COMPLETED' }) })
    return Promise.all([walk, asBackend('eraseTransaction', 'gone', { path }).then(() => null)])
  }
  const { phone, sdk_token } = await rig.open({ webhook: null })
  await phone.start()
  const { code } = (await phone.offerHandoff()).body
  await rig.hook.down()
  const sending = { token: sdk_token, ...json({ code, recipient: 'alexis@example.com' }) }
  const undelivered = await failWith(find('sendHandoff'), 'undelivered', world, sending)
  await rig.hook.up()
  const found = {
    createCustomer: { idempotency_key_in_use: await repeated('createCustomer', { external_customer_id: 'at once' }) },
    createTransaction: {
      idempotency_key_in_use: await repeated('createTransaction', {
        customer_id: world.customerId,
        transaction_type: 'BIOMETRIC_ONLY',
      }),
    },
    walkTransaction: { gone: await failAtOnce(walkOrErase) },
    sendHandoff: { undelivered },
  }
  // A limit of writes is full again.
  await rig.advance(60_000)
  return found
}

/** Uses up every limit: those of reads, writes, devices and tokens, and of codes that nobody has. */
async function limitEach(routes: readonly Route[], world: World): Promise<Failures> {
  const { rig, paths } = world
  const link = await createLink(rig, paths.cancelTransaction?.transaction_id ?? '')
  const { account } = rig
  const failures: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const given: FailingCall = {
      ...(isOAuth(route) ? { body: new URLSearchParams(tokenForm(account)).toString() } : {}),
      path: { link },
    }
    const { operationId } = route.operation
    let body: unknown = null
    for (let calls = 0; body === null && calls <= maxCalls; calls++) body = await failWith(route, limited, world, given)
    if (body !== null) failures[operationId] = { [limited]: body }
  }
  return failures
}

function leaveOutNull(found: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(found).filter(([, body]) => body !== null))
}

/** Makes every operation fail with each code that it documents, where that can be provoked. */
export async function runFailures(): Promise<Failures> {
  const limits = (['READS', 'WRITES', 'TOKENS', 'DEVICE'] as const).map(name => `RATE_LIMIT_${name}` as const)
  const defaults = Object.fromEntries(limits.map(name => [name, settings[name].default]))
  const rig = await openRig(
    sqlite,
    hook => ({ ...defaults, RATE_LIMIT_REJECTED_IMAGES: '0', HANDOFF_WEBHOOK: hook.url }),
    'test',
  )
  try {
    const world = await openWorld(rig)
    const { body } = await rig.call('GET', '/openapi.json')
    const routes = listRoutes((body as unknown as ApiDocument).paths)
    const failures: Record<string, Record<string, unknown>> = {}
    for (const route of routes) {
      const found: Record<string, unknown> = {}
      for (const code of listErrorCodes(route.operation)) {
        const call = provocations[code]?.(route, world) ?? null
        const failed = call === null ? null : await failWith(route, code, world, call)
        if (failed !== null) found[code] = failed
      }
      failures[route.operation.operationId] = found
    }
    const limitable = routes.filter(({ operation }) => listErrorCodes(operation).includes(limited))
    for (const more of [await failBeside(routes, world), await limitEach(limitable, world)])
      for (const [operationId, found] of Object.entries(more))
        failures[operationId] = { ...failures[operationId], ...leaveOutNull(found) }
    return failures
  } finally {
    await rig.close()
  }
}
