import type { AnalysisEngine } from '@attestor/vision'
import type { JobHandler } from 'durable-xstate-sql'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from './metrics.ts'

/** `metrics` is null where they are off. */
export interface Observer {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics | null
}

type AnalyseCapture = NonNullable<AnalysisEngine['analyseCapture']>

function observeCaptures(analyseCapture: AnalyseCapture, { clock, log, metrics }: Observer): AnalyseCapture {
  return async (request, signal) => {
    const monotonicStart = clock.monotonic()
    const analysed = await analyseCapture(request, signal)
    const { stages } = analysed.findings
    metrics?.observeStages(stages)
    const { transaction_id, capture } = request
    const duration_ms = clock.monotonic() - monotonicStart
    log.info({ transaction_id, capture, duration_ms, stages }, 'a capture was analysed')
    return analysed
  }
}

/** An engine whose analyses are logged and counted, stage by stage. */
export function observeEngine(engine: AnalysisEngine, observer: Observer): AnalysisEngine {
  const { clock, log, metrics } = observer
  const { analyseCapture } = engine
  return {
    ...engine,
    ...(analyseCapture && { analyseCapture: observeCaptures(analyseCapture, observer) }),
    async analyse(request, signal) {
      const monotonicStart = clock.monotonic()
      const findings = await engine.analyse(request, signal).catch(error => {
        if (!signal.aborted) metrics?.countAnalysisFailure(readString(error, 'stage'))
        throw error
      })
      metrics?.observeStages(findings.stages)
      const { transaction_id } = request
      log.info(
        { transaction_id, duration_ms: clock.monotonic() - monotonicStart, stages: findings.stages },
        'an analysis ended',
      )
      return findings
    },
  }
}

function readString(value: unknown, name: string): string | null {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
  return typeof found === 'string' ? found : null
}

/** A handler whose jobs are counted by outcome: the output's decision or outcome, or the code of a failure. */
export function observeHandler(handler: JobHandler, { clock, metrics }: Observer): JobHandler {
  if (metrics === null) return handler
  return {
    ...handler,
    async handle(job, signal) {
      const monotonicStart = clock.monotonic()
      const count = (outcome: string): void =>
        metrics.observeJob({ queue: handler.queue, outcome, durationMs: clock.monotonic() - monotonicStart })
      try {
        const result = await handler.handle(job, signal)
        metrics.observeStages(result.stages ?? {})
        count(readString(result.output, 'decision') ?? readString(result.output, 'outcome') ?? 'done')
        return result
      } catch (error) {
        count(signal.aborted ? 'called_off' : (readString(error, 'code') ?? 'INTERNAL'))
        throw error
      }
    },
  }
}
