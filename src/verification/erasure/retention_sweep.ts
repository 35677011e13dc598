import type { Store } from 'durable-xstate-sql'
import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { type Repeated, repeat } from '../../base/time.ts'
import { claimSweep, type SweepProgress, sweepCaptures, sweepTransactions } from './retention.ts'

/** 0 keeps for ever. */
export interface RetentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly capturesMs: number
  readonly transactionsMs: number
  /**
   * Limits of the audit log: the time for which it is kept, and the function that removes some of its oldest entries.
   */
  readonly auditMs: number
  readonly removeAudit: (until: number) => Promise<number>
}

const intervalMs = 3_600_000
const retryMs = 60_000

/** Deletes expired captures, transactions and audit entries, once an hour on one of the nodes, a bounded number of rows per commit. */
export function startRetention(deps: RetentionDeps): Repeated {
  const { store, clock, log, capturesMs, transactionsMs, auditMs } = deps
  const sweepAll = async (sweep: typeof sweepTransactions, ageMs: number, signal: AbortSignal): Promise<number> => {
    let removed = 0
    let progress: SweepProgress = { removed: 0, more: ageMs > 0, after: '' }
    while (progress.more && !signal.aborted) {
      progress = await sweep(store, clock.now() - ageMs, progress.after)
      removed += progress.removed
    }
    return removed
  }
  const removeOldAudit = async (signal: AbortSignal): Promise<number> => {
    let removed = 0
    for (let last = 1; auditMs > 0 && last > 0 && !signal.aborted; removed += last)
      last = await deps.removeAudit(clock.now() - auditMs)
    return removed
  }
  const sweepIfDue = async (signal: AbortSignal): Promise<number> => {
    const { isMine, nextAt } = await claimSweep(store, clock.now(), intervalMs)
    if (isMine) {
      const captures = await sweepAll(sweepCaptures, capturesMs, signal)
      const transactions = await sweepAll(sweepTransactions, transactionsMs, signal)
      const audit = await removeOldAudit(signal)
      if (captures + transactions + audit > 0) {
        await store.scrub()
        log.info({ captures, transactions, audit }, 'deleted what is older than the retention period')
      }
    }
    return Math.max(0, nextAt - clock.now())
  }
  return repeat(clock, async signal => {
    if (capturesMs + transactionsMs + auditMs === 0) return null
    try {
      return await sweepIfDue(signal)
    } catch (error) {
      log.error({ error: asError(error).message }, 'a retention sweep failed')
      return retryMs
    }
  })
}
