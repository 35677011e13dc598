import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import { asError } from '../../base/api_error.ts'
import { type Clock, wait } from '../../base/clock.ts'
import { version } from '../../base/version.ts'
import type { OpenSpan, SpanRequest, Tracing } from './tracing.ts'

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanRequest['kind'], SpanKind>

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** A remote span; null for a malformed `traceparent`. */
function readTraceparent(text: string | null | undefined) {
  const [, traceId = '', spanId = '', flags = '00'] = pattern.exec(text ?? '') ?? []
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
  return isSpanContextValid(remote) ? remote : null
}

function readParent({ parent }: SpanRequest): Context {
  if (parent === undefined) return context.active()
  const remote = readTraceparent(parent)
  return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
}

function readLinks({ link }: SpanRequest): Link[] {
  const remote = readTraceparent(link)
  return remote === null ? [] : [{ context: remote }]
}

function toOpenSpan(span: Span): OpenSpan {
  return {
    rename: name => void span.updateName(name),
    set: attributes => void span.setAttributes({ ...attributes }),
    fail: message => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
  }
}

/** Calls `report` at each change between a collector that takes spans and one that doesn't. */
function watchExport(exporter: SpanExporter, report: (fault: string | null) => void): SpanExporter {
  let hasFailed = false
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        // ExportResultCode.SUCCESS of `@opentelemetry/core`, which is no dependency of its own.
        const fails = result.code !== 0
        if (fails !== hasFailed) report(fails ? (result.error?.message ?? 'no reason given') : null)
        hasFailed = fails
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** A collector that is away must not hold up a stop for its own ten seconds. */
const maxStopMs = 2000

/** The endpoint, its headers, the sampler, the service's name and the batches are read from the environment by the SDK. */
export function openOtlpTracing(clock: Clock): Tracing {
  let report: (fault: string | null) => void = () => {}
  const named = resourceFromAttributes({ 'service.name': 'attestor', 'service.version': version })
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(watchExport(new OTLPTraceExporter(), fault => report(fault)))],
  })
  provider.register()
  const tracer = trace.getTracer('attestor', version)
  return {
    async span(request, work) {
      const { name, kind, attributes = {} } = request
      const parent = readParent(request)
      const options = { kind: kinds[kind], attributes: { ...attributes }, links: readLinks(request) }
      const span = tracer.startSpan(name, options, parent)
      const open = toOpenSpan(span)
      try {
        return await context.with(trace.setSpan(parent, span), () => work(open))
      } catch (error) {
        open.fail(asError(error).name)
        throw error
      } finally {
        span.end()
      }
    },
    traceparent() {
      const current = trace.getActiveSpan()?.spanContext()
      if (current === undefined || !isSpanContextValid(current)) return null
      return `00-${current.traceId}-${current.spanId}-${current.traceFlags.toString(16).padStart(2, '0')}`
    },
    logFields() {
      const current = trace.getActiveSpan()?.spanContext()
      return current === undefined ? {} : { trace_id: current.traceId, span_id: current.spanId }
    },
    capture() {
      const captured = context.active()
      return work => context.with(captured, work)
    },
    watch(next) {
      report = next
    },
    async stop() {
      // Its failure was reported.
      await Promise.race([provider.shutdown().catch(() => {}), wait(clock, maxStopMs)])
      context.disable()
      trace.disable()
    },
  }
}
