import type { Guard } from '@attestor/outbound'
import { type CrashHook, createHost, type Host, requireValidCharts, type Store } from 'durable-xstate-sql'
import { type AnyActorDefinition, type DatabaseClock, followDatabaseClock, noCrash } from 'durable-xstate-sql/sql'
import type { Clock } from '../base/clock.ts'
import { deriveKey, newKey } from '../base/encryption.ts'
import type { Log } from '../base/log.ts'
import { ConfigError } from '../base/setting.ts'
import { version } from '../base/version.ts'
import type { Config } from '../config/settings.ts'
import { decryptColumn, encryptColumn } from '../database/root_columns.ts'
import { deriveRowKey } from '../database/row_mac.ts'
import {
  type OpenAddressFiles,
  openAddressBook,
  type WatchedAddressFiles,
  watchAddressFiles,
} from '../engines/addresses/address_book.ts'
import { type OpenFeatures, openFeatures } from '../feature_parts.ts'
import { readFeatureLimits } from '../features.ts'
import { openCustomerKey } from '../identity/customers/customer_key.ts'
import { type EvidenceKeys, openEvidenceKeys } from '../identity/keys/evidence_keys.ts'
import type { LiveKeys } from '../identity/keys/key_slots.ts'
import { openWebhookKeys, type WebhookKeys } from '../identity/keys/webhook_keys.ts'
import { openCaptures } from '../verification/captures/captures.ts'
import type { CaptureContents } from '../verification/captures/contents.ts'
import { CaptureStoreError, openContents } from '../verification/captures/open_contents.ts'
import { createErasures, type Erasures } from '../verification/erasure/erasures.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { forgetAges } from '../verification/transactions/forget_ages.ts'
import { findDataKey } from '../verification/transactions/rows.ts'
import { finishClockAdvances } from '../verification/transactions/test_clock.ts'
import type { DeliveryDeps } from '../webhooks/deliveries.ts'
import type { DeliveryDefinition } from '../webhooks/delivery.ts'
import type { ListenerDeps } from '../webhooks/listener.ts'
import { type BuildCharts, type ChartVersions, openChartVersions } from './chart_versions.ts'
import { createDefinitions } from './definitions.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { observeStore } from './metrics/observe_store.ts'
import { type DatabaseOptions, type OpenDatabase, openNodeDatabase } from './open_database.ts'
import { traceStore } from './tracing/trace_store.ts'
import type { Tracing } from './tracing/tracing.ts'

/** Programs pass the system's clock; tests pass one that they advance. */
export interface NodeOptions {
  readonly config: Config
  readonly clock: Clock
  /** Corrects `clock` by the database server's. Not for a clock that tests advance. */
  readonly followsDatabase?: boolean
  readonly log: Log
  readonly crashHook?: CrashHook
  /** The charts of another build, for the tests of upgrades. */
  readonly charts?: BuildCharts
  /** The destinations of outgoing calls; null or absent: this node makes none. */
  readonly guard?: Guard | null
  /** Tracing is off if this is absent. */
  readonly tracing?: Tracing | null
}

/** The parts of one node, open and connected. */
export interface ServiceContext {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly host: Host
  readonly serviceKeys: LiveKeys
  readonly definitions: readonly AnyActorDefinition[]
  readonly chartVersions: ChartVersions
  readonly deliveryDefinition: DeliveryDefinition
  readonly transactions: TransactionDeps
  readonly contents: CaptureContents
  readonly erasures: Erasures
  readonly features: OpenFeatures
  readonly webhookKeys: WebhookKeys
  readonly evidenceKeys: EvidenceKeys
  readonly addressFiles: WatchedAddressFiles
  readonly crashHook: CrashHook
  /** Null where `METRICS_TOKEN` is not set. */
  readonly metrics: Metrics | null
  readonly tracing: Tracing | null
  /** Ends the correction of `clock`. */
  readonly stopClock: () => Promise<void>
}

function getTransactionLimits(config: Config): TransactionDeps['limits'] {
  return {
    capture_attempts: config.CAPTURE_ATTEMPTS,
    challenge_attempts: config.CHALLENGE_ATTEMPTS,
    challenge_ms: config.CHALLENGE_SECONDS * 1000,
    ...readFeatureLimits(config),
    analysis_attempts: config.ANALYSIS_ATTEMPTS,
    analysis_backoff_ms: config.ANALYSIS_BACKOFF_SECONDS * 1000,
    analysis_deadline_ms: config.ANALYSIS_DEADLINE_SECONDS * 1000,
  }
}

