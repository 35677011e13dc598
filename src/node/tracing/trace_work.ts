import type { AnalysisEngine } from '@attestor/vision'
import type { WorkerDeps } from 'durable-xstate-sql'
import type { Middleware } from 'koa'
import type { Tracing } from './tracing.ts'

/**
 * Makes each call a trace of its own. A caller's `traceparent` is linked and not followed: a caller must not choose the
 * sampled calls, nor the trace that they belong to.
 */
export function traceCalls(tracing: Tracing): Middleware {
  return (ctx, next) => {
    const { method } = ctx
    const request = { name: method, kind: 'server', parent: null, link: ctx.get('traceparent') } as const
    return tracing.span({ ...request, attributes: { 'http.request.method': method } }, async span => {
      await next()
      // koa-router's own: the pattern that matched.
      const route = Reflect.get(ctx, '_matchedRoute')
      span.set({ 'http.response.status_code': ctx.status, ...(route && { 'http.route': String(route) }) })
      if (route !== undefined) span.rename(`${method} ${String(route)}`)
      if (ctx.status >= 500) span.fail(String(ctx.status))
    })
  }
}

/** A job, with its result, continues the trace that created it. */
export function traceJobs(tracing: Tracing): NonNullable<WorkerDeps['around']> {
  return (job, work) => {
    const { queue, name, actor_type, actor_id, claims, traceparent } = job
    const attributes = { queue, job: name, actor_type, actor_id, claims }
    const kind = queue === 'attempt' ? 'client' : 'consumer'
    return tracing.span({ name: `job ${queue}`, kind, parent: traceparent, attributes }, work)
  }
}

/** An engine whose analyses are spans, with the milliseconds of each stage. */
export function traceEngine(engine: AnalysisEngine, tracing: Tracing): AnalysisEngine {
  return {
    ...engine,
    analyse: (request, signal) =>
      tracing.span({ name: 'analyse', kind: 'internal' }, async span => {
        const findings = await engine.analyse(request, signal)
        const stages = Object.entries(findings.stages).map(([stage, ms]) => [`stage.${stage}_ms`, ms] as const)
        span.set(Object.fromEntries(stages))
        return findings
      }),
  }
}
