import { activeStates } from '../../packages/durable/actors/active_states.ts'
import type { Host } from '../../packages/durable/actors/host.ts'
import { toPlaceholders } from '../../packages/durable/store/statement.ts'
import { readAll } from '../../packages/durable/store/store.ts'
import { type Clock, isoTimestamp, wait } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { nameEvent } from '../verification/transactions/timeline.ts'
import type { InspectedStep } from './inspect/inspected.ts'
import { type JournalDeps, openJournal } from './inspect/journal.ts'

/** This node's commits are read at once, those of other nodes by polling. */
const pollMs = 50
/** How many of the newest transactions every page follows. */
const newest = 50

export interface LiveDeps extends JournalDeps {
  readonly clock: Clock
  readonly host: Pick<Host, 'subscribe'>
}

/** What one page follows. While the page reads nothing, nothing is read for it, so that a slow page takes no memory. */
export interface Follower {
  /** The steps since the last call, each actor's in order; waits for one, but not for long. */
  next(signal: AbortSignal): Promise<readonly InspectedStep[]>
  close(): void
}

/** Follows the newest transactions and those in `transaction_ids`, with earlier steps from `since` on. */
export function followJournal(
  { clock, host, ...journal }: LiveDeps,
  transaction_ids: readonly string[],
  since: number,
): Follower {
  const readers = [
    openJournal(journal, { newest }),
    ...(transaction_ids.length === 0 ? [] : [openJournal(journal, { transaction_ids })]),
  ]
  let woken = new AbortController()
  const unsubscribe = host.subscribe(() => woken.abort())
  let isFirst = true
  const read = async (): Promise<readonly InspectedStep[]> => {
    woken = new AbortController()
    const inspected = await Promise.all(readers.map(next => next()))
    // Later reads return everything new: clocks of other nodes may differ.
    const from = isFirst ? since : Number.NEGATIVE_INFINITY
    isFirst = false
    return inspected.flat().flatMap(one => (one.type === 'step' && one.occurred_at >= from ? [one] : []))
  }
  return {
    async next(signal) {
      const hasHistory = isFirst
      const steps = await read()
      if (steps.length === 0 && !hasHistory) await wait(clock, pollMs, AbortSignal.any([signal, woken.signal]))
      return steps
    },
    close: unsubscribe,
  }
}

const accountColumns = columnsOf('transactions', 'id', 'account_id')

/** The account of each transaction of some steps. */
export async function readAccounts(
  { store }: Pick<JournalDeps, 'store'>,
  steps: readonly InspectedStep[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(steps.map(({ actor }) => actor.parent_id ?? actor.id))]
  if (ids.length === 0) return new Map()
  const sql = `SELECT id, account_id FROM transactions WHERE id IN (${toPlaceholders(ids)})`
  return new Map(
    (await readAll(store, { sql, values: ids, columns: accountColumns })).map(row => [row.id, row.account_id]),
  )
}

const reviewState = 'submitted.PROCESSING.awaiting_review'

/** A step as a page learns of it. Nothing personal. */
export function viewStep(one: InspectedStep, accounts: ReadonlyMap<string, string>) {
  const { actor, sequence, occurred_at, event, step } = one
  const isTransaction = actor.parent_id === null
  const transaction_id = actor.parent_id ?? actor.id
  const { snapshot, status, done, context } = step
  const states = activeStates((snapshot as { readonly value?: unknown }).value)
  const { decision = null } = context as { readonly decision?: string | null }
  return {
    actor_type: isTransaction ? 'transaction' : 'delivery',
    id: actor.id,
    transaction_id,
    account_id: accounts.get(transaction_id) ?? null,
    sequence,
    occurred_at: isoTimestamp(occurred_at),
    ...nameEvent(event),
    status,
    decision: isTransaction && done ? (status === 'FAILED' ? 'UNDETERMINED' : decision) : null,
    awaiting_review: isTransaction && states.includes(reviewState),
    states,
  }
}
