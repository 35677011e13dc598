import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { OpenAddressFiles } from '../addresses/address_book.ts'
import type { Clock } from '../base/clock.ts'
import { isUnavailable } from '../durable/errors.ts'
import { readQueueDepths } from '../durable/store/queue_depth.ts'
import type { Store } from '../durable/store/store.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import type { ImageChecker } from '../images/image_checker.ts'
import type { PoolStats } from '../processes/pool.ts'

/** `route` is the pattern that the call matched, null for none. */
export interface ObservedRequest {
  readonly method: string
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
}

/** Labels have fixed values or such as the settings name: no id, nothing that a caller chose. */
export interface Metrics {
  /** The bearer token that Prometheus reads them with. */
  readonly token: string
  observeRequest(call: ObservedRequest): void
  /** `outcome` is for example `APPROVED` or `delivered`. */
  observeJob(job: { readonly queue: string; readonly outcome: string; readonly durationMs: number }): void
  observeStages(stages: Readonly<Record<string, number>>): void
  /** `stage` is the one that failed; null where that is not known. */
  countAnalysisFailure(stage: string | null): void
  /** The text that Prometheus reads. It queries the database and the processes. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>
  stop(): void
}

/** `engine` is null on a node that analyses nothing, `imageChecker` on one without uploads. */
export interface MetricsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly engine: AnalysisEngine | null
  readonly imageChecker: Pick<ImageChecker, 'stats'> | null
  readonly addressFiles: Pick<OpenAddressFiles, 'current'>
  readonly token: string
}

const queues = ['admission', 'analysis', 'attempt', 'timer'] as const
const knownMethods: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
const requestBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const jobBuckets = [0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
const stageBuckets = [0.03, 0.1, 0.3, 1, 2, 3, 5, 10, 30]

type CreateGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

const createProcessGauges = (gauge: CreateGauge, name: string, work: string) => ({
  ready: gauge(`attestor_${name}_processes`, `Child processes for ${work} that are ready`),
  restarts: gauge(`attestor_${name}_process_restarts`, `Child processes for ${work} that ended and were replaced`),
  resident: gauge(`attestor_${name}_process_resident_bytes`, `Memory of each child process for ${work}`, 'process'),
})

const createInstruments = (register: Registry) => {
  const common = { registers: [register] }
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ ...common, name, help, labelNames })
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ ...common, name, help, buckets, labelNames })
  return {
    requests: histogram('attestor_http_seconds', 'Duration of requests', requestBuckets, 'method', 'route', 'status'),
    jobs: histogram('attestor_job_seconds', 'Duration of this node’s jobs, by outcome', jobBuckets, 'queue', 'outcome'),
    stages: histogram(
      'attestor_analysis_stage_seconds',
      'Duration of each stage of an analysis',
      stageBuckets,
      'stage',
    ),
    failures: new Counter({
      ...common,
      name: 'attestor_analysis_failures_total',
      help: 'Analyses that failed, by the stage that they had reached',
      labelNames: ['stage'],
    }),
    addresses: gauge(
      'attestor_address_file_current',
      '1 if the address file of a setting is in use as it is now, 0 if an earlier one is',
      'setting',
    ),
    database: gauge('attestor_database_up', '1 if the database responds, else 0'),
    host: gauge('attestor_database_host', '1 for the host of the database that this node uses', 'host'),
    depth: gauge('attestor_queue_depth', 'Jobs and timers that are due, of all nodes', 'queue'),
    age: gauge('attestor_queue_oldest_seconds', 'How long the oldest due job or timer has waited', 'queue'),
    capacity: gauge('attestor_analysis_capacity', 'Analyses that this node could run at once now'),
    analysis: createProcessGauges(gauge, 'analysis', 'analyses'),
    image: createProcessGauges(gauge, 'image', 'images'),
  }
}

type Instruments = ReturnType<typeof createInstruments>

/** One metric as the documentation lists it. */
export interface DescribedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
}

/** Attestor's own metrics, without those that prom-client collects from the process. */
export const describeMetrics = (): readonly DescribedMetric[] => {
  const register = new Registry()
  createInstruments(register)
  return register.getMetricsAsArray().map(metric => {
    const { name, type, help } = metric
    // A metric has `labelNames`, but its type does not declare it.
    return { name, type: String(type), help, labels: Reflect.get(metric, 'labelNames') as readonly string[] }
  })
}

/** Without the database the other metrics are still worth reading, and `attestor_database_up` most of all. */
const setQueueGauges = async (
  { database, host, depth, age }: Instruments,
  { store, clock }: MetricsOptions,
): Promise<void> => {
  const now = clock.now()
  const depths = await readQueueDepths(store, queues, now).catch(error => {
    if (isUnavailable(error)) return null
    throw error
  })
  database.set(depths === null ? 0 : 1)
  const name = store.hostName()
  host.reset()
  if (name !== null) host.set({ host: name }, 1)
  depth.reset()
  age.reset()
  if (depths === null) return
  for (const queue of queues) {
    const found = depths.get(queue)
    depth.set({ queue }, found?.waiting ?? 0)
    age.set({ queue }, found === undefined ? 0 : (now - found.oldest_at) / 1000)
  }
}

const setProcessGauges = (
  { ready, restarts, resident }: ReturnType<typeof createProcessGauges>,
  processes: PoolStats | null,
): void => {
  if (processes === null) return
  ready.set(processes.ready)
  restarts.set(processes.restarts)
  resident.reset()
  for (const [index, bytes] of processes.residentBytes.entries()) resident.set({ process: String(index) }, bytes)
}

const setEngineGauges = async (instruments: Instruments, { engine, imageChecker }: MetricsOptions): Promise<void> => {
  const free = engine?.capacity() ?? Number.POSITIVE_INFINITY
  if (Number.isFinite(free)) instruments.capacity.set(free)
  setProcessGauges(instruments.analysis, (await engine?.processes()) ?? null)
  setProcessGauges(instruments.image, (await imageChecker?.stats()) ?? null)
}

/** The metrics of one node, with those of its process by prom-client: CPU, memory, garbage collection, event-loop lag. */
export const createMetrics = (options: MetricsOptions): Metrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const instruments = createInstruments(register)
  return {
    token: options.token,
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
    countAnalysisFailure: stage => instruments.failures.inc({ stage: stage ?? 'none' }),
    async render() {
      await setQueueGauges(instruments, options)
      for (const [setting, isCurrent] of Object.entries(options.addressFiles.current()))
        instruments.addresses.set({ setting }, isCurrent ? 1 : 0)
      await setEngineGauges(instruments, options)
      return { contentType: register.contentType, text: await register.metrics() }
    },
    stop: () => register.clear(),
  }
}
