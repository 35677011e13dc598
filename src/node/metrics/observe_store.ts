import type { Store } from 'durable-xstate-sql'
import { isUnavailable } from 'durable-xstate-sql/sql'
import type { Metrics, StatementOutcome } from './metrics.ts'

function toOutcome(error: unknown): StatementOutcome {
  return isUnavailable(error) ? 'unavailable' : 'rejected'
}

/** A store whose commits and reads are counted and timed. */
export function observeStore(store: Store, metrics: Pick<Metrics, 'beginStatement'>): Store {
  const observe = async <T>(operation: 'commit' | 'read', run: () => Promise<T>): Promise<T> => {
    const end = metrics.beginStatement(operation)
    try {
      const result = await run()
      end('ok')
      return result
    } catch (error) {
      end(toOutcome(error))
      throw error
    }
  }
  return {
    ...store,
    commit: (unit, options) => observe('commit', () => store.commit(unit, options)),
    read: statement => observe('read', () => store.read(statement)),
  }
}
