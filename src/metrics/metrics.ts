import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { OpenAddressFiles } from '../addresses/address_book.ts'
import type { Clock } from '../base/clock.ts'
import { isUnavailable } from '../durable/errors.ts'
import { readQueueDepths } from '../durable/store/queue_depth.ts'
import type { Store } from '../durable/store/store.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import type { ImageChecker } from '../images/image_checker.ts'
import type { PoolStats } from '../processes/pool.ts'

/** A call that was answered. `route` is the pattern that it met, null for none. */
export interface ObservedRequest {
  readonly method: string
  readonly route: string | null
  readonly status: number
  readonly duration_ms: number
}

/** What a node counts and measures. Labels are names of ours: no id, no address, nothing that a caller chose. */
export interface Metrics {
  /** What they are read with. */
  readonly token: string
  called(call: ObservedRequest): void
  /** `outcome` is what a job of the queue came to, such as `APPROVED` or `delivered`. */
  worked(job: { readonly queue: string; readonly outcome: string; readonly duration_ms: number }): void
  analysed(stages: Readonly<Record<string, number>>): void
  /** `stage` is what the analysis was at; null where that is not known. */
  analysisFailed(stage: string | null): void
  /** The text that Prometheus reads; what lies in the database and in processes is looked up for it. */
  page(): Promise<{ readonly content_type: string; readonly text: string }>
  stop(): void
}

/** What the looked-up metrics are taken from. `engine` is null on a node that analyses nothing, `imageChecker` on one without uploads. */
export interface MetricsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly engine: AnalysisEngine | null
  readonly imageChecker: Pick<ImageChecker, 'stats'> | null
  readonly addressFiles: Pick<OpenAddressFiles, 'current'>
  readonly token: string
}

const queues = ['admission', 'analysis', 'attempt', 'timer'] as const
const methods: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
const call_seconds = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const work_seconds = [0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
const stage_seconds = [0.03, 0.1, 0.3, 1, 2, 3, 5, 10, 30]

type MakeGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

/** Of the child processes that are there for one thing. */
const processMeasures = (gauge: MakeGauge, name: string, work: string) => ({
  ready: gauge(`attestor_${name}_processes`, `Child processes for ${work} that are ready`),
  restarts: gauge(`attestor_${name}_process_restarts`, `Child processes for ${work} that ended and were replaced`),
  resident: gauge(`attestor_${name}_process_resident_bytes`, `Memory of each child process for ${work}`, 'process'),
})

const measures = (register: Registry) => {
  const common = { registers: [register] }
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ ...common, name, help, labelNames })
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ ...common, name, help, buckets, labelNames })
  return {
    calls: histogram('attestor_http_seconds', 'Duration of calls', call_seconds, 'method', 'route', 'status'),
    jobs: histogram(
      'attestor_job_seconds',
      'Duration of this node’s jobs, by what they came to',
      work_seconds,
      'queue',
      'outcome',
    ),
    stages: histogram(
      'attestor_analysis_stage_seconds',
      'Duration of each stage of an analysis',
      stage_seconds,
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
      '1 where the address file of a setting is in use as it is now, 0 where an earlier one is',
      'setting',
    ),
    database: gauge('attestor_database_up', '1 where the database answered, else 0'),
    depth: gauge('attestor_queue_depth', 'Jobs and timers that are due, of all nodes', 'queue'),
    age: gauge('attestor_queue_oldest_seconds', 'How long the oldest due job or timer has waited', 'queue'),
    capacity: gauge('attestor_analysis_capacity', 'Analyses that this node could run at once now'),
    analysis: processMeasures(gauge, 'analysis', 'analyses'),
    image: processMeasures(gauge, 'image', 'images'),
  }
}

type Measures = ReturnType<typeof measures>

/** One metric as the documentation lists it. */
export interface DescribedMetric {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
}

/** Every metric of ours, without those of the process that prom-client collects. */
export const describeMetrics = (): readonly DescribedMetric[] => {
  const register = new Registry()
  measures(register)
  return register.getMetricsAsArray().map(metric => {
    const { name, type, help } = metric
    // A metric has its labels' names, though its type does not say so.
    return { name, type: String(type), help, labels: Reflect.get(metric, 'labelNames') as readonly string[] }
  })
}

/** Without the database the rest is still worth telling, and that it is away most of all. */
const lookUpQueues = async ({ database, depth, age }: Measures, { store, clock }: MetricsOptions): Promise<void> => {
  const now = clock.now()
  const depths = await readQueueDepths(store, queues, now).catch(error => {
    if (isUnavailable(error)) return null
    throw error
  })
  database.set(depths === null ? 0 : 1)
  depth.reset()
  age.reset()
  if (depths === null) return
  for (const queue of queues) {
    const found = depths.get(queue)
    depth.set({ queue }, found?.waiting ?? 0)
    age.set({ queue }, found === undefined ? 0 : (now - found.oldest_at) / 1000)
  }
}

const tellProcesses = (
  { ready, restarts, resident }: ReturnType<typeof processMeasures>,
  processes: PoolStats | null,
): void => {
  if (processes === null) return
  ready.set(processes.ready)
  restarts.set(processes.restarts)
  resident.reset()
  for (const [index, bytes] of processes.residentBytes.entries()) resident.set({ process: String(index) }, bytes)
}

const lookUpProcesses = async (measured: Measures, { engine, imageChecker }: MetricsOptions): Promise<void> => {
  const free = engine?.capacity() ?? Number.POSITIVE_INFINITY
  if (Number.isFinite(free)) measured.capacity.set(free)
  tellProcesses(measured.analysis, (await engine?.processes()) ?? null)
  tellProcesses(measured.image, (await imageChecker?.stats()) ?? null)
}

/** The metrics of one node, with prom-client's of the process: CPU, memory, collection of garbage, event-loop lag. */
export const createMetrics = (options: MetricsOptions): Metrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const measured = measures(register)
  return {
    token: options.token,
    called({ method, route, status, duration_ms }) {
      const labels = {
        method: methods.includes(method) ? method : 'OTHER',
        route: route ?? 'none',
        status: String(status),
      }
      measured.calls.observe(labels, duration_ms / 1000)
    },
    worked: ({ queue, outcome, duration_ms }) => measured.jobs.observe({ queue, outcome }, duration_ms / 1000),
    analysed(stages) {
      for (const [stage, ms] of Object.entries(stages)) measured.stages.observe({ stage }, ms / 1000)
    },
    analysisFailed: stage => measured.failures.inc({ stage: stage ?? 'none' }),
    async page() {
      await lookUpQueues(measured, options)
      for (const [setting, is_current] of Object.entries(options.addressFiles.current()))
        measured.addresses.set({ setting }, is_current ? 1 : 0)
      await lookUpProcesses(measured, options)
      return { content_type: register.contentType, text: await register.metrics() }
    },
    stop: () => register.clear(),
  }
}
