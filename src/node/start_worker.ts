import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createGuard, type Guard, selfTestGuard } from '@attestor/outbound'
import type { AnalysisEngine } from '@attestor/vision'
import { type JobHandler, startWorker, type Worker, type WorkerDeps } from 'durable-xstate-sql'
import { asError } from '../base/api_error.ts'
import { withLogFields } from '../base/log.ts'
import { ConfigError } from '../base/setting.ts'
import { version } from '../base/version.ts'
import { type Config, getEngineNames } from '../config/settings.ts'
import { removeOldAudit } from '../identity/operators/audit.ts'
import { createAccountTurns } from '../verification/analysis/account_turns.ts'
import { admissionHandler } from '../verification/analysis/admission.ts'
import { analysisHandler } from '../verification/analysis/analyse.ts'
import { type CaptureFeedbackGiver, createCaptureFeedback } from '../verification/analysis/capture_feedback.ts'
import { startCollector } from '../verification/captures/collector.ts'
import { startErasureResumer } from '../verification/erasure/resume_erasures.ts'
import { startRetention } from '../verification/erasure/retention_sweep.ts'
import { findDataKey } from '../verification/transactions/rows.ts'
import { createBreakers } from '../webhooks/breaker.ts'
import { deliveryHandler } from '../webhooks/deliver.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Observer, observeEngine, observeHandler } from './metrics/observe.ts'
import type { ServiceContext } from './open_service.ts'
import { traceEngine, traceJobs } from './tracing/trace_work.ts'

/** TLS ignores a malformed certificate silently, and every receiver behind it would fail. @throws {ConfigError} */
function readAuthorities(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    const certificates = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
    if (certificates.length === 0) throw new Error('contains no PEM certificate')
    for (const certificate of certificates) new X509Certificate(certificate)
    return text
  } catch (cause) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${file} can't be used: ${asError(cause).message}`, { cause })
  }
}

/** Opens the guard of all deliveries. @throws {ConfigError} for a `WEBHOOK_CA_FILE` that can't be used */
export async function openGuard({
  WEBHOOK_ALLOW_HOSTS: allow,
  WEBHOOK_CA_FILE: file,
  WEBHOOK_PROXY: proxy,
}: Config): Promise<Guard> {
  await selfTestGuard()
  return createGuard({ allow, proxy, ...(file !== null && { ca: readAuthorities(file) }) })
}

/** Analyses at once: as many as the HTTP service takes if it does all of it, else one for each process of this node. */
function getMaxAnalyses(config: Config): number {
  return Object.values(getEngineNames(config)).every(name => name === 'http')
    ? config.ANALYSIS_HTTP_CONCURRENCY
    : config.ANALYSIS_PROCESSES
}

const dayMs = 24 * 3_600_000

/** Adds retention sweeps, unfinished erasures and the deletion of objects to the worker. */
function addRetention(worker: Worker, { config, clock, log, store, erasures, contents }: ServiceContext): Worker {
  const capturesMs = config.RETENTION_CAPTURES_DAYS * dayMs
  const transactionsMs = config.RETENTION_TRANSACTIONS_DAYS * dayMs
  const auditMs = config.RETENTION_AUDIT_DAYS * dayMs
  const removeAudit = (until: number) => removeOldAudit({ store, clock }, until)
  const retention = startRetention({ store, clock, log, capturesMs, transactionsMs, auditMs, removeAudit })
  const sweeps = [retention, startErasureResumer({ erasures, clock, log }), startCollector({ contents, clock, log })]
  return {
    idle: async () => void (await Promise.all([worker.idle(), ...sweeps.map(sweep => sweep.idle())])),
    stop: async deadline => void (await Promise.all([worker.stop(deadline), ...sweeps.map(sweep => sweep.stop())])),
  }
}

/** A node's engine with its metrics and traces, and the feedback on single captures. */
export interface NodeAnalysis {
  /** Null without the role `analysis`. */
  readonly observedEngine: AnalysisEngine | null
  readonly feedback: CaptureFeedbackGiver
}

