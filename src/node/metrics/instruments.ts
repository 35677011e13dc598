import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { mapValues } from '../../base/collections.ts'
import { featureCounters } from '../../features.ts'

const requestBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const jobBuckets = [0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
const stageBuckets = [0.03, 0.1, 0.3, 1, 2, 3, 5, 10, 30]
const statementBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]

function createFactory(register: Registry) {
  const common = { registers: [register] }
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ ...common, name, help, labelNames })
  return {
    gauge,
    /** A gauge that not every node has: it has no sample until it is set, while prom-client would begin at 0. */
    gaugeOfSome(name: string, help: string) {
      const made = gauge(name, help)
      made.remove()
      return made
    },
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ ...common, name, help, labelNames }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ ...common, name, help, buckets, labelNames }),
  }
}

type Factory = ReturnType<typeof createFactory>

export function createProcessInstruments({ gauge, gaugeOfSome, counter }: Factory, name: string, work: string) {
  return {
    ready: gaugeOfSome(`attestor_${name}_processes`, `Child processes for ${work} that are ready`),
    restarts: counter(
      `attestor_${name}_process_restarts_total`,
      `Child processes for ${work} that ended and were replaced`,
    ),
    resident: gauge(
      `attestor_${name}_process_resident_memory_bytes`,
      `Memory of each child process for ${work}`,
      'process',
    ),
  }
}

function createDatabaseInstruments({ gauge, gaugeOfSome, histogram }: Factory) {
  return {
    statements: histogram(
      'attestor_database_duration_seconds',
      'Duration of commits and reads, waiting included',
      statementBuckets,
      'operation',
      'outcome',
    ),
    statementsRunning: gauge('attestor_database_running', 'Commits and reads that wait or run', 'operation'),
    connections: gauge('attestor_database_connections_max', 'Connections that this node may open'),
    databaseUp: gauge('attestor_database_up', '1 if the database responds, else 0'),
    databaseHost: gauge('attestor_database_host', '1 for the host of the database that this node uses', 'host'),
    databaseSize: gaugeOfSome(
      'attestor_database_size_bytes',
      'Size of the database: files of SQLite with the write-ahead log, or tables with indexes as a server estimates them',
    ),
    diskFree: gaugeOfSome('attestor_disk_free_bytes', 'Free space on the disk of the embedded database'),
    depth: gauge('attestor_queue_depth', 'Jobs and timers that are due, of all nodes', 'queue'),
    age: gauge('attestor_queue_oldest_seconds', 'How long the oldest due job or timer has waited', 'queue'),
    undelivered: gauge(
      'attestor_webhook_oldest_undelivered_seconds',
      'Age of the oldest status that a receiver has not accepted and is still sent, of all accounts',
    ),
    origins: gauge('attestor_webhook_origins_paused', 'Origins of receivers that are paused, of all accounts'),
    breakers: gauge('attestor_webhook_breakers_open', 'Origins of receivers that this node leaves alone for a while'),
    keyAge: gauge('attestor_signing_key_age_seconds', 'How long the newest key of a purpose has signed', 'purpose'),
  }
}

/** All of Attestor's own metrics: base units, counters that end in `_total`, labels with fixed values. */
export function createInstruments(register: Registry) {
  const factory = createFactory(register)
  const { gauge, gaugeOfSome, counter, histogram } = factory
  return {
    build: gauge('attestor_build_info', '1, by the version that runs', 'version'),
    requests: histogram(
      'attestor_http_request_duration_seconds',
      'Duration of requests',
      requestBuckets,
      'method',
      'route',
      'status',
    ),
    streams: gauge('attestor_event_streams', 'Streams of events that pages of the console have open'),
    steps: counter('attestor_steps_total', 'Steps of actors that this node committed', 'actor_type', 'status'),
    jobs: histogram(
      'attestor_job_duration_seconds',
      'Duration of this node’s jobs, by outcome',
      jobBuckets,
      'queue',
      'outcome',
    ),
    stages: histogram(
      'attestor_analysis_stage_duration_seconds',
      'Duration of each stage of an analysis',
      stageBuckets,
      'stage',
    ),
    failures: counter(
      'attestor_analysis_failures_total',
      'Analyses that failed, by the stage that they had reached',
      'stage',
    ),
    features: mapValues(featureCounters, ({ name, help, label }) => counter(name, help, label)),
    capacity: gaugeOfSome('attestor_analysis_capacity', 'Analyses that this node could run at once now'),
    analysis: createProcessInstruments(factory, 'analysis', 'analyses'),
    image: createProcessInstruments(factory, 'image', 'images'),
    addresses: gauge(
      'attestor_address_file_current',
      '1 if the address file of a setting is in use as it is now, 0 if an earlier one is',
      'setting',
    ),
    ...createDatabaseInstruments(factory),
  }
}

export type Instruments = ReturnType<typeof createInstruments>
