import { createGuard } from '@attestor/outbound'
import type { EngineFindings } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import { pictureCopies } from '@attestor/vision/testing'
import type { ExecutionContext } from 'ava'
import type { Value } from 'durable-xstate-sql/sql'
import type { Row } from 'durable-xstate-sql/testing'
import type { Clock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { type Config, type Environment, readConfig } from '../../src/config/settings.ts'
import { type CaptureScript, createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { type AccountMode, createAccount, type NewAccount } from '../../src/identity/accounts/accounts.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { openTracing } from '../../src/node/tracing/open_tracing.ts'
import { poll } from '../awaited.ts'
import { type Call, callTo } from '../calls.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import type { TestDatabase, TestEngine } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { kyc, openTransaction, type Phone, phoneOf, registerCustomer, tokenForm } from './client.ts'
import { type Hook, openHook } from './hook.ts'

export type Script = (request: AnalysisRequest) => EngineFindings | Promise<EngineFindings>

/** A created transaction, with the phone that has its token. */
export interface Opened {
  readonly id: string
  readonly sdk_token: string
  readonly phone: Phone
}

/** A running node on a database, a port and a clock of its own, with a scripted engine and a receiver of webhooks. */
export interface Rig {
  readonly database: TestDatabase
  readonly clock: ManualClock
  readonly hook: Hook
  readonly lines: Record<string, unknown>[]
  readonly account: NewAccount
  readonly call: Call
  node(): AttestorNode
  /** Sets the engine's findings. */
  script(script: Script): void
  newAccount(): Promise<NewAccount>
  /** A valid access token of the account. */
  token(account?: NewAccount): Promise<string>
  customer(): Promise<string>
  /**
   * Opens a transaction of a new customer, with the hook as its webhook, and without a policy of fraud; `config` and
   * `body` add to the call.
   */
  open(config?: object, body?: object): Promise<Opened>
  view(id: string): Promise<Readonly<Record<string, unknown>>>
  /** Advances the clock, and waits until everything that became due is done. */
  advance(ms: number): Promise<void>
  /** Advances as a machine that slept: work that was due every minute is done once. */
  skip(ms: number): Promise<void>
  idle(): Promise<void>
  /** `advance` while an analysis hangs, so that the worker is never idle: waits for timers and webhooks alone. */
  advanceBusy(ms: number): Promise<void>
  /** Waits until `holds`, and until no timer and no webhook is running. */
  until(holds: () => Promise<boolean>): Promise<void>
  /** Resolves when a timer of that duration is set. */
  waiting(delay_ms: number): Promise<void>
  rows(sql: string, ...values: Value[]): Promise<readonly Row[]>
  /** Ends the node: `drained` as an operator stops it, otherwise without any further write to the database. */
  end(drained: boolean, patienceMs?: number): Promise<void>
  /** A new node on the same database. */
  begin(): Promise<void>
  close(): Promise<void>
}

/** A node's own clock. */
interface WatchedClock extends Clock {
  /** Whether a timer of that duration is set. */
  isAwaited(delay_ms: number): boolean
  die(): void
}

/** A clock that reports timers that are set, and that dies with its node. */
function watchedClock(clock: ManualClock, listeners: Set<(delay_ms: number) => void>): WatchedClock {
  let dead = false
  const waits = new Map<object, number>()
  return {
    now: clock.now,
    monotonic: clock.monotonic,
    isAwaited: delay_ms => [...waits.values()].includes(delay_ms),
    setTimer(delay_ms, fire) {
      for (const listener of [...listeners]) listener(delay_ms)
      const wait = {}
      waits.set(wait, delay_ms)
      const cancel = clock.setTimer(delay_ms, () => {
        waits.delete(wait)
        if (!dead) fire()
      })
      return () => {
        waits.delete(wait)
        cancel()
      }
    },
    die() {
      dead = true
    },
  }
}

const leaseMs = 60_000

const testSettings = {
  PORT: '0',
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_SCHEDULE_SECONDS: '0,5,30,120',
  // Making an RSA key takes longer than most tests: `deliveries` tests the default.
  WEBHOOK_ALGORITHM: 'ES256',
  // A node is notified of its own commits. Polling every second would cost 86,400 polls for an advanced day.
  POLL_MS: '60000',
  LEASE_SECONDS: String(leaseMs / 1000),
  // A clock that stands still refills no rate limit.
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_TOKENS: '0',
  RATE_LIMIT_DEVICE: '0',
}

function collectingLog(lines: Record<string, unknown>[]): Log {
  const logAt = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ ...fields, message, level })
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

interface Running {
  readonly node: AttestorNode
  readonly clock: WatchedClock
}

function accessTokens(call: Call, clock: Clock): (account: NewAccount) => Promise<string> {
  const held = new Map<string, { token: string; until: number }>()
  return async ({ client_id, client_secret }) => {
    const kept = held.get(client_id)
    if (kept !== undefined && clock.now() < kept.until) return kept.token
    const { status, body } = await call('POST', '/oauth2/token', { form: tokenForm({ client_id, client_secret }) })
    if (status !== 200) throw new Error(`the token endpoint answered ${status}`)
    const token = String(body.access_token)
    held.set(client_id, { token, until: clock.now() + Number(body.expires_in) * 1000 })
    return token
  }
}

function configOf(database: TestDatabase, hook: Hook, settings: Environment): Config {
  return {
    ...readConfig({ ...testSettings, WEBHOOK_ALLOW_HOSTS: hook.host, ...settings }),
    DATABASE_URL: database.address,
  }
}

/** Starts and ends nodes on one database, one at a time. */
function nodes(
  start: (clock: Clock) => Promise<AttestorNode>,
  clock: ManualClock,
  listeners: Set<(ms: number) => void>,
) {
  let running: Running | null = null
  let starting: Promise<AttestorNode> | null = null
  const now = (): Running => {
    if (running === null) throw new Error('no node runs')
    return running
  }
  return {
    node: () => now().node,
    /** Address of the latest node: its worker runs due jobs before the start is over. */
    url: async () => (await starting)?.url,
    async begin() {
      const own = watchedClock(clock, listeners)
      starting = start(own)
      running = { node: await starting, clock: own }
    },
    async end(drained: boolean, patienceMs = 0) {
      const { node, clock: own } = now()
      running = null
      // Nothing is committed from here on: the rest of the node runs without a database, and then ends.
      if (!drained) await node.service.store.close()
      const stopped = node.stop().catch(error => {
        if (drained) throw error
      })
      await clock.advance(drained ? patienceMs : node.service.config.DRAIN_SECONDS * 1000)
      await stopped
      own.die()
    },
    running: () => running !== null,
    /** Whether no lease is being renewed. */
    holdsLeases: () => now().node.worker === null || now().clock.isAwaited(leaseMs / 3),
  }
}

type Nodes = ReturnType<typeof nodes>

/** Runs one turn of the work: SQLite is synchronous, and its commits come in a later iteration of the event loop. */
function turnOf(clock: ManualClock): () => Promise<void> {
  return async () => {
    await new Promise(setImmediate)
    await clock.advance(0)
  }
}

/** Waits until no timer, no webhook and no renewal of a lease is running; analyses may hang. */
function quietOf({ node, holdsLeases }: Nodes, clock: ManualClock) {
  const sql = `SELECT id FROM scheduled_jobs WHERE queue = 'attempt' OR (queue = 'timer' AND ready_at <= ?)
    UNION ALL SELECT id FROM deliveries WHERE held_job IS NOT NULL LIMIT 1`
  const isBusy = async (): Promise<boolean> =>
    (await node().service.store.read({ sql, values: [clock.now()] })).length > 0
  return (): Promise<void> => poll(async () => holdsLeases() && !(await isBusy()), turnOf(clock), 'no work under way')
}

function timeOf(live: Nodes, clock: ManualClock, listeners: Set<(delay_ms: number) => void>) {
  const idle = async (): Promise<void> => live.node().worker?.idle()
  const quiet = quietOf(live, clock)
  return {
    idle,
    advance: (ms: number) => clock.advance(ms, idle),
    skip: (ms: number) => clock.skip(ms, idle),
    advanceBusy: (ms: number) => clock.advance(ms, quiet),
    async until(holds: () => Promise<boolean>) {
      await poll(holds, turnOf(clock))
      await quiet()
    },
    waiting: (delay_ms: number) =>
      new Promise<void>(resolve => {
        const listener = (ms: number): void => {
          if (ms !== delay_ms) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
  }
}

export async function openRig(
  engine: TestEngine,
  given: Environment | ((hook: Hook) => Environment) = {},
  mode: AccountMode = 'live',
  captureScript: CaptureScript | null = null,
): Promise<Rig> {
  const database = await engine.fresh()
  const clock = manualClock()
  const lines: Record<string, unknown>[] = []
  const listeners = new Set<(delay_ms: number) => void>()
  let script: Script = createApprovedFindings
  const hook = await openHook({ jwks_url: async () => `${await live.url()}/.well-known/jwks.json`, now: clock.now })
  const settings = typeof given === 'function' ? given(hook) : given
  const config = configOf(database, hook, settings)
  const guard = createGuard({ allow: [hook.host], ca: hook.ca })
  const start = async (own: Clock): Promise<AttestorNode> =>
    startNode({
      tracing: await openTracing(settings),
      config,
      clock: own,
      log: collectingLog(lines),
      guard,
      imageChecker: sharedImageChecker(),
      lingerMs: 0,
      // A test that names an engine gets the one of its settings.
      ...(settings.ANALYSIS_ENGINE === undefined
        ? { engine: { ...scriptedEngine(request => script(request), captureScript), copies: pictureCopies } }
        : {}),
    })
  const live = nodes(start, clock, listeners)
  await live.begin()
  const call = callTo(() => live.node().url)
  const tokenOf = accessTokens(call, clock)
  const newAccount = (): Promise<NewAccount> => createAccount(live.node().service, { name: 'Acme', mode })
  const account = await newAccount()
  const token = (of: NewAccount = account): Promise<string> => tokenOf(of)
  let customers = 0
  const customer = async (): Promise<string> =>
    registerCustomer(call, await token(), { external_customer_id: `person-${customers++}` })
  return {
    database,
    clock,
    hook,
    lines,
    account,
    call,
    newAccount,
    token,
    customer,
    node: live.node,
    script(given) {
      script = given
    },
    async open(more = {}, body = {}) {
      const customer_id = 'customer_id' in body ? String(body.customer_id) : await customer()
      const config = { webhook: { url: hook.url }, ...more }
      const { transaction_id: id, sdk_token } = await openTransaction(call, await token(), {
        config,
        ...body,
        customer_id,
      })
      return { id, sdk_token, phone: phoneOf(call, sdk_token) }
    },
    view: async id => (await call('GET', `${kyc}/transaction/${id}`, { token: await token() })).body,
    ...timeOf(live, clock, listeners),
    rows: (sql, ...values) => live.node().service.store.read({ sql, values }),
    begin: live.begin,
    end: live.end,
    async close() {
      // A test that failed half-way may have left an analysis hanging.
      if (live.running()) await live.end(true, config.DRAIN_SECONDS * 1000)
      await hook.close()
      await database.drop()
    },
  }
}

/** A rig that closes with the test. */
export async function openTestRig(
  t: Pick<ExecutionContext, 'teardown'>,
  ...of: Parameters<typeof openRig>
): Promise<Rig> {
  const rig = await openRig(...of)
  t.teardown(rig.close)
  return rig
}
