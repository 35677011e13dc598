import type { Clock } from '../../base/clock.ts'
import { type Log, silentLog } from '../../base/log.ts'
import type { PoolLimits } from '../../processes/limits.ts'
import { processesOf } from '../../processes/processes.ts'
import type { AnalysisEngine, FalseMatchRate } from '../port.ts'
import { localEngineName } from './engine_name.ts'
import { startPool } from './pool.ts'
import { defaultLimits } from './pool_limits.ts'

/** How the in-process engine is run. */
export interface LocalEngineOptions {
  readonly clock: Clock
  readonly log?: Log
  /** How many analyses run at the same time, each in a child process of its own. */
  readonly children?: number
  readonly limits?: Partial<PoolLimits>
  /** Whether the printed text is read too; yes by default. */
  readonly visual_zone?: boolean
  /** At which false match rate faces are compared; one of 10,000 pairs of people by default. */
  readonly false_match_rate?: FalseMatchRate
  /** The children's program, where a test brings its own. */
  readonly entry?: URL
}

/** The engine that looks at pixels on this machine: open models in child processes, no network. */
export const localEngine = ({
  clock,
  log = silentLog,
  children = 1,
  visual_zone = true,
  false_match_rate = '0.0001',
  ...options
}: LocalEngineOptions): AnalysisEngine => {
  const limits = { ...defaultLimits, ...options.limits }
  const args = [`--false-match-rate=${false_match_rate}`, ...(visual_zone ? ['--visual-zone'] : [])]
  const pool = startPool({ ...options, clock, log, size: children, limits, args })
  return {
    engine: localEngineName,
    ready: pool.ready,
    capacity: pool.capacity,
    processes: () => processesOf(pool),
    analyse: pool.analyse,
    stop: pool.stop,
  }
}
