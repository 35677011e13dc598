import type { EngineFindings, EngineName } from '@attestor/rules'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type CaptureAnalysis,
  type CaptureName,
  type CaptureRequest,
  type EngineSection,
  EngineUnavailableError,
  type KeptFindings,
} from '@attestor/vision'
import { asError } from '../../base/api_error.ts'
import type { Log } from '../../base/log.ts'
import { createBreaker } from '../../base/time.ts'
import { isDocument, narrowRequest, selectSections } from '../sections.ts'
import { EngineCallError, type EngineClient, type EngineClientOptions, keptEngine, openClient } from './call.ts'
import { type CodeMapping, createCodeReader } from './codes.ts'
import { parseResponse } from './response.ts'

export interface HttpEngineOptions extends EngineClientOptions {
  readonly log: Log
  /** The sections that the service is asked for. */
  readonly sections: readonly EngineSection[]
  readonly codes: CodeMapping
  /** Number of calls that may run at once. */
  readonly concurrency: number
  /** Whether the service analyses images as they arrive, too. */
  readonly captures?: boolean
  /** Length of the first pause in which a failing service gets no call. Doubles after each further failure. */
  readonly backoffMs?: number
}

/** Fewer than the attempts of a transaction, so that an outage does not use them up. */
const maxConsecutiveFailures = 2
const defaultBackoffMs = 15_000
/** Each try uses up an attempt of some transaction: in a long outage there is one every 2 minutes. */
const maxBackoffFactor = 8

const httpEngineName: EngineName = { name: 'http', version: '1' }

/**
 * Stops calls to a failing service for a while. A failure that one transaction's images may have caused counts once
 * until another call succeeds: no device can stop the analyses of others.
 */
function createServiceBreaker({ clock, log, concurrency, backoffMs = defaultBackoffMs }: HttpEngineOptions) {
  const breaker = createBreaker(clock, {
    failures: maxConsecutiveFailures,
    initialMs: backoffMs,
    maxMs: backoffMs * maxBackoffFactor,
  })
  /** The transactions whose images may be at fault. */
  const suspected = new Set<string>()
  const recordSuccess = (): void => {
    suspected.clear()
    if (breaker.succeed()) log.info({}, 'the analysis service works again')
  }
  const recordFailure = (error: unknown, transaction_id: string): void => {
    if (!(error instanceof EngineCallError)) return
    if (error.fault === 'call') {
      // A status means that the service has judged the request, so it works.
      if (error.status !== null) recordSuccess()
      return
    }
    const isKnown = error.fault === 'unclear' && suspected.has(transaction_id)
    if (error.fault === 'unclear') suspected.add(transaction_id)
    if (isKnown && !breaker.isTripped()) return
    const delay_ms = breaker.fail()
    if (delay_ms !== null) log.error({ delay_ms }, 'the analysis service fails: it gets no call for a while')
  }
  return {
    /** After the back-off a single call tries the service. */
    capacity: (): number => (breaker.openForMs() > 0 ? 0 : breaker.isTripped() ? 1 : concurrency),
    async execute<T>({ transaction_id }: AnalysisRequest | CaptureRequest, work: () => Promise<T>): Promise<T> {
      if (breaker.openForMs() > 0) throw new EngineUnavailableError('the analysis service is backing off')
      try {
        const result = await work()
        recordSuccess()
        return result
      } catch (error) {
        recordFailure(error, transaction_id)
        throw error
      }
    },
  }
}

/** A request, and the sections that the service is asked for. */
interface Asked {
  readonly request: AnalysisRequest | CaptureRequest
  readonly sections: readonly EngineSection[]
}

async function callEngine(
  { clock, codes }: HttpEngineOptions,
  client: EngineClient,
  { request, sections }: Asked,
  signal: AbortSignal,
): Promise<{ readonly findings: EngineFindings; readonly kept: string | null }> {
  const began = clock.monotonic()
  const body = await client.call(narrowRequest(request, sections), sections, signal)
  try {
    const { findings, kept } = parseResponse(body, request, sections, createCodeReader(codes))
    return { findings: { ...findings, stages: { http: clock.monotonic() - began } }, kept }
  } catch (error) {
    throw new EngineCallError(`sent an invalid response: ${asError(error).message}`, 'unclear')
  }
}

/** Returns the section that reports faults of an image. */
function getSection(capture: CaptureName): EngineSection {
  if (capture === 'selfie') return 'face'
  return isDocument(capture) ? 'document' : 'liveness'
}

const noFindings: EngineFindings = { document: null, liveness: null, face: null, stages: {} }

/** A started call about an image is not aborted: even a late response saves the analysis work. */
const never = new AbortController().signal

/** @throws {AnalysisError} for every failure */
function rethrow(log: Log, { transaction_id }: AnalysisRequest) {
  return (error: unknown): never => {
    if (error instanceof EngineUnavailableError) throw error
    const { status = null, message } = error as Partial<EngineCallError>
    // The operator has to fix this: the secret, the address, or the service's rules.
    if (status !== null && status < 500)
      log.error({ transaction_id, status, error: message }, 'the analysis service rejected a request')
    throw new AnalysisError(`the analysis service ${message}`, { cause: error, engine: httpEngineName, stage: 'http' })
  }
}

/**
 * An engine behind HTTP: a vendor's, or the operator's own. A missing or contradictory response is `AnalysisError`: worth
 * another attempt, never a decision.
 */
export function httpEngine(options: HttpEngineOptions): AnalysisEngine {
  const { log, concurrency, captures = false } = options
  const client = openClient(options)
  const breaker = createServiceBreaker(options)
  let running = 0
  const call = async (asked: Asked, signal: AbortSignal) => {
    running++
    try {
      return await breaker
        .execute(asked.request, () => callEngine(options, client, asked, signal))
        .catch(rethrow(log, asked.request))
    } finally {
      running--
    }
  }
  const analyseCapture = async (request: CaptureRequest): Promise<CaptureAnalysis> => {
    const section = getSection(request.capture)
    if (!options.sections.includes(section)) return { findings: noFindings, kept: {} }
    // Analyses come first: after a failure it is one of them that tries the service.
    if (running >= concurrency || breaker.capacity() < concurrency)
      throw new EngineUnavailableError('the analysis service has no time for a capture')
    const { findings, kept } = await call({ request, sections: [section] }, never)
    if (kept === null) return { findings, kept: {} }
    const own: KeptFindings = { engine: keptEngine, kept_for: 'capture', content: kept }
    return { findings, kept: { [request.capture]: [own] } }
  }
  return {
    engine: httpEngineName,
    ready: Promise.resolve(),
    processes: async () => null,
    capacity: breaker.capacity,
    analyse: async (request, signal) =>
      (await call({ request, sections: selectSections(options.sections, request) }, signal)).findings,
    ...(captures && { analyseCapture }),
    stop: () => client.close(),
  }
}
