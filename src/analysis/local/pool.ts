import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { ChildFailed } from '../../children/child_failed.ts'
import type { PoolLimits } from '../../children/limits.ts'
import { startChildren } from '../../children/pool.ts'
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
export interface Pool {
  /** Resolves when the first child is warm. */
  readonly ready: Promise<void>
  /** Children that are warm by now, busy or not. */
  room(): number
  /** Children that ended, of a fault or of old age, and were replaced. */
  restarts(): number
  /**
   * Rejects with `AnalysisFailed` for every failure: refused, aborted, too long, too large, crashed; with `EngineAway`
   * where no child can be started.
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<Evidence>
  /** Ends all children; what waits or runs rejects. */
  stop(): Promise<void>
  /** Process ids of the living children, for the operator. */
  pids(): number[]
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
      children.ask(request, signal).catch((error: unknown) => {
        throw failureOf(error)
      }),
  }
}
