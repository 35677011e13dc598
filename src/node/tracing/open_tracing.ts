import type { Tracing } from './tracing.ts'

type Environment = Readonly<Record<string, string | undefined>>

const isOn = ({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, ...environment }: Environment): boolean =>
  OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  OTEL_TRACES_EXPORTER !== 'none' &&
  Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)

/**
 * OpenTelemetry, switched on and set by its own environment variables: an endpoint of OTLP over HTTP is enough. The
 * libraries are loaded then, and only then.
 */
export const openTracing = async (environment: Environment): Promise<Tracing | null> => {
  if (!isOn(environment)) return null
  const { openOtlpTracing } = await import('./otlp.ts')
  return openOtlpTracing()
}
