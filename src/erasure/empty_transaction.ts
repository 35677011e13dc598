import type { TransactionEvent } from '../../machines/transaction.ts'
import type { Clock } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import type { ActorState } from '../durable/actors/definition.ts'
import type { Host } from '../durable/actors/host.ts'
import type { RowOf } from '../durable/store/columns.ts'
import { runAll, runLater, type Statement, type Unit } from '../durable/store/statement.ts'
import type { Store } from '../durable/store/store.ts'
import type { TransactionDefinition } from '../transactions/actor.ts'
import type { TransactionConfig } from '../transactions/config.ts'
import { isTerminal } from '../transactions/definition.ts'

/** What erasing works with. */
export interface ErasureContext {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  /** The transactions' kind. */
  readonly definition: TransactionDefinition
}

/** What emptying a transaction needs to know of it. */
export const emptiedColumns = columnsOf('transactions', 'id', 'status', 'config', 'created_at')

/** A transaction that is emptied. */
export type EmptiedRow = RowOf<typeof emptiedColumns>

/** The answers kept for an `Idempotency-Key` that tell of a customer or a transaction. */
export const deleteKeptResponses = (subject_id: string): Statement => ({
  sql: 'DELETE FROM idempotency_keys WHERE subject_id = ?',
  values: [subject_id],
})

/** Ends an open transaction under its lock: no capture comes to it after that. Null where it had ended. */
export function* endTransaction({ host, definition: kind }: ErasureContext, row: EmptiedRow): Unit<ActorState | null> {
  const cancel: TransactionEvent = { type: 'CANCEL', by: 'erasure' }
  return isTerminal(row.status) ? null : yield* host.sendInTransaction(kind, row.id, cancel)
}

/** Deliveries that are still to be made need the receiver's address and nothing else. */
const reduceConfig = (row: EmptiedRow, has_deliveries: boolean): string => {
  const { webhook } = JSON.parse(row.config) as TransactionConfig
  return JSON.stringify({ webhook: has_deliveries ? webhook : null })
}

/**
 * Empties an ended transaction, but for its captures; returns how many kept answers told of it. Its row, its journal and
 * what its integrator is still to be notified of stay, as nothing in them is personal; no call finds the row any more.
 */
export function* emptyTransaction({ host, definition: kind }: ErasureContext, row: EmptiedRow, erasure_id: string): Unit<number> {
  const id = row.id
  yield* host.appendToJournal(kind, id, { type: 'ERASE', by: 'erasure', erasure_id })
  const [deliveries, answers] = yield* runAll([
    {
      sql: 'SELECT u.id FROM scheduled_jobs u JOIN deliveries d ON d.id = u.actor_id WHERE d.transaction_id = ? LIMIT 1',
      values: [id],
    },
    deleteKeptResponses(id),
    {
      // What a receiver answered may name somebody.
      sql: `UPDATE delivery_attempts SET answer = NULL, error = NULL
        WHERE delivery_id IN (SELECT id FROM deliveries WHERE transaction_id = ?)`,
      values: [id],
    },
  ])
  yield* runLater([
    {
      sql: `UPDATE transactions SET expected_data = NULL, result = NULL, trace = NULL, decision = NULL, reference = NULL,
        sealed_reference = NULL, config = ?, erasure_id = ? WHERE id = ?`,
      values: [reduceConfig(row, deliveries?.rows[0] !== undefined), erasure_id, id],
    },
  ])
  return answers?.changed ?? 0
}
