import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { plainBranding } from '@attestor/capture-page'
import { checkDestination } from '@attestor/outbound'
import type { ImageChecker } from '@attestor/vision'
import type { ExecutionContext } from 'ava'
import type { CrashHook } from 'durable-xstate-sql'
import type { Log } from '../../src/base/log.ts'
import { type Environment, readConfig } from '../../src/config/settings.ts'
import { signOnCallback } from '../../src/console/endpoints/sign_on.ts'
import { createConsoleEndpoints } from '../../src/console/endpoints/table.ts'
import { openIdempotencyKeys } from '../../src/database/idempotency_keys.ts'
import { openRateLimits } from '../../src/database/rate_limits.ts'
import { consoleEndpoints as ofFeatures } from '../../src/feature_parts.ts'
import { createApp } from '../../src/http/app.ts'
import { createCursors } from '../../src/http/cursors.ts'
import type { HttpDeps } from '../../src/http/deps.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { apiEndpoints, nodeEndpoints } from '../../src/http/endpoints/table.ts'
import { createResponseMemory } from '../../src/http/response_memory.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createUploadMemory } from '../../src/http/upload_memory.ts'
import { createAccount, type NewAccount } from '../../src/identity/accounts/accounts.ts'
import { createAuthenticator } from '../../src/identity/accounts/bearer.ts'
import { createOperatorCheck } from '../../src/identity/operators/operators.ts'
import { createRefusals } from '../../src/identity/operators/refusals.ts'
import { type IdentityProvider, openSignOn } from '../../src/identity/operators/single_sign_on.ts'
import { deliveryDeps, listenerDeps, openServiceContext, type ServiceContext } from '../../src/node/open_service.ts'
import { nothingGiven } from '../../src/verification/transactions/feedback.ts'
import { openListener } from '../../src/webhooks/listener.ts'
import { type Call, callTo } from '../calls.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import type { TestDatabase, TestEngine } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { requestToken } from '../service/client.ts'

/** A line of the log: level and fields. */
export type Line = Readonly<Record<string, unknown>> & { readonly level: string }

/** A front door on a database, a port and a clock of its own. */
export interface Door {
  readonly url: string
  readonly database: TestDatabase
  readonly service: ServiceContext
  readonly clock: ManualClock
  readonly lines: Line[]
  readonly account: NewAccount
  readonly token: string
  /** Every endpoint that it mounts. */
  readonly endpoints: readonly Endpoint[]
  readonly call: Call
  /** Sends bytes as they are and resolves with all that comes back until the server closes. */
  raw(text: string | Uint8Array): Promise<string>
  newAccount(): Promise<{ account: NewAccount; token: string }>
  close(): Promise<void>
}

/** The clock of a test stands still, and with it every limit. */
const unlimited = {
  reads: 0,
  writes: 0,
  tokens: 0,
  token_failures: 0,
  login_failures: 0,
  device: 0,
  handoff_failures: 0,
  handoff_links: 0,
  refused_images: 0,
  pages: 0,
} as const

function rawTo(port: number, text: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let heard = ''
    socket.on('data', data => {
      heard += data.toString('latin1')
    })
    socket.on('error', error => ('code' in error && error.code === 'ECONNRESET' ? resolve(heard) : reject(error)))
    socket.on('close', () => resolve(heard))
  })
}

