import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AddressFilesWatched, watchAddressFiles } from './analysis/address_book.ts'
import type { AnalysisEngine } from './analysis/port.ts'
import type { Clock } from './base/clock.ts'
import { passBy, type Reach } from './base/instants.ts'
import type { Log } from './base/log.ts'
import { asError } from './base/refusal.ts'
import { deriveKey } from './base/seal.ts'
import { capturesOf } from './captures/captures.ts'
import { type Config, ConfigError, engineNames } from './config.ts'
import { openCustomerKey } from './customers/customer_key.ts'
import { type DatabaseOptions, type OpenDatabase, openNodeDatabase } from './database.ts'
import { createErasures, type Erasures } from './erasure/erasures.ts'
import { type EvidenceKeys, openEvidenceKeys } from './evidence/keys.ts'
import { createHost, type Host } from './host/host.ts'
import type { AnyActorKind } from './host/kind.ts'
import { refuseFaultyCharts } from './host/known_charts.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Observer, observedEngine, observedHands } from './metrics/observe.ts'
import type { Store } from './store/store.ts'
import { addressBookOf, limitsOf } from './transaction_settings.ts'
import { createTransactionKind } from './transactions/kind.ts'
import type { TransactionRoom } from './transactions/room.ts'
import { customerKeyIn } from './transactions/rows.ts'
import { finishTurns } from './transactions/test_clock.ts'
import { version } from './version.ts'
import type { DeliveryRoom } from './webhooks/deliveries.ts'
import { createDeliveries, type DeliveryKind } from './webhooks/delivery.ts'
import { createGuard, type Guard, selfTestGuard } from './webhooks/guard.ts'
import { openWebhookKeys, type WebhookKeys } from './webhooks/keys.ts'
import type { ListenerDeps } from './webhooks/listener.ts'
import { admissionHands } from './worker/admission.ts'
import { analysisHands } from './worker/analyse.ts'
import { deliverHands } from './worker/deliver.ts'
import { startErasing } from './worker/erasing.ts'
import { startRetention } from './worker/retention.ts'
import { startWorker, type Worker } from './worker/worker.ts'

/** What a node is made with. Programs pass the system's clock and real models; tests turn the clock. */
export interface NodeOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly reach?: Reach
}

/** The rooms of one node, open and wired together. */
export interface Rooms {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly host: Host
  readonly master: Buffer
  readonly kinds: readonly AnyActorKind[]
  readonly deliveryKind: DeliveryKind
  readonly transactions: TransactionRoom
  readonly erasures: Erasures
  readonly webhookKeys: WebhookKeys
  readonly evidenceKeys: EvidenceKeys
  readonly addressFiles: AddressFilesWatched
  readonly reach: Reach
}

/**
 * Opens the database, by default as a node does, and wires the rooms.
 * @throws {ConfigError} `ChartRefused`, `Refusal` when the database is away
 */
