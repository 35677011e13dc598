import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { asError } from '../../base/api_error.ts'
import { backoffMs } from '../../base/backoff.ts'
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

export interface HttpEngineOptions extends EngineClientOptions {
  readonly log: Log
  /** The sections that the service is asked for. */
  readonly sections: readonly EngineSection[]
  readonly codes: CodeMapping
  /** How many calls may run at once. */
  readonly concurrency: number
  /** How long a failing service gets no call, the first time; then twice as long each time. */
  readonly backoffMs?: number
}

/** Fewer than the attempts of a transaction, so that an outage does not use them up. */
const maxConsecutiveFailures = 2
const defaultBackoffMs = 15_000
/** Each try uses up an attempt of some transaction: in a long outage there is one every 2 minutes. */
const maxBackoffFactor = 8

const httpEngineName: EngineName = { name: 'http', version: '1' }

/**
 * cockatiel's breaker counts the failures. Its half-open timer reads the system's clock, which no test can advance, and it
 * has no capacity to ask for: so it half-opens at once, and `capacity` keeps calls away until the back-off is over.
 */
const createBreaker = ({ clock, log, concurrency, backoffMs: initialMs = defaultBackoffMs }: HttpEngineOptions) => {
  let openUntil = Number.NEGATIVE_INFINITY
  let breaks = 0
  const breaker = circuitBreaker(
    handleWhen(error => error instanceof EngineCallError && error.fault === 'service'),
    { halfOpenAfter: 0, breaker: new ConsecutiveBreaker(maxConsecutiveFailures) },
  )
  breaker.onBreak(() => {
    breaks++
    const delayMs = backoffMs(breaks, { initialMs, maxMs: initialMs * maxBackoffFactor })
    openUntil = clock.monotonic() + delayMs
    log.error({ delay_ms: delayMs }, 'the analysis service fails: it gets no call for a while')
  })
  breaker.onReset(() => {
    breaks = 0
    log.info({}, 'the analysis service works again')
  })
  /** One call tries a service whose back-off is over. */
  const capacity = (): number => {
    if (breaker.state === CircuitState.Closed) return concurrency
    return clock.monotonic() < openUntil ? 0 : 1
  }
  return {
    capacity,
    execute: <T>(work: () => Promise<T>): Promise<T> => {
      if (capacity() === 0) throw new EngineUnavailableError('the analysis service is backing off')
      return breaker.execute(work)
    },
  }
}

const callEngine = async (
  { clock, sections, codes }: HttpEngineOptions,
  client: EngineClient,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<EngineFindings> => {
  const began = clock.monotonic()
  const asked = selectSections(sections, request)
  const body = await client.call(narrowRequest(request, asked), asked, signal)
  try {
    return {
      ...parseResponse(body, request, asked, createCodeReader(codes)),
      stages: { http: clock.monotonic() - began },
    }
  } catch (error) {
    throw new EngineCallError(`sent an invalid response: ${asError(error).message}`, 'service')
  }
}

/**
 * An engine behind HTTP: a vendor's, or the operator's own. A missing or contradictory response is `AnalysisError`: worth
 * another attempt, never a decision.
 */
export const httpEngine = (options: HttpEngineOptions): AnalysisEngine => {
  const { log } = options
  const client = openClient(options)
  const breaker = createBreaker(options)
  return {
    engine: httpEngineName,
    ready: Promise.resolve(),
    processes: async () => null,
    capacity: breaker.capacity,
    async analyse(request, signal) {
      try {
        return await breaker.execute(() => callEngine(options, client, request, signal))
      } catch (error) {
        if (error instanceof EngineUnavailableError) throw error
        const { status = null, message } = error as Partial<EngineCallError>
        const fields = { transaction_id: request.transaction_id, status, error: message }
        // The operator has to fix this: the secret, the address, or what the service accepts.
        if (status !== null && status < 500) log.error(fields, 'the analysis service rejected a request')
        throw new AnalysisError(`the analysis service ${message}`, {
          cause: error,
          engine: httpEngineName,
          stage: 'http',
        })
      }
    },
    stop: () => client.close(),
  }
}
