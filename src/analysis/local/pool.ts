import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { ChildFailed } from '../../children/child_failed.ts'
import type { PoolLimits } from '../../children/limits.ts'
import { type Children, startChildren } from '../../children/pool.ts'
import { AnalysisFailed, type AnalysisRequest, EngineAway, type Evidence } from '../port.ts'

/** How a pool is made. */
export interface PoolOptions {
  readonly clock: Clock
  readonly size: number
  readonly limits: PoolLimits
  readonly log: Log
  /** What the child's program is told. */
  readonly args?: readonly string[]
  /** The child's program; `child.ts` unless a test brings its own. */
  readonly entry?: URL
}

/** Children that analyse. */
export interface Pool extends Omit<Children<AnalysisRequest, Evidence>, 'ask'> {
  /**
   * Rejects with `AnalysisFailed` for every failure: refused, aborted, too long, too large, crashed; with `EngineAway`
   * where no child can be started.
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<Evidence>
}

const failureOf = (error: unknown): Error => {
  if (!(error instanceof ChildFailed)) throw error
  const { why, message, stage } = error
  return why === 'away' ? new EngineAway(message) : new AnalysisFailed(message, { cause: error.cause, stage })
}

/** Starts the children and hands them analyses, one at a time each, first come, first served. */
export const startPool = (options: PoolOptions): Pool => {
  const children = startChildren<AnalysisRequest, Evidence>({
    args: [],
    entry: new URL('child.ts', import.meta.url),
    ...options,
    name: 'analysis',
    at_once: 1,
    tries: 1,
  })
  return {
    ...children,
    analyse: (request, signal) =>
      children.ask(request, { signal }).catch((error: unknown) => {
        throw failureOf(error)
      }),
  }
}
