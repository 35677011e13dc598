import type { Clock } from '../../base/clock.ts'
import type { AnalysisEngine } from '../port.ts'
import { localEngineName } from './engine_name.ts'
import { defaultLimits, type PoolLimits, startPool } from './pool.ts'

/** How the in-process engine is run. */
export interface LocalEngineOptions {
  readonly clock: Clock
  /** How many analyses run at the same time, each in a child process of about 400 MB. */
  readonly children?: number
  readonly limits?: Partial<PoolLimits>
}

/** The engine that looks at pixels on this machine: open models in child processes, no network. */
export const localEngine = ({ clock, children = 1, limits = {} }: LocalEngineOptions): AnalysisEngine => {
  const pool = startPool({ clock, size: children, limits: { ...defaultLimits, ...limits } })
  return { engine: localEngineName, room: () => children, analyse: pool.analyse, stop: pool.stop }
}
