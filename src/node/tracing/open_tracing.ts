import { type Clock, systemClock } from '../../base/clock.ts'
import type { Tracing } from './tracing.ts'

type Environment = Readonly<Record<string, string | undefined>>

function isOn({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, ...environment }: Environment): boolean {
  return (
    OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
    OTEL_TRACES_EXPORTER !== 'none' &&
    Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
  )
}

/**
 * OpenTelemetry, switched on and set by its own environment variables: an endpoint of OTLP over HTTP is enough. The
 * libraries are loaded then, and only then.
 */
export async function openTracing(environment: Environment, clock: Clock = systemClock): Promise<Tracing | null> {
  if (!isOn(environment)) return null
  const { openOtlpTracing } = await import('./otlp.ts')
  return openOtlpTracing(clock)
}
