import type { Host, Store } from 'durable-xstate-sql'
import type { TransactionContext } from '../../../machines/transaction.ts'
import { asError } from '../../base/api_error.ts'
import type { Log } from '../../base/log.ts'
import type { Captures } from '../captures/captures.ts'

export interface ForgettingDeps {
  readonly host: Pick<Host, 'subscribe'>
  readonly store: Pick<Store, 'scrub'>
  readonly captures: Pick<Captures, 'collect'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * The commit that ends an AGE transaction deletes what was captured. This deletes at once what lies outside of its rows, and
 * clears the database's log, which still has the pages as they were before. Those of one moment share a turn.
 */
export function forgetAges({ host, store, captures, log }: ForgettingDeps): void {
  let isRunning = false
  let isWanted = false
  const forget = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await captures.collect()
      await store.scrub()
    }
  }
  host.subscribe(({ actor_type, step }) => {
    const { transaction_type } = step.context as Partial<TransactionContext>
    if (actor_type !== 'transaction' || !step.done || transaction_type !== 'AGE') return
    isWanted = true
    if (isRunning) return
    forget()
      .catch(error => log.warn({ error: asError(error).message }, 'what an AGE transaction left is deleted later'))
      .finally(() => {
        isRunning = false
      })
  })
}
