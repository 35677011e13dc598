import type { EngineFindings } from '@attestor/rules'
import { localEngineName } from './engine_name.ts'
import { pictureCopies } from './face/picture_code.ts'
import type { OwnModelFiles } from './models.ts'
import { toDescriptionFile } from './own_model_files.ts'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type CaptureAnalysis,
  type CaptureRequest,
  EngineUnavailableError,
  type FalseMatchRate,
} from './port.ts'
import { ChildProcessError } from './processes/child_process_error.ts'
import { type Pool, type RequestOptions, startPool } from './processes/pool.ts'
import { childStartMs, type PoolLimits } from './processes/pool_limits.ts'
import { machineClock, silentLog, type VisionClock, type VisionLog } from './surroundings.ts'

export interface LocalEngineOptions {
  readonly clock?: VisionClock
  readonly log?: VisionLog
  /** Number of analyses that run at once, each in a child process of its own. */
  readonly children?: number
  readonly limits?: Partial<PoolLimits>
  /** Whether the printed text is read too. */
  readonly visualZone?: boolean
  /** Faces are compared at this rate. */
  readonly falseMatchRate?: FalseMatchRate
  /** A folder of layouts of the operator's own. */
  readonly layouts?: string | null
  /** Files of the operator's own models. */
  readonly ownModels?: OwnModelFiles
  /** The children's program; tests have their own. */
  readonly entry?: URL
}

/**
 * An analysis takes some 0.6 s of CPU and a child up to 340 MB. The limits allow for a slow and busy machine, and
 * stop only what must be a fault.
 */
export const defaultLimits: PoolLimits = {
  timeLimitMs: 60_000,
  startLimitMs: childStartMs,
  heapLimitMb: 512,
  memoryLimitMb: 1536,
  maxQueue: 64,
  // A start costs the CPU of three analyses, and a verification takes up to eight requests.
  recycleAfter: 2_000,
  recycleMb: 450,
}

/** A request to a child, and the response to either kind. */
export type EngineRequest = AnalysisRequest | CaptureRequest
export type EngineResponse = EngineFindings | CaptureAnalysis

/** The engine's children. */
export interface EnginePool extends Omit<Pool<EngineRequest, EngineResponse>, 'send'> {
  send(request: CaptureRequest, options: RequestOptions): Promise<CaptureAnalysis>
  send(request: AnalysisRequest, options: RequestOptions): Promise<EngineFindings>
}

/** @throws {AnalysisError} for every failure of a child */
function rethrow(error: unknown): never {
  if (!(error instanceof ChildProcessError)) throw error
  const { reason, message, cause, stage } = error
  const isUnavailable = reason === 'unavailable'
  throw isUnavailable ? new EngineUnavailableError(message) : new AnalysisError(message, { cause, stage })
}

/** Starts the child processes of the engine. */
export function startAnalysisPool({
  clock = machineClock,
  log = silentLog,
  children = 1,
  visualZone = true,
  falseMatchRate = '0.001',
  ownModels = { face: null, liveness: null },
  layouts = null,
  ...options
}: LocalEngineOptions): EnginePool {
  return startPool<EngineRequest, EngineResponse>({
    clock,
    log,
    name: 'analysis',
    size: children,
    entry: options.entry ?? new URL('child.ts', import.meta.url),
    args: [
      `--false-match-rate=${falseMatchRate}`,
      ...(visualZone ? ['--visual-zone'] : []),
      ...(layouts === null ? [] : [`--layouts=${layouts}`]),
      ...(ownModels.face === null ? [] : [`--face-model=${ownModels.face}`]),
      ...(ownModels.liveness === null ? [] : [`--liveness-model=${ownModels.liveness}`]),
    ],
    readable: [
      ...(layouts === null ? [] : [layouts]),
      ...[ownModels.face, ownModels.liveness].flatMap(file => (file === null ? [] : [file, toDescriptionFile(file)])),
    ],
    limits: { ...defaultLimits, ...options.limits },
  }) as EnginePool
}

/** A capture that was not served has not failed. */
function rethrowOfCapture(error: unknown): never {
  const isUnserved = error instanceof ChildProcessError && ['full', 'aborted', 'stopped'].includes(error.reason)
  if (isUnserved) throw new EngineUnavailableError(error.message)
  return rethrow(error)
}

/** Creates the engine that runs open models on this machine, in child processes and without a network. */
export function localEngine(options: LocalEngineOptions = {}): AnalysisEngine {
  const pool = startAnalysisPool(options)
  return {
    engine: localEngineName,
    copies: pictureCopies,
    ready: pool.ready,
    capacity: pool.capacity,
    processes: pool.stats,
    analyse: (request, signal) => pool.send(request, { signal }).catch(rethrow),
    analyseCapture: (request, signal) =>
      pool.send(request, { signal, owner: request.account_id, isBackground: true }).catch(rethrowOfCapture),
    stop: pool.stop,
  }
}
