import { type WatchedAddressFiles, watchAddressFiles } from '../addresses/address_book.ts'
import type { Clock } from '../base/clock.ts'
import { deriveKey } from '../base/encryption.ts'
import type { Log } from '../base/log.ts'
import { openCaptures } from '../captures/captures.ts'
import type { Config } from '../config.ts'
import { openCustomerKey } from '../customers/customer_key.ts'
import type { AnyActorDefinition } from '../durable/actors/definition.ts'
import { createHost, type Host } from '../durable/actors/host.ts'
import { requireValidCharts } from '../durable/actors/known_charts.ts'
import { type CrashHook, noCrash } from '../durable/crash_points.ts'
import type { Store } from '../durable/store/store.ts'
import { createErasures, type Erasures } from '../erasure/erasures.ts'
import { type EvidenceKeys, openEvidenceKeys } from '../keys/evidence_keys.ts'
import { openWebhookKeys, type WebhookKeys } from '../keys/webhook_keys.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { createTransactionDefinition } from '../transactions/definition.ts'
import { findDataKey } from '../transactions/rows.ts'
import { finishClockAdvances } from '../transactions/test_clock.ts'
import { version } from '../version.ts'
import type { DeliveryDeps } from '../webhooks/deliveries.ts'
import { createDeliveries, type DeliveryDefinition } from '../webhooks/delivery.ts'
import type { ListenerDeps } from '../webhooks/listener.ts'
import { type DatabaseOptions, type OpenDatabase, openNodeDatabase } from './open_database.ts'
import { addressBookOf, limitsOf } from './transaction_settings.ts'

/** What a node is made with. Programs pass the system's clock and real models; tests turn the clock. */
export interface NodeOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly crashHook?: CrashHook
}

/** The service of one node, open and wired together. */
export interface ServiceContext {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly host: Host
  readonly master: Buffer
  readonly definitions: readonly AnyActorDefinition[]
  readonly deliveryDefinition: DeliveryDefinition
  readonly transactions: TransactionDeps
  readonly erasures: Erasures
  readonly webhookKeys: WebhookKeys
  readonly evidenceKeys: EvidenceKeys
  readonly addressFiles: WatchedAddressFiles
  readonly crashHook: CrashHook
}

/**
 * Opens the database, by default as a node does, and wires the service.
 * @throws {ConfigError} `InvalidChartError`, `ApiError` when the database is away
 */
export const openServiceContext = async (
  { config, clock, log, crashHook = noCrash }: NodeOptions,
  openDatabase: (options: DatabaseOptions) => Promise<OpenDatabase> = openNodeDatabase,
): Promise<ServiceContext> => {
  const addressFiles = await addressBookOf(config, log)
  const { store, master } = await openDatabase({ config, log, crashHook })
  try {
    const host = createHost(store, clock)
    const deliveries = createDeliveries(host, config.WEBHOOK_SCHEDULE_SECONDS)
    const kind = createTransactionDefinition(deliveries.queue)
    const kinds = [kind, deliveries.definition]
    requireValidCharts(kinds)
    const transactions: TransactionDeps = {
      store,
      clock,
      host,
      definition: kind,
      captures: openCaptures(store, clock),
      customerKey: (customer_id, data_key) => openCustomerKey(master, customer_id, data_key),
      referenceKey: deriveKey(master, 'transaction_reference'),
      limits: limitsOf(config),
      challengeActionCount: config.CHALLENGE_ACTIONS,
      addressBook: addressFiles.look,
      resultMs: config.SDK_RESULT_MINUTES * 60_000,
    }
    await finishClockAdvances(transactions)
    const webhookKeys = await openWebhookKeys({ store, clock, master, algorithm: config.WEBHOOK_ALGORITHM })
    return {
      config,
      clock,
      log,
      store,
      host,
      master,
      definitions: kinds,
      deliveryDefinition: deliveries.definition,
      transactions,
      erasures: createErasures(transactions, log),
      webhookKeys,
      evidenceKeys: await openEvidenceKeys(store, clock, master),
      addressFiles: watchAddressFiles(addressFiles, clock, config.ADDRESS_FILES_SECONDS * 1000),
      crashHook: crashHook,
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** What the front door lists and repeats deliveries with. */
export const deliveryDeps = ({ store, host, deliveryDefinition: kind, transactions }: ServiceContext): DeliveryDeps => ({
  store,
  host,
  definition: kind,
  customerKey: row => findDataKey(transactions, row),
})

/** What listeners work with. */
export const listenerDeps = (service: ServiceContext): ListenerDeps => {
  const { clock, webhookKeys } = service
  return { ...deliveryDeps(service), clock, signingKey: webhookKeys.active, version }
}
