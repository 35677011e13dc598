import type { AnalysisEngine, ImageChecker } from '@attestor/vision'
import { findUnknownChart } from 'durable-xstate-sql'
import { requireWritable } from 'durable-xstate-sql/sql'
import { asError } from '../base/api_error.ts'
import { wait } from '../base/clock.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { ServiceContext } from './open_service.ts'

/** The parts of a node that run child processes; null if its roles don't need them. */
export interface NodeChildren {
  readonly engine: AnalysisEngine | null
  readonly imageChecker: ImageChecker | null
}

/** A node starts, is ready, and drains; it never goes back. */
export type NodePhase = 'starting' | 'ready' | 'draining'

/** The state of a node. It ends with the process. */
export interface NodeLifecycle {
  phase: NodePhase
  /** The child processes that are not ready yet. */
  listStarting(): readonly string[]
  /** Resolves when all child processes are ready. */
  readonly childrenReady: Promise<unknown>
  readonly metrics: Metrics | null
  readonly draining: AbortController
}

export function createLifecycle(
  { config, log, store, addressFiles, metrics, deliveryDefinition }: ServiceContext,
  { engine, imageChecker }: NodeChildren,
): NodeLifecycle {
  const { DATABASE_URL: address, DATABASE_CONNECTIONS: connections } = config
  const deliveryVersions = Object.keys(deliveryDefinition.charts).map(Number)
  metrics?.watch({ store, address, connections, deliveryVersions, engine, imageChecker, addressFiles })
  const starting = new Set<string>()
  const trackStart = async (name: string, ready: Promise<void> | undefined): Promise<void> => {
    if (ready === undefined) return
    starting.add(`the ${name} is starting`)
    await ready
    starting.delete(`the ${name} is starting`)
    log.info({}, `the ${name} has started`)
  }
  return {
    phase: 'starting',
    childrenReady: Promise.all([
      trackStart('analysis engine', engine?.ready),
      trackStart('image checker', imageChecker?.ready),
    ]),
    listStarting: () => [...starting],
    metrics,
    draining: new AbortController(),
  }
}

type Readiness = () => Promise<readonly string[]>

/** After a successful write, the database is assumed writable for this long. */
const writableForMs = 1000

/**
 * Creates the check that returns why a node is not ready; empty if it is. Anybody may call it at any rate, so concurrent
 * calls share one query.
 */
export function createReadinessCheck(
  { store, definitions, clock, serviceKeys }: Pick<ServiceContext, 'store' | 'definitions' | 'clock' | 'serviceKeys'>,
  lifecycle: Pick<NodeLifecycle, 'phase' | 'listStarting'>,
): Readiness {
  let checking: Promise<string | null> | null = null
  let writtenAt = Number.NEGATIVE_INFINITY
  const check = async (): Promise<string | null> => {
    await serviceKeys.refresh()
    const unknown = await findUnknownChart(store, definitions)
    if (unknown !== null || clock.monotonic() - writtenAt < writableForMs) return unknown
    await requireWritable(store)
    writtenAt = clock.monotonic()
    return null
  }
  const checkOnce = (): Promise<string | null> => {
    checking ??= check().finally(() => {
      checking = null
    })
    return checking
  }
  return async () => {
    if (lifecycle.phase !== 'ready') return [`the node is ${lifecycle.phase}`]
    const starting = lifecycle.listStarting()
    if (starting.length > 0) return starting
    try {
      const unknown = await checkOnce()
      return unknown === null ? [] : [unknown]
    } catch (error) {
      return [asError(error).message]
    }
  }
}

const retryMs = 5000

/** Logs when the node is ready. Once its children are, it logs every other reason why the node is not. */
export async function announceReadiness(
  { clock, log }: Pick<ServiceContext, 'clock' | 'log'>,
  { childrenReady, draining: { signal } }: Pick<NodeLifecycle, 'childrenReady' | 'draining'>,
  unreadiness: Readiness,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  await childrenReady
  let known = ''
  while (!signal.aborted) {
    const reason = (await unreadiness()).join('; ')
    if (signal.aborted) return
    if (reason === '') return log.info(fields, 'ready')
    if (reason !== known) log.error({ reason }, 'not ready')
    known = reason
    await wait(clock, retryMs, signal)
  }
}
