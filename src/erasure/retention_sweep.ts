import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createAlarm } from '../durable/jobs/alarm.ts'
import type { Store } from '../durable/store/store.ts'
import { sweepLimit, sweepCaptures, sweepTransactions, claimSweep } from './retention.ts'

/** What retention works with. Ages in milliseconds; 0 keeps for ever. */
export interface RetentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly capturesMs: number
  readonly transactionsMs: number
}

/** The sweeping of one node. */
export interface Retention {
  /** Resolves when no sweep is under way. */
  idle(): Promise<void>
  stop(): Promise<void>
}

const intervalMs = 3_600_000
const retryMs = 60_000

/** Removes what has been kept long enough, once an hour on one of the nodes, a bounded number of rows in a commit. */
export const startRetention = ({ store, clock, log, capturesMs: captures_ms, transactionsMs: transactions_ms }: RetentionDeps): Retention => {
  let stopping = false
  let sweeping: Promise<void> = Promise.resolve()

  const sweepAll = async (sweep: typeof sweepCaptures, age_ms: number): Promise<number> => {
    let removed = 0
    for (let last = sweepLimit; age_ms > 0 && last === sweepLimit && !stopping; removed += last)
      last = await sweep(store, clock.now() - age_ms)
    return removed
  }
  const sweepInTurn = async (): Promise<void> => {
    const { isMine: is_mine, nextAt: next_at } = await claimSweep(store, clock.now(), intervalMs)
    alarm.setAt(next_at)
    if (!is_mine) return
    const captures = await sweepAll(sweepCaptures, captures_ms)
    const transactions = await sweepAll(sweepTransactions, transactions_ms)
    if (captures + transactions === 0) return
    await store.scrub()
    log.info({ captures, transactions }, 'what was kept long enough is removed')
  }
  const look = (): void => {
    if (stopping) return
    sweeping = sweepInTurn().catch(error => {
      log.error({ error: asError(error).message }, 'a retention sweep failed')
      alarm.setAt(clock.now() + retryMs)
    })
  }
  const alarm = createAlarm(clock, look)
  if (captures_ms + transactions_ms > 0) look()
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
