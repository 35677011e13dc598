import type { Store, Unit } from 'durable-xstate-sql'
import type { StatementResult } from 'durable-xstate-sql/sql'
import type { Tracing } from './tracing.ts'

/** SQLite runs units of many callers in one turn: each runs in its own caller's span. */
function* bindUnit<T>(unit: () => Unit<T>, runWithin: ReturnType<Tracing['capture']>): Unit<T> {
  const started = runWithin(unit)
  let next = runWithin(() => started.next(undefined as unknown as readonly StatementResult[]))
  while (next.done !== true) {
    const { value } = next
    let outcomes: readonly StatementResult[]
    try {
      outcomes = yield value
    } catch (error) {
      next = runWithin(() => started.throw(error))
      continue
    }
    next = runWithin(() => started.next(outcomes))
  }
  return next.value
}

/** A store whose commits are spans, if there is a current span: polls make no traces. */
export function traceStore(store: Store, tracing: Tracing): Store {
  return {
    ...store,
    commit(unit, options) {
      if (tracing.traceparent() === null) return store.commit(unit, options)
      return tracing.span({ name: 'commit', kind: 'internal' }, () => {
        const runWithin = tracing.capture()
        return store.commit(() => bindUnit(unit, runWithin), options)
      })
    },
  }
}