export const openRooms = async (
  { config, clock, log, reach = passBy }: NodeOptions,
  openDatabase: (options: DatabaseOptions) => Promise<OpenDatabase> = openNodeDatabase,
): Promise<Rooms> => {
  const addressFiles = await addressBookOf(config, log)
  const { store, master } = await openDatabase({ config, log, reach })
  try {
    const host = createHost(store, clock)
    const deliveries = createDeliveries(host, config.WEBHOOK_SCHEDULE_SECONDS)
    const kind = createTransactionKind(deliveries.queue)
    const kinds = [kind, deliveries.kind]
    refuseFaultyCharts(kinds)
    const transactions: TransactionRoom = {
      store,
      clock,
      host,
      kind,
      captures: capturesOf(store, clock),
      customerKey: (customer_id, data_key) => openCustomerKey(master, customer_id, data_key),
      reference_key: deriveKey(master, 'transaction_reference'),
      limits: limitsOf(config),
      challenge_actions: config.CHALLENGE_ACTIONS,
      addressBook: addressFiles.look,
      result_ms: config.SDK_RESULT_MINUTES * 60_000,
    }
    await finishTurns(transactions)
    const webhookKeys = await openWebhookKeys({ store, clock, master, algorithm: config.WEBHOOK_ALGORITHM })
    return {
      config,
      clock,
      log,
      store,
      host,
      master,
      kinds,
      deliveryKind: deliveries.kind,
      transactions,
      erasures: createErasures(transactions, log),
      webhookKeys,
      evidenceKeys: await openEvidenceKeys(store, clock, master),
      addressFiles: watchAddressFiles(addressFiles, clock, config.ADDRESS_FILES_SECONDS * 1000),
      reach,
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** What the front door lists and repeats deliveries with. */
export const deliveryRoomOf = ({ store, host, deliveryKind: kind, transactions }: Rooms): DeliveryRoom => ({
  store,
  host,
  kind,
  customerKey: row => customerKeyIn(transactions, row),
})

/** What listeners work with. */
export const listenerDeps = (rooms: Rooms): ListenerDeps => {
  const { clock, webhookKeys } = rooms
  return { ...deliveryRoomOf(rooms), clock, signingKey: webhookKeys.active, version }
}

/** TLS passes over what is no certificate in silence, and every receiver behind one would fail. @throws {ConfigError} */
const authoritiesIn = (file: string): string => {
  try {
    const text = readFileSync(file, 'utf8')
    const certificates = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
    if (certificates.length === 0) throw new Error('holds no certificate in PEM')
    for (const certificate of certificates) new X509Certificate(certificate)
    return text
  } catch (cause) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${file} can't be used: ${asError(cause).message}`, { cause })
  }
}

/** The guard that every delivery leaves through. @throws {ConfigError} for a `WEBHOOK_CA_FILE` that can't be used */
export const openGuard = async ({ WEBHOOK_ALLOW_HOSTS: allow, WEBHOOK_CA_FILE: file }: Config): Promise<Guard> => {
  await selfTestGuard()
  return createGuard(file === '' ? { allow } : { allow, ca: authoritiesIn(file) })
}

/** Where no section is looked at here, no child process is the bound. */
const analysesAtOnce = (config: Config): number =>
  Object.values(engineNames(config)).every(name => name === 'http')
    ? config.ANALYSIS_HTTP_CONCURRENCY
    : config.ANALYSIS_CHILDREN

const day_ms = 24 * 3_600_000

/** A worker that sweeps what was kept long enough, too, and continues erasures. */
const withRetention = (worker: Worker, { config, clock, log, store, erasures }: Rooms): Worker => {
  const captures_ms = config.RETENTION_CAPTURES_DAYS * day_ms
  const transactions_ms = config.RETENTION_TRANSACTIONS_DAYS * day_ms
  const retention = startRetention({ store, clock, log, captures_ms, transactions_ms })
  const erasing = startErasing({ erasures, clock, log })
  return {
    idle: async () => void (await Promise.all([worker.idle(), retention.idle(), erasing.idle()])),
    stop: async deadline => void (await Promise.all([worker.stop(deadline), retention.stop(), erasing.stop()])),
  }
}

/** The hands of a worker node: timers, admissions, analyses, deliveries. */
export const openWorker = (rooms: Rooms, given: AnalysisEngine, guard: Guard, metrics: Metrics | null): Worker => {
  const { config, clock, log, store, host, kinds, deliveryKind, transactions, webhookKeys, reach } = rooms
  const observer: Observer = { clock, log, metrics }
  const engine = observedEngine(given, observer)
  const most = analysesAtOnce(config)
  const analyses = (): number => Math.min(engine.room(), most)
  const hands = [
    analysisHands(transactions, engine, analyses),
    admissionHands(analyses),
    deliverHands({
      store,
      clock,
      log,
      kind: deliveryKind,
      guard,
      signingKey: webhookKeys.active,
      customerKey: row => customerKeyIn(transactions, row),
      version,
      slots: config.WEBHOOK_CONCURRENCY,
      origin_slots: config.WEBHOOK_ORIGIN_CONCURRENCY,
      pause_ms: config.WEBHOOK_PAUSE_HOURS * 3_600_000,
    }),
  ].map(own => observedHands(own, observer))
  const lease_ms = config.LEASE_SECONDS * 1000
  const worker = startWorker({ store, host, clock, log, kinds, hands, lease_ms, poll_ms: config.POLL_MS, reach })
  return withRetention(worker, rooms)
}