function logInto(lines: Line[]): Log {
  const write = (level: string) => (fields: object, message: string) => void lines.push({ ...fields, message, level })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function accountOn(service: ServiceContext, call: Door['call']): Door['newAccount'] {
  return async () => {
    const account = await createAccount(service, { name: 'Acme' })
    return { account, token: await requestToken(call, account) }
  }
}

/** The dependencies of the API, as a node wires them. */
function wired(
  service: ServiceContext,
  { url, imageChecker }: { readonly url: string; readonly imageChecker: ImageChecker },
): HttpDeps {
  return {
    log: service.log,
    clock: service.clock,
    baseUrl: url,
    branding: plainBranding,
    corsOrigins: [],
    trustedProxyHops: 0,
    defaultTtlMinutes: 60,
    embedOrigins: ['https://shop.example'],
    redirectSchemes: ['com.example.app'],
    imageChecker,
    imageLimits: { max_bytes: 1_000_000, max_megapixels: 10 },
    uploadMemory: createUploadMemory(64 * 2 ** 20, service.clock),
    responseMemory: createResponseMemory(service.clock, 64 * 2 ** 20),
    limits: { counts: openRateLimits(service.store, service.clock, service.serviceKeys), perMinute: unlimited },
    maxConcurrentRequests: 400,
    refreshKeys: service.serviceKeys.refresh,
    accounts: service,
    authenticate: createAuthenticator(service),
    customers: service,
    transactions: { ...service.transactions, giveFeedback: async () => nothingGiven },
    readSignature: service.features.readSignature,
    erasures: service.erasures,
    deliveries: deliveryDeps(service),
    cursors: createCursors(service.serviceKeys),
    operators: service,
    refusals: createRefusals(service),
    operatorsExist: createOperatorCheck(service.store),
    idempotency: openIdempotencyKeys(service),
    checkDestination,
    signEvidence: service.evidenceKeys.sign,
    webhookKeys: service.webhookKeys.jwks,
    evidenceKeys: { keys: service.evidenceKeys.public_keys },
    listener: openListener(listenerDeps(service)),
    draining: new AbortController().signal,
    metrics: null,
    unreadiness: async () => [],
    databaseHost: () => null,
  }
}

/** The differences of a door from the usual one. */
export interface Special {
  /** Another node of the same service: its database, its clock and its account. */
  readonly beside?: Pick<Door, 'database' | 'clock' | 'account' | 'token'>
  readonly reach?: CrashHook
  /** Algorithm that signs webhooks; ES256, unless the default is wanted. */
  readonly algorithm?: 'RS256' | 'ES256'
  /** The company's identity provider. */
  readonly provider?: IdentityProvider | null
  readonly settings?: Environment
  /** Limits that are on. */
  readonly per_minute?: Partial<HttpDeps['limits']['perMinute']>
}

/** Opens a front door; `changes` replaces parts of it. */
export async function openDoor(
  engine: TestEngine,
  changes: Partial<HttpDeps> = {},
  { beside, reach = () => {}, per_minute = {}, algorithm = 'ES256', provider = null, settings = {} }: Special = {},
): Promise<Door> {
  const database = beside?.database ?? (await engine.fresh())
  const clock = beside?.clock ?? manualClock()
  const lines: Line[] = []
  const log = logInto(lines)
  const config = {
    // Making an RSA key takes longer than most tests: `webhooks/keys` and `service/deliveries` test the default.
    ...readConfig({ MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), WEBHOOK_ALGORITHM: algorithm, ...settings }),
    DATABASE_URL: database.address,
  }
  const service = await openServiceContext({ config, clock, log, crashHook: reach })
  const server = createHttpServer()
  const port = await listening(server)
  const url = `http://127.0.0.1:${port}`
  const imageChecker = sharedImageChecker()
  const door = wired(service, { url, imageChecker })
  const limits = { ...door.limits, perMinute: { ...unlimited, ...per_minute } }
  const frontDoor = { ...door, limits, ...changes }
  const signOn = provider === null ? null : openSignOn(provider, `${url}${signOnCallback}`)
  const consoleEndpoints = createConsoleEndpoints({ algorithm: 'ES256', signOn, ofFeatures })
  const more = [...service.features.endpoints, ...consoleEndpoints]
  const app = createApp(frontDoor, ['api'], more)
  server.on('request', app.callback())
  const call = callTo(() => url)
  const newAccount = accountOn(service, call)
  const { account, token } = beside ?? (await newAccount())
  return {
    url,
    database,
    service,
    clock,
    lines,
    call,
    account,
    token,
    endpoints: [...nodeEndpoints, ...apiEndpoints, ...more].filter(
      ({ authentication }) => frontDoor.metrics !== null || authentication !== 'metrics_token',
    ),
    raw: text => rawTo(port, text),
    newAccount,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await imageChecker.stop()
      await service.store.close()
      if (beside === undefined) await database.drop()
    },
  }
}

/** A door that closes with the test. */
export async function openTestDoor(
  t: Pick<ExecutionContext, 'teardown'>,
  ...of: Parameters<typeof openDoor>
): Promise<Door> {
  const door = await openDoor(...of)
  t.teardown(door.close)
  return door
}
