import { selectAll, type Unit } from 'durable-xstate-sql'
import { minPrefix } from '../database/prefix_path.ts'
import { columnsOf } from '../database/schema.ts'
import type { HttpDeps } from '../http/deps.ts'
import { appendAudit } from '../identity/operators/audit.ts'
import type { OperatorCaller } from '../identity/operators/sessions.ts'
import { hashReference } from '../verification/transactions/reference.ts'
import type { SearchPlan, TransactionSearch } from './find_transactions.ts'

/** A list reads its search again whenever something changes: the same search is recorded once in this time, in milliseconds. */
const searchMs = 10 * 60_000
/** Entries of the operator that are looked at for the same search. */
const maxLooked = 100

/**
 * Records that an operator looked for people by how a reference or an external id begins, whether or not one was found: who
 * tries prefixes one by one reads a reference so. The entry has no text, but its HMAC.
 */
export async function recordSearch(
  { operators, transactions }: Pick<HttpDeps, 'operators' | 'transactions'>,
  caller: OperatorCaller,
  { q, account_id }: TransactionSearch,
  { by }: SearchPlan,
): Promise<void> {
  if (q === null || [...q].length < minPrefix || (by !== 'ids' && by !== 'lists')) return
  const { store, clock } = operators
  const now = clock.now()
  const details = { text_hash: hashReference(transactions.referenceKey, account_id ?? 'all', q) }
  const event = { action: 'people_searched', account_id, details } as const
  await store.commit(function* (): Unit<void> {
    const latest = yield* selectAll({
      sql: `SELECT action, details, occurred_at FROM audit WHERE operator_id = ? ORDER BY sequence DESC LIMIT ${maxLooked}`,
      values: [caller.operator_id],
      columns: columnsOf('audit', 'action', 'details', 'occurred_at'),
    })
    const isRecorded = latest.some(
      one => one.action === event.action && one.details === JSON.stringify(details) && one.occurred_at > now - searchMs,
    )
    if (!isRecorded) yield* appendAudit(store, now, caller, event)
  })
}
