import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { asError } from '../../base/api_error.ts'
import type { Log } from '../../base/log.ts'
import type { EngineFindings, EngineName } from '../../decision/findings.ts'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type EngineSection,
  EngineUnavailableError,
} from '../port.ts'
import { narrowRequest, selectSections } from '../sections.ts'
import { EngineCallError, type EngineClient, type EngineClientOptions, openClient } from './call.ts'
import { type CodeMapping, createCodeReader } from './codes.ts'
import { parseResponse } from './response.ts'

/** How a service over HTTP is used. */
export interface HttpEngineOptions extends EngineClientOptions {
  readonly log: Log
  /** The sections that it is asked for. */
  readonly sections: readonly EngineSection[]
  readonly codes: CodeMapping
  /** How many calls may be under way at once. */
  readonly concurrency: number
  /** How long a service that failed is left alone before one call tries it again: the first time, then ever longer. */
  readonly backoffMs?: number
}

/** Fewer than a transaction's attempts, so that an outage does not use them up. */
const maxConsecutiveFailures = 2
const defaultBackoffMs = 15_000
/** Each try is an attempt of some transaction: in a long outage they are few. Doubled up to 2 minutes. */
const maxDoublings = 3

const httpEngineName: EngineName = { name: 'http', version: '1' }

/** A breaker that rests by our clock, and tells without a call whether one would be let through. */
const createBreaker = ({ clock, log, concurrency, backoffMs: restMs = defaultBackoffMs }: HttpEngineOptions) => {
  let restsUntil = Number.NEGATIVE_INFINITY
  let breaks = 0
  const breaker = circuitBreaker(
    handleWhen(error => error instanceof EngineCallError && error.fault === 'service'),
    { halfOpenAfter: 0, breaker: new ConsecutiveBreaker(maxConsecutiveFailures) },
  )
  breaker.onBreak(() => {
    const rest = restMs * 2 ** Math.min(breaks++, maxDoublings)
    restsUntil = clock.monotonic() + rest
    log.error({ rest_ms: rest }, 'the analysis service fails and is left alone')
  })
  breaker.onReset(() => {
    breaks = 0
    log.info({}, 'the analysis service works again')
  })
  /** One call tries a service that has rested. */
  const capacity = (): number => {
    if (breaker.state === CircuitState.Closed) return concurrency
    return clock.monotonic() < restsUntil ? 0 : 1
  }
  return {
    capacity,
    execute: <T>(work: () => Promise<T>): Promise<T> => {
      if (capacity() === 0) throw new EngineUnavailableError('the analysis service is left alone for a while')
      return breaker.execute(work)
    },
  }
}

const callEngine = async (
  { clock, sections, codes }: HttpEngineOptions,
  caller: EngineClient,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<EngineFindings> => {
  const began = clock.monotonic()
  const asked = selectSections(sections, request)
  const body = await caller.call(narrowRequest(request, asked), asked, signal)
  try {
    return {
      ...parseResponse(body, request, asked, createCodeReader(codes)),
      stages: { http: clock.monotonic() - began },
    }
  } catch (error) {
    throw new EngineCallError(`answered what cannot be: ${asError(error).message}`, 'service')
  }
}

/**
 * An engine behind HTTP: a vendor, or a service of one's own. What it does not answer, and what its answer cannot mean,
 * is `AnalysisError`: worth another attempt, and never a decision.
 */
export const httpEngine = (options: HttpEngineOptions): AnalysisEngine => {
  const { log } = options
  const caller = openClient(options)
  const breaker = createBreaker(options)
  return {
    engine: httpEngineName,
    ready: Promise.resolve(),
    processes: async () => null,
    capacity: breaker.capacity,
    async analyse(request, signal) {
      try {
        return await breaker.execute(() => callEngine(options, caller, request, signal))
      } catch (error) {
        if (error instanceof EngineUnavailableError) throw error
        const { status = null, message } = error as Partial<EngineCallError>
        const told = { transaction_id: request.transaction_id, status, error: message }
        // A refusal is the operator's to mend: the secret, the address, or what the service takes.
        if (status !== null && status < 500) log.error(told, 'the analysis service refused a request')
        throw new AnalysisError(`the analysis service ${message}`, {
          cause: error,
          engine: httpEngineName,
          stage: 'http',
        })
      }
    },
    stop: () => caller.close(),
  }
}
