import {
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
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

/** The context of a `traceparent` (W3C Trace Context): without a span where it is malformed, or there is none. */
function readContext(traceparent: string | null | undefined): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent: traceparent ?? '' })
}

function readLinks({ link }: SpanRequest): Link[] {
  const remote = trace.getSpanContext(readContext(link))
  return remote === undefined ? [] : [{ context: remote }]
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
      const parent = request.parent === undefined ? context.active() : readContext(request.parent)
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
      const carrier: { readonly traceparent?: string } = {}
      propagation.inject(context.active(), carrier)
      return carrier.traceparent ?? null
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
      propagation.disable()
      trace.disable()
    },
  }
}
