import type { AnalysisEngine } from './analysis/port.ts'
import { asError } from './base/refusal.ts'
import type { Photos } from './captures/photos.ts'
import { unknownChart } from './host/known_charts.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { createPhase, type NodePhase } from './phase.ts'
import type { Rooms } from './service.ts'

/** What looks at pixels: null where the node has not the role that needs it. */
export interface Lookers {
  readonly engine: AnalysisEngine | null
  readonly photos: Photos | null
}

/** What changes in a node while it runs. */
export interface Live {
  readonly phase: NodePhase
  /** What has not been warm yet. */
  cold(): readonly string[]
  readonly metrics: Metrics | null
  readonly draining: AbortController
}

/** What a node has at its start; its children may warm meanwhile. */
export const openLive = ({ config, clock, log, store, addressFiles }: Rooms, { engine, photos }: Lookers): Live => {
  const cold = new Set<string>()
  const warming = (what: string, ready: Promise<void> | undefined): void => {
    if (ready === undefined) return
    cold.add(`the ${what} is starting`)
    void ready.then(() => {
      cold.delete(`the ${what} is starting`)
      log.info({}, `the ${what} is warm`)
    })
  }
  warming('analysis engine', engine?.ready)
  warming('check of photos', photos?.ready)
  return {
    phase: createPhase(),
    cold: () => [...cold],
    metrics:
      config.METRICS_TOKEN === null
        ? null
        : createMetrics({ store, clock, engine, photos, addressFiles, token: config.METRICS_TOKEN }),
    draining: new AbortController(),
  }
}

/**
 * Why a node can't serve by now; empty where it can. Anybody may ask, and as often as they like: who does while the
 * database is being asked gets what that finds.
 */
export const openReadiness = (
  { store, kinds }: Pick<Rooms, 'store' | 'kinds'>,
  { phase, cold }: Pick<Live, 'phase' | 'cold'>,
): (() => Promise<readonly string[]>) => {
  let looking: Promise<string | null> | null = null
  const look = (): Promise<string | null> => {
    looking ??= unknownChart(store, kinds).finally(() => {
      looking = null
    })
    return looking
  }
  return async () => {
    if (phase.get() !== 'ready') return [`the node is ${phase.get()}`]
    if (cold().length > 0) return cold()
    try {
      const unknown = await look()
      return unknown === null ? [] : [unknown]
    } catch (error) {
      return [asError(error).message]
    }
  }
}
