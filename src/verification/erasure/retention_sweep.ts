import { createAlarm } from '../../../packages/durable/jobs/alarm.ts'
import type { Store } from '../../../packages/durable/store/store.ts'
import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { claimSweep, type SweepProgress, sweepCaptures, sweepTransactions } from './retention.ts'

/** 0 keeps for ever. */
export interface RetentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly capturesMs: number
  readonly transactionsMs: number
  /** For the audit log: how long it is kept, and the function that removes some of its oldest entries. */
  readonly auditMs: number
  readonly removeAudit: (until: number) => Promise<number>
}

export interface Retention {
  /** Resolves when no sweep is running. */
  idle(): Promise<void>
  stop(): Promise<void>
}

const intervalMs = 3_600_000
const retryMs = 60_000

/** Deletes expired captures, transactions and audit entries, once an hour on one of the nodes, a bounded number of rows per commit. */
export function startRetention(deps: RetentionDeps): Retention {
  const { store, clock, log, capturesMs, transactionsMs, auditMs } = deps
  let stopping = false
  let sweeping: Promise<void> = Promise.resolve()

  const sweepAll = async (sweep: typeof sweepTransactions, ageMs: number): Promise<number> => {
    let removed = 0
    let progress: SweepProgress = { removed: 0, more: ageMs > 0, after: '' }
    while (progress.more && !stopping) {
      progress = await sweep(store, clock.now() - ageMs, progress.after)
      removed += progress.removed
    }
    return removed
  }
  const removeOldAudit = async (): Promise<number> => {
    let removed = 0
    for (let last = 1; auditMs > 0 && last > 0 && !stopping; removed += last)
      last = await deps.removeAudit(clock.now() - auditMs)
    return removed
  }
  const sweepIfDue = async (): Promise<void> => {
    const { isMine, nextAt } = await claimSweep(store, clock.now(), intervalMs)
    alarm.setAt(nextAt)
    if (!isMine) return
    const captures = await sweepAll(sweepCaptures, capturesMs)
    const transactions = await sweepAll(sweepTransactions, transactionsMs)
    const audit = await removeOldAudit()
    if (captures + transactions + audit === 0) return
    await store.scrub()
    log.info({ captures, transactions, audit }, 'deleted what is older than the retention period')
  }
  const startSweep = (): void => {
    if (stopping) return
    sweeping = sweepIfDue().catch(error => {
      log.error({ error: asError(error).message }, 'a retention sweep failed')
      alarm.setAt(clock.now() + retryMs)
    })
  }
  const alarm = createAlarm(clock, startSweep)
  if (capturesMs + transactionsMs + auditMs > 0) startSweep()
  return {
    idle: () => sweeping,
    async stop() {
      stopping = true
      alarm.unset()
      await sweeping
      alarm.unset()
    },
  }
}
