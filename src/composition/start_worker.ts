import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { admissionHandler } from '../analysis/admission.ts'
import { analysisHandler } from '../analysis/analyse.ts'
import { asError } from '../base/api_error.ts'
import { type Config, ConfigError, getEngineNames } from '../config.ts'
import { startWorker, type Worker } from '../durable/jobs/worker.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import { startErasureResumer } from '../erasure/resume_erasures.ts'
import { startRetention } from '../erasure/retention_sweep.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Observer, observeEngine, observeHandler } from '../metrics/observe.ts'
import { findDataKey } from '../transactions/rows.ts'
import { version } from '../version.ts'
import { deliveryHandler } from '../webhooks/deliver.ts'
import { createGuard, type Guard, selfTestGuard } from '../webhooks/guard.ts'
import type { ServiceContext } from './open_service.ts'

/** TLS passes over what is no certificate in silence, and every receiver behind one would fail. @throws {ConfigError} */
const readAuthorities = (file: string): string => {
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
  return createGuard(file === '' ? { allow } : { allow, ca: readAuthorities(file) })
}

/** Where no section is looked at here, no child process is the bound. */
const getMaxAnalyses = (config: Config): number =>
  Object.values(getEngineNames(config)).every(name => name === 'http')
    ? config.ANALYSIS_HTTP_CONCURRENCY
    : config.ANALYSIS_PROCESSES

const dayMs = 24 * 3_600_000

/** A worker that sweeps what was kept long enough, too, and continues erasures. */
const addRetention = (worker: Worker, { config, clock, log, store, erasures }: ServiceContext): Worker => {
  const captures_ms = config.RETENTION_CAPTURES_DAYS * dayMs
  const transactions_ms = config.RETENTION_TRANSACTIONS_DAYS * dayMs
  const retention = startRetention({ store, clock, log, capturesMs: captures_ms, transactionsMs: transactions_ms })
  const erasing = startErasureResumer({ erasures, clock, log })
  return {
    idle: async () => void (await Promise.all([worker.idle(), retention.idle(), erasing.idle()])),
    stop: async deadline => void (await Promise.all([worker.stop(deadline), retention.stop(), erasing.stop()])),
  }
}

/** The handlers of a worker node: timers, admissions, analyses, deliveries. */
export const startNodeWorker = (
  service: ServiceContext,
  given: AnalysisEngine,
  guard: Guard,
  metrics: Metrics | null,
): Worker => {
  const { config, clock, log, store, host, definitions: kinds, deliveryDefinition: deliveryKind, transactions, webhookKeys, crashHook } = service
  const observer: Observer = { clock, log, metrics }
  const engine = observeEngine(given, observer)
  const most = getMaxAnalyses(config)
  const analyses = (): number => Math.min(engine.capacity(), most)
  const handlers = [
    analysisHandler(transactions, engine, analyses),
    admissionHandler(analyses),
    deliveryHandler({
      store,
      clock,
      log,
      definition: deliveryKind,
      guard,
      signingKey: webhookKeys.active,
      customerKey: row => findDataKey(transactions, row),
      version,
      slots: config.WEBHOOK_CONCURRENCY,
      origin_slots: config.WEBHOOK_ORIGIN_CONCURRENCY,
      pause_ms: config.WEBHOOK_PAUSE_HOURS * 3_600_000,
    }),
  ].map(own => observeHandler(own, observer))
  const worker = startWorker({
    store,
    host,
    clock,
    log,
    definitions: kinds,
    handlers,
    leaseMs: config.LEASE_SECONDS * 1000,
    pollMs: config.POLL_MS,
    crashHook,
  })
  return addRetention(worker, service)
}