/** `engine` is null without the role `analysis`. */
export function openAnalysis(
  { config, clock, log, tracing, transactions: deps }: ServiceContext,
  engine: AnalysisEngine | null,
  metrics: Metrics | null,
): NodeAnalysis {
  const traced = engine && tracing ? traceEngine(engine, tracing) : engine
  const observedEngine = traced && observeEngine(traced, { clock, log, metrics })
  const waitMs = config.CAPTURE_FEEDBACK_MS
  return { observedEngine, feedback: createCaptureFeedback({ deps, log, engine: observedEngine, waitMs }) }
}

/** The parts of a node that its job handlers use. */
export interface WorkerParts extends NodeAnalysis {
  /** Null without the role `worker`. */
  readonly guard: Guard | null
  readonly metrics: Metrics | null
}

/** The queues of rows that a node with the role serves. */
const queuesByRole = { worker: ['timer', 'attempt'], analysis: ['admission', 'analysis'] } as const

type Around = NonNullable<WorkerDeps['around']>

/** Log lines of a job or a timer carry its actor's id; a delivery's also carry its transaction's, once that is read. */
function nameActor(trace: Around | null): Around {
  return (job, work) => withLogFields({ [`${job.actor_type}_id`]: job.actor_id }, () => trace?.(job, work) ?? work())
}

/** A job that the node's keys may not open is released, and counts as no attempt. */
function refreshKeysFirst(handler: JobHandler, { serviceKeys }: ServiceContext): JobHandler {
  return {
    ...handler,
    async handle(job, signal) {
      await serviceKeys.refresh()
      return handler.handle(job, signal)
    },
  }
}

function createAnalysisHandlers(
  { config, clock, transactions }: ServiceContext,
  engine: AnalysisEngine,
  feedback: CaptureFeedbackGiver,
): readonly JobHandler[] {
  const maxAnalyses = getMaxAnalyses(config)
  const countSlots = (): number => (transactions.captures.isAvailable() ? Math.min(engine.capacity(), maxAnalyses) : 0)
  return [
    analysisHandler(transactions, engine, countSlots, feedback.settle),
    admissionHandler(countSlots, createAccountTurns(clock.now)),
  ]
}

function createDeliveryHandlers(
  { config, clock, log, store, transactions, webhookKeys, deliveryDefinition }: ServiceContext,
  guard: Guard,
  metrics: Metrics | null,
): readonly JobHandler[] {
  const breakers = createBreakers(clock)
  metrics?.watchBreakers(breakers)
  return [
    deliveryHandler({
      store,
      rowKey: transactions.rowKey,
      clock,
      log,
      breakers,
      guard,
      version,
      definition: deliveryDefinition,
      signingKey: webhookKeys.active,
      customerKey: row => findDataKey(transactions, row),
      slots: config.WEBHOOK_CONCURRENCY,
      origin_slots: config.WEBHOOK_ORIGIN_CONCURRENCY,
      pause_ms: config.WEBHOOK_PAUSE_HOURS * 3_600_000,
    }),
  ]
}

/**
 * Starts the job handlers of a node's roles; with the role `worker` also timers, retention sweeps and unfinished
 * erasures. Null for a node that has neither that role nor `analysis`.
 */
export function startNodeWorker(
  service: ServiceContext,
  { observedEngine: engine, guard, metrics, feedback }: WorkerParts,
): Worker | null {
  if (engine === null && guard === null) return null
  const { config, clock, log, store, host, definitions, crashHook, tracing } = service
  const observer: Observer = { clock, log, metrics }
  const handlers = [
    ...(engine === null ? [] : createAnalysisHandlers(service, engine, feedback)),
    ...(guard === null ? [] : createDeliveryHandlers(service, guard, metrics)),
  ].map(handler => observeHandler(refreshKeysFirst(handler, service), observer))
  const worker = startWorker({
    store,
    host,
    clock,
    log,
    definitions,
    handlers,
    crashHook,
    servedElsewhere: [
      ...(engine === null ? queuesByRole.analysis : []),
      ...(guard === null ? queuesByRole.worker : []),
    ],
    leaseMs: config.LEASE_SECONDS * 1000,
    pollMs: config.POLL_MS,
    around: nameActor(tracing && traceJobs(tracing)),
  })
  return guard === null ? worker : addRetention(worker, service)
}
