import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { EngineFindings } from '../../decision/findings.ts'
import { ChildProcessError } from '../../processes/child_failed.ts'
import type { PoolLimits } from '../../processes/limits.ts'
import { type Children, startChildren } from '../../processes/pool.ts'
import { AnalysisError, type AnalysisRequest, EngineUnavailableError } from '../port.ts'

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
export interface Pool extends Omit<Children<AnalysisRequest, EngineFindings>, 'ask'> {
  /**
   * Rejects with `AnalysisError` for every failure: refused, aborted, too long, too large, crashed; with `EngineUnavailableError`
   * where no child can be started.
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<EngineFindings>
}

const failureOf = (error: unknown): Error => {
  if (!(error instanceof ChildProcessError)) throw error
  const { why, message, stage } = error
  return why === 'away'
    ? new EngineUnavailableError(message)
    : new AnalysisError(message, { cause: error.cause, stage })
}

/** Starts the children and hands them analyses, one at a time each, first come, first served. */
export const startPool = (options: PoolOptions): Pool => {
  const children = startChildren<AnalysisRequest, EngineFindings>({
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
