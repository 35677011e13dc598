import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { JobHandler } from '../durable/jobs/handler.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import type { Metrics } from './metrics.ts'

/** Where what is observed goes; `metrics` is null where they are off. */
export interface Observer {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics | null
}

/** An engine whose analyses are told in the log and counted, stage by stage. */
export const observeEngine = (engine: AnalysisEngine, { clock, log, metrics }: Observer): AnalysisEngine => ({
  ...engine,
  async analyse(request, signal) {
    const began = clock.monotonic()
    const evidence = await engine.analyse(request, signal).catch(error => {
      if (!signal.aborted) metrics?.analysisFailed(member(error, 'stage'))
      throw error
    })
    metrics?.analysed(evidence.stages)
    const { transaction_id } = request
    log.info({ transaction_id, duration_ms: clock.monotonic() - began, stages: evidence.stages }, 'an analysis ended')
    return evidence
  },
})

const member = (value: unknown, name: string): string | null => {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
  return typeof found === 'string' ? found : null
}

/** Hands whose jobs are counted by what they came to: the output's decision or outcome, or the code of a failure. */
export const observeHandler = (handlers: JobHandler, { clock, metrics }: Observer): JobHandler => {
  if (metrics === null) return handlers
  return {
    ...handlers,
    async handle(job, signal) {
      const began = clock.monotonic()
      const worked = (outcome: string): void =>
        metrics.worked({ queue: handlers.queue, outcome, duration_ms: clock.monotonic() - began })
      try {
        const result = await handlers.handle(job, signal)
        metrics.analysed(result.stages ?? {})
        worked(member(result.output, 'decision') ?? member(result.output, 'outcome') ?? 'done')
        return result
      } catch (error) {
        worked(signal.aborted ? 'called_off' : (member(error, 'code') ?? 'INTERNAL'))
        throw error
      }
    },
  }
}
