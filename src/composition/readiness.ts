import { asError } from '../base/api_error.ts'
import { wait } from '../base/clock.ts'
import { findUnknownChart } from '../durable/actors/known_charts.ts'
import { requireWritable } from '../durable/store/writable.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import type { ImageChecker } from '../images/image_checker.ts'
import { createMetrics, type Metrics } from '../metrics/metrics.ts'
import { createPhase, type NodePhase } from './phase.ts'
import type { ServiceContext } from './open_service.ts'

/** What looks at pixels: null where the node has not the role that needs it. */
export interface NodeChildren {
  readonly engine: AnalysisEngine | null
  readonly imageChecker: ImageChecker | null
}

/** What changes in a node while it runs. */
export interface NodeLifecycle {
  readonly phase: NodePhase
  /** What has not been warm yet. */
  listStarting(): readonly string[]
  /** Resolves once nothing is cold any more. */
  readonly childrenReady: Promise<unknown>
  readonly metrics: Metrics | null
  readonly draining: AbortController
}

/** What a node has at its start; its children may warm meanwhile. */
export const createLifecycle = (
  { config, clock, log, store, addressFiles }: ServiceContext,
  { engine, imageChecker }: NodeChildren,
): NodeLifecycle => {
  const cold = new Set<string>()
  const warming = async (what: string, ready: Promise<void> | undefined): Promise<void> => {
    if (ready === undefined) return
    cold.add(`the ${what} is starting`)
    await ready
    cold.delete(`the ${what} is starting`)
    log.info({}, `the ${what} is warm`)
  }
  return {
    phase: createPhase(),
    childrenReady: Promise.all([warming('analysis engine', engine?.ready), warming('image checker', imageChecker?.ready)]),
    listStarting: () => [...cold],
    metrics:
      config.METRICS_TOKEN === null
        ? null
        : createMetrics({ store, clock, engine, imageChecker, addressFiles, token: config.METRICS_TOKEN }),
    draining: new AbortController(),
  }
}

type Readiness = () => Promise<readonly string[]>

/** For so long it is believed that the database takes writes, where it took one: a disk is not full from now to then. */
const writableForMs = 1000

/**
 * Why a node can't serve by now; empty where it can. Anybody may ask, and as often as they like: who does while the
 * database is being asked gets what that finds.
 */
export const createReadinessCheck = (
  { store, definitions: kinds, clock }: Pick<ServiceContext, 'store' | 'kinds' | 'clock'>,
  { phase, listStarting: cold }: Pick<NodeLifecycle, 'phase' | 'cold'>,
): Readiness => {
  let looking: Promise<string | null> | null = null
  let written_at = Number.NEGATIVE_INFINITY
  const look = async (): Promise<string | null> => {
    const unknown = await findUnknownChart(store, kinds)
    if (unknown !== null || clock.monotonic() - written_at < writableForMs) return unknown
    await requireWritable(store)
    written_at = clock.monotonic()
    return null
  }
  const lookOnce = (): Promise<string | null> => {
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }
  return async () => {
    if (phase.get() !== 'ready') return [`the node is ${phase.get()}`]
    if (cold().length > 0) return cold()
    try {
      const unknown = await lookOnce()
      return unknown === null ? [] : [unknown]
    } catch (error) {
      return [asError(error).message]
    }
  }
}

const retryMs = 5000

/** Logs `fields` as ready as soon as `/readyz` says so, and before that, once each, what it still lacks when it is warm. */
export const announceReadiness = async (
  { clock, log }: Pick<ServiceContext, 'clock' | 'log'>,
  { childrenReady: warm, draining: { signal } }: Pick<NodeLifecycle, 'warm' | 'draining'>,
  unreadiness: Readiness,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> => {
  await warm
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