/** @throws {ConfigError}, which names the setting of a file that can't be used */
async function openAddressFiles(config: Config, log: Log): Promise<OpenAddressFiles> {
  const { IP_COUNTRY_DATABASE: countries, VPN_ADDRESSES_FILE: vpn, TOR_ADDRESSES_FILE: tor } = config
  try {
    return await openAddressBook({ countries, vpn, tor }, log)
  } catch (cause) {
    throw new ConfigError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function openClock({ clock, followsDatabase, log }: NodeOptions, store: Store): Promise<DatabaseClock<Clock>> {
  return followDatabaseClock(followsDatabase ? store : null, clock, error =>
    log.error({ error: error.message }, 'the time of the database is in doubt'),
  )
}

/** The store and its host: counted where metrics are on, traced where traces are. */
function observe(opened: Store, clock: Clock, { config, tracing = null }: NodeOptions) {
  const token = config.METRICS_TOKEN
  const metrics = token === null ? null : createMetrics({ clock, token, version })
  const counted = metrics === null ? opened : observeStore(opened, metrics)
  const store = tracing === null ? counted : traceStore(counted, tracing)
  const host = createHost(store, clock, tracing?.traceparent)
  if (metrics !== null) host.subscribe(metrics.countStep)
  return { store, host, metrics, tracing }
}

/** @throws {ConfigError} for a store that can't be used as it is set */
async function openCaptureContents(config: Config, deps: Parameters<typeof openContents>[0]): Promise<CaptureContents> {
  try {
    return await openContents(deps, {
      location: config.CAPTURE_STORE,
      path_style: config.CAPTURE_STORE_PATH_STYLE,
      attempt_ms: config.CAPTURE_STORE_SECONDS * 1000,
    })
  } catch (cause) {
    throw cause instanceof CaptureStoreError ? new ConfigError(cause.message, { cause }) : cause
  }
}

/**
 * Opens the database, by default as a node does, and connects the parts of the service.
 * @throws {ConfigError} `InvalidChartError`, `ApiError` if the database can't be reached
 */
export async function openServiceContext(
  options: NodeOptions,
  openDatabase: (options: DatabaseOptions) => Promise<OpenDatabase> = openNodeDatabase,
): Promise<ServiceContext> {
  const { config, log, crashHook = noCrash, charts } = options
  const addressFiles = await openAddressFiles(config, log)
  const { store: opened, serviceKeys } = await openDatabase({ config, log, crashHook, clock: options.clock })
  const { clock, stop: stopClock } = await openClock(options, opened)
  const { store, host, ...observers } = observe(opened, clock, options)
  try {
    const chartVersions = await openChartVersions(store, charts)
    const { definition, definitions, deliveryDefinition } = createDefinitions(host, config, chartVersions, charts)
    requireValidCharts(definitions)
    const contents = await openCaptureContents(config, { store, clock, log })
    const captures = openCaptures({ store, contents }, clock)
    forgetAges({ host, store, captures, log })
    const customerKey: TransactionDeps['customerKey'] = (id, data_key) => openCustomerKey(serviceKeys, id, data_key)
    const webhookKeys = await openWebhookKeys({ store, clock, serviceKeys, algorithm: config.WEBHOOK_ALGORITHM })
    const features = openFeatures({
      config,
      store,
      clock,
      log,
      serviceKeys,
      captures,
      customerKey,
      guard: options.guard ?? null,
      signingKey: webhookKeys.active,
      count: (counter, word) => observers.metrics?.countFound(counter, word),
    })
    const transactions: TransactionDeps = {
      store,
      clock,
      host,
      definition,
      captures,
      customerKey,
      captureKey: (id, data_key) => decryptColumn(serviceKeys, 'capture_keys', id, data_key),
      createCaptureKey: id => encryptColumn(serviceKeys, 'capture_keys', id, newKey()),
      referenceKey: deriveKey(serviceKeys.lookup, 'transaction_reference'),
      rowKey: deriveRowKey(serviceKeys),
      limits: getTransactionLimits(config),
      reviewMs: config.REVIEW_HOURS * 3_600_000,
      challengeActionCount: config.CHALLENGE_ACTIONS,
      addressBook: addressFiles.look,
      evidence: features.evidence,
      comparison: features.comparison,
      resultMs: config.SDK_RESULT_MINUTES * 60_000,
    }
    await finishClockAdvances(transactions)
    return {
      config,
      clock,
      log,
      store,
      host,
      serviceKeys,
      definitions,
      chartVersions,
      deliveryDefinition,
      transactions,
      contents,
      features,
      erasures: createErasures(transactions, log),
      webhookKeys,
      evidenceKeys: await openEvidenceKeys(store, clock, serviceKeys),
      addressFiles: watchAddressFiles(addressFiles, clock, config.ADDRESS_FILES_SECONDS * 1000),
      crashHook,
      stopClock,
      ...observers,
    }
  } catch (error) {
    await stopClock()
    await store.close()
    throw error
  }
}

export function deliveryDeps({ store, host, deliveryDefinition, transactions }: ServiceContext): DeliveryDeps {
  return {
    store,
    rowKey: transactions.rowKey,
    host,
    definition: deliveryDefinition,
    customerKey: row => findDataKey(transactions, row),
  }
}

export function listenerDeps(service: ServiceContext): ListenerDeps {
  const { clock, webhookKeys } = service
  return { ...deliveryDeps(service), clock, signingKey: webhookKeys.active, version }
}
