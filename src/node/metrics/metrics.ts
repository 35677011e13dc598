import type { AnalysisEngine, ImageChecker, PoolStats } from '@attestor/vision'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { OpenAddressFiles } from '../../engines/addresses/address_book.ts'
import { type FeatureCounter, featureCounters } from '../../features.ts'
import { type DatabaseSources, setDatabaseGauges } from './database_gauges.ts'
import { createInstruments, type createProcessInstruments, type Instruments } from './instruments.ts'

/** `route` is the pattern that the call matched, null for none. */
interface ObservedRequest {
  readonly method: string
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
}

/** `rejected`: the unit threw on purpose, so nothing was written. */
export type StatementOutcome = 'ok' | 'rejected' | 'unavailable'

/** Labels have fixed values or values of the settings: no ids, nothing that a caller chose. */
export interface Metrics {
  /** The bearer token that Prometheus reads them with. */
  readonly token: string
  observeRequest(call: ObservedRequest): void
  /** `outcome` is for example `APPROVED` or `delivered`. */
  observeJob(job: { readonly queue: string; readonly outcome: string; readonly durationMs: number }): void
  observeStages(stages: Readonly<Record<string, number>>): void
  /** A commit or a read begins; the returned function ends it. */
  beginStatement(operation: 'commit' | 'read'): (outcome: StatementOutcome) => void
  countStep(step: { readonly actor_type: string; readonly status: string }): void
  setStreams(open: number): void
  /** Sets the sources of the values that are read together with the metrics. */
  watch(sources: MetricSources): void
  /** Breakers of a node that sends webhooks. */
  watchBreakers(breakers: { countOpen(): number }): void
  /** `stage` is the one that failed; null where that is not known. */
  countAnalysisFailure(stage: string | null): void
  /** Counts what a feature found; `word` is the value of the counter's label. */
  countFound(counter: FeatureCounter, word: string): void
  /** The text that Prometheus reads. It queries the database and the processes. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>
  stop(): void
}

/** `engine` is null without the role `analysis`, `imageChecker` without uploads. */
interface MetricSources extends DatabaseSources {
  readonly engine: AnalysisEngine | null
  readonly imageChecker: Pick<ImageChecker, 'stats'> | null
  readonly addressFiles: Pick<OpenAddressFiles, 'current'>
}

export interface MetricsOptions {
  readonly clock: Clock
  readonly token: string
  readonly version: string
}

const knownMethods: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']

/** One metric as the documentation lists it. */
export interface DescribedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
}

/** Attestor's own metrics, without those that prom-client collects from the process. */
export function describeMetrics(): readonly DescribedMetric[] {
  const register = new Registry()
  createInstruments(register)
  return register.getMetricsAsArray().map(metric => {
    const { name, type, help } = metric
    // A metric has `labelNames`, but its type does not declare it.
    return { name, type: String(type), help, labels: Reflect.get(metric, 'labelNames') as readonly string[] }
  })
}

function setProcessGauges(
  { ready, restarts, resident }: ReturnType<typeof createProcessInstruments>,
  processes: PoolStats | null,
): void {
  if (processes === null) return
  ready.set(processes.ready)
  // prom-client's counters only add.
  restarts.reset()
  restarts.inc(processes.restarts)
  resident.reset()
  for (const [index, bytes] of processes.residentBytes.entries()) resident.set({ process: String(index) }, bytes)
}

async function setEngineGauges(instruments: Instruments, { engine, imageChecker }: MetricSources): Promise<void> {
  const free = engine?.capacity() ?? Number.POSITIVE_INFINITY
  if (Number.isFinite(free)) instruments.capacity.set(free)
  setProcessGauges(instruments.analysis, (await engine?.processes()) ?? null)
  setProcessGauges(instruments.image, (await imageChecker?.stats()) ?? null)
}

async function collect(instruments: Instruments, clock: Clock, sources: MetricSources): Promise<void> {
  await setDatabaseGauges(instruments, clock, sources)
  for (const [setting, isCurrent] of Object.entries(sources.addressFiles.current()))
    instruments.addresses.set({ setting }, isCurrent ? 1 : 0)
  await setEngineGauges(instruments, sources)
}

/** The metrics of one node, with those of its process by prom-client: CPU, memory, garbage collection, event-loop lag. */
export function createMetrics({ clock, token, version }: MetricsOptions): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const instruments = createInstruments(register)
  instruments.build.set({ version }, 1)
  let sources: MetricSources | null = null
  let countOpenBreakers = (): number => 0
  return {
    token,
    observeRequest({ method, route, status, durationMs }) {
      const labels = {
        method: knownMethods.includes(method) ? method : 'OTHER',
        route: route ?? 'none',
        status: String(status),
      }
      instruments.requests.observe(labels, durationMs / 1000)
    },
    observeJob: ({ queue, outcome, durationMs }) => instruments.jobs.observe({ queue, outcome }, durationMs / 1000),
    observeStages(stages) {
      for (const [stage, ms] of Object.entries(stages)) instruments.stages.observe({ stage }, ms / 1000)
    },
    beginStatement(operation) {
      const monotonicStart = clock.monotonic()
      instruments.statementsRunning.inc({ operation })
      return outcome => {
        instruments.statementsRunning.dec({ operation })
        instruments.statements.observe({ operation, outcome }, (clock.monotonic() - monotonicStart) / 1000)
      }
    },
    countStep: ({ actor_type, status }) => instruments.steps.inc({ actor_type, status }),
    setStreams: open => instruments.streams.set(open),
    countAnalysisFailure: stage => instruments.failures.inc({ stage: stage ?? 'none' }),
    countFound: (counter, word) => instruments.features[counter].inc({ [featureCounters[counter].label]: word }),
    watchBreakers(breakers) {
      countOpenBreakers = breakers.countOpen
    },
    watch(given) {
      sources = given
    },
    async render() {
      instruments.breakers.set(countOpenBreakers())
      if (sources !== null) await collect(instruments, clock, sources)
      return { contentType: register.contentType, text: await register.metrics() }
    },
    stop: () => register.clear(),
  }
}
