/** W3C Trace Context: `traceparent`. */
type Traceparent = string

export interface SpanRequest {
  readonly name: string
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  /** Nothing personal: ids, routes, statuses. */
  readonly attributes?: Attributes
  /** Its parent, if that is not the current span, because it came through the database. */
  readonly parent?: Traceparent | null
  /** A related span that is not its parent. */
  readonly link?: Traceparent | null
}

type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span while its work runs. */
export interface OpenSpan {
  rename(name: string): void
  set(attributes: Attributes): void
  /** Marks it as failed. */
  fail(message: string): void
}

/** Traces of one node. With tracing off there is none, and nothing is loaded for it. */
export interface Tracing {
  /** Runs `work` in a span; an error that it throws is the span's. */
  span<T>(request: SpanRequest, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The current span, for work that continues it later; null outside a span. */
  traceparent(): Traceparent | null
  /** The ids of the current span, for the log. */
  logFields(): { readonly trace_id?: string; readonly span_id?: string }
  /** Remembers the current span; the returned function runs work within it. */
  capture(): <R>(work: () => R) => R
  /** Calls `report` when the collector stops taking spans, with the reason, and with null when it takes them again. */
  watch(report: (fault: string | null) => void): void
  /** Sends the remaining spans, if the collector takes them within two seconds. */
  stop(): Promise<void>
}
