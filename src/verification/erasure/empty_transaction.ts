import {
  type ActorState,
  type Host,
  runAll,
  runLater,
  type Statement,
  type Store,
  selectAll,
  type Unit,
} from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import type { TransactionEvent } from '../../../machines/transaction.ts'
import { toApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import { erasedRows } from '../../features.ts'
import type { Captures } from '../captures/captures.ts'
import { deleteCaptureKey } from '../captures/delete_captures.ts'
import type { TransactionDefinition } from '../transactions/actor.ts'
import type { DeliveryConfig } from '../transactions/config.ts'
import { isTerminal } from '../transactions/definition.ts'
import { parseConfig } from '../transactions/rows.ts'

export interface ErasureContext {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  readonly definition: TransactionDefinition
  readonly captures: Pick<Captures, 'collect'>
  /** The key of rows' MACs. */
  readonly rowKey: Uint8Array
}

export const emptiedColumns = columnsOf('transactions', 'id', 'status', 'config', 'created_at')

export type EmptiedRow = RowOf<typeof emptiedColumns>

/** Deletes the stored responses of idempotent calls about a customer or a transaction. */
export function deleteKeptResponses(subject_id: string): Statement {
  return {
    sql: 'DELETE FROM idempotency_keys WHERE subject_id = ?',
    values: [subject_id],
  }
}

/** The configuration; null where it is damaged, which keeps no personal data from being erased. */
function readConfig(row: EmptiedRow): DeliveryConfig | null {
  try {
    return parseConfig(row)
  } catch (error) {
    if (toApiError(error)?.code === 'damaged') return null
    throw error
  }
}

/**
 * Ends an open transaction, which accepts no captures afterwards. Null if it had ended, and for a damaged one, which accepts
 * no call at all.
 */
export function* endTransaction({ host, definition }: ErasureContext, row: EmptiedRow): Unit<ActorState | null> {
  if (isTerminal(row.status) || readConfig(row) === null) return null
  const cancel: TransactionEvent = { type: 'CANCEL', by: 'erasure' }
  try {
    return yield* host.sendInTransaction(definition, row.id, cancel)
  } catch (error) {
    // Nothing is written before a snapshot is read.
    if (toApiError(error)?.code === 'damaged') return null
    throw error
  }
}

/** A receiver's response may name a person. One delivery at a time: with ids from a subquery MariaDB reads all attempts. */
function clearAnswers({ id }: { readonly id: string }): Statement {
  return {
    sql: 'UPDATE delivery_attempts SET answer = NULL, error = NULL WHERE delivery_id = ?',
    values: [id],
  }
}

/** Pending deliveries need the receiver's address and nothing else. */
function reduceConfig(row: EmptiedRow, hasDeliveries: boolean): string {
  const webhook = hasDeliveries ? (readConfig(row)?.webhook ?? null) : null
  return JSON.stringify({ webhook, test: null } satisfies DeliveryConfig)
}

/**
 * Empties an ended transaction except for its captures; returns how many stored responses it deleted. The row, the journal
 * and pending deliveries stay, because nothing in them is personal; no call finds the row afterwards.
 */
export function* emptyTransaction(
  { host, definition }: ErasureContext,
  row: EmptiedRow,
  erasure_id: string,
): Unit<number> {
  const id = row.id
  yield* host.appendToJournal(definition, id, { type: 'ERASE', by: 'erasure', erasure_id })
  const deliveries = yield* selectAll({
    sql: 'SELECT id FROM deliveries WHERE transaction_id = ?',
    values: [id],
    columns: columnsOf('deliveries', 'id'),
  })
  const [pending, responses] = yield* runAll([
    {
      sql: `SELECT id FROM deliveries WHERE transaction_id = ? AND status NOT IN ('DELIVERED', 'EXHAUSTED', 'GONE') LIMIT 1`,
      values: [id],
    },
    deleteKeptResponses(id),
    deleteCaptureKey(id),
    { sql: 'DELETE FROM transaction_issues WHERE transaction_id = ?', values: [id] },
    ...erasedRows.map(({ table, column }) => ({ sql: `DELETE FROM ${table} WHERE ${column} = ?`, values: [id] })),
    ...deliveries.map(clearAnswers),
  ])
  yield* runLater([
    {
      sql: `UPDATE transactions SET expected_data = NULL, result = NULL, trace = NULL, decision = NULL, reason = NULL, reference = NULL,
        reference_path = NULL, encrypted_reference = NULL, review_reason = NULL, review_template = NULL, country = NULL,
        origin_mac = NULL, outcome_mac = NULL, config = ?, erasure_id = ? WHERE id = ?`,
      values: [reduceConfig(row, pending?.rows[0] !== undefined), erasure_id, id],
    },
  ])
  return responses?.changed ?? 0
}
