/** W3C Trace Context: `traceparent`. */
export type Traceparent = string

export interface SpanRequest {
  readonly name: string
  readonly kind: 'server' | 'client' | 'consumer' | 'internal'
  /** Nothing personal: ids, routes, statuses. */
  readonly attributes?: Attributes
  /** What it is part of, where that is not the current span: it crossed the database. */
  readonly parent?: Traceparent | null
  /** What it has to do with, without being part of it. */
  readonly link?: Traceparent | null
}

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span while its work runs. */
export interface OpenSpan {
  rename(name: string): void
  set(attributes: Attributes): void
  /** Marks it as failed. */
  fail(message: string): void
}

/** Traces of one node. Where tracing is off there is none, and nothing is loaded for it. */
export interface Tracing {
  /** Runs `work` in a span; an error that it throws is the span's. */
  span<T>(request: SpanRequest, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** The current span, for work that continues it later; null outside a span. */
  traceparent(): Traceparent | null
  /** The ids of the current span, for the log. */
  logFields(): { readonly trace_id?: string; readonly span_id?: string }
  /** Remembers the current span; what is run by the returned function is within it. */
  capture(): <R>(work: () => R) => R
  /** Sends what is left. */
  stop(): Promise<void>
}
