import { deleteCaptures, deleteCapturesById } from '../captures/delete_captures.ts'
import { type ColumnsOf, columnsOf, insert } from '../database/schema.ts'
import { type Query, run, runAll, selectAll, selectFirst, type Unit } from '../durable/store/statement.ts'
import type { Store } from '../durable/store/store.ts'

/** Rows of one commit, so that it does not block others for long. */
export const sweepLimit = 100

const terminalStatuses = `('FINISHED', 'FAILED', 'EXPIRED')`

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/**
 * Selects images of ended transactions, and what was found in them, that were stored before `before`. What the
 * device reported (`facts`, `signals`) is part of the result and stays with it. Naming the kinds lets the index skip it.
 */
export const selectOldImages = (before: number): Query<Pick<ColumnsOf<'captures'>, 'id'>> => ({
  sql: `SELECT c.id FROM captures c JOIN transactions t ON t.id = c.transaction_id
    WHERE c.kind IN ('document_front', 'document_back', 'selfie', 'liveness', 'fingerprints', 'findings')
      AND c.created_at < ? AND t.status IN ${terminalStatuses}
    LIMIT ${sweepLimit}`,
  values: [before],
  columns: columnsOf('captures', 'id'),
})

/** Deletes what `selectOldImages` selects; resolves with the number of rows. */
export const sweepCaptures = (store: Store, before: number): Promise<number> =>
  store.commit(function* (): Unit<number> {
    const ids = (yield* selectAll(selectOldImages(before))).map(row => row.id)
    yield* runAll(deleteCapturesById(ids))
    return ids.length
  })

/** Deletes ended transactions that were opened before `before`, with everything that belongs to them; resolves with their number. */
export const sweepTransactions = (store: Store, before: number): Promise<number> =>
  store.commit(function* (): Unit<number> {
    const rows = yield* selectAll({
      sql: `SELECT t.id FROM accounts a JOIN transactions t ON t.account_id = a.id
        WHERE t.created_at < ? AND t.status IN ${terminalStatuses} LIMIT ${sweepLimit}`,
      values: [before],
      columns: columnsOf('transactions', 'id'),
    })
    const ids = rows.map(row => row.id)
    if (ids.length === 0) return 0
    const inTransactions = `IN (${marks(ids)})`
    const inDeliveries = `IN (SELECT id FROM deliveries WHERE transaction_id ${inTransactions})`
    const removals = [
      `DELETE FROM handoffs WHERE transaction_id ${inTransactions}`,
      `DELETE FROM scheduled_jobs WHERE actor_id ${inDeliveries}`,
      `DELETE FROM delivery_attempts WHERE delivery_id ${inDeliveries}`,
      `DELETE FROM deliveries WHERE transaction_id ${inTransactions}`,
      `DELETE FROM journal WHERE actor_id ${inTransactions}`,
      `DELETE FROM idempotency_keys WHERE subject_id ${inTransactions}`,
      `DELETE FROM transactions WHERE id ${inTransactions}`,
    ]
    yield* runAll([
      ...deleteCaptures({ sql: `transaction_id ${inTransactions}`, values: ids }),
      ...removals.map(sql => ({ sql, values: ids })),
    ])
    return ids.length
  })

const factName = 'retention_sweep'

/** Whether this node sweeps now, and when the next sweep is due. */
export interface SweepClaim {
  readonly isMine: boolean
  readonly nextAt: number
}

/** Claims the sweep that is due every `intervalMs`: one of several nodes gets it. If it dies, the next sweep continues. */
export const claimSweep = async (store: Store, now: number, intervalMs: number): Promise<SweepClaim> => {
  const nextAt = now + intervalMs
  // A time further in the future was written by a clock that was ahead. It must not prevent sweeps until then.
  const isAhead = (at: number): boolean => at > now && at <= nextAt
  const unit = function* (): Unit<SweepClaim> {
    const sql = `SELECT value FROM facts WHERE name = ?${store.dialect.forUpdate}`
    const row = yield* selectFirst({ sql, values: [factName], columns: columnsOf('facts', 'value') })
    if (row === null) yield* run(insert('facts', { name: factName, value: String(nextAt) }))
    else if (isAhead(Number(row.value))) return { isMine: false, nextAt: Number(row.value) }
    else yield* run({ sql: 'UPDATE facts SET value = ? WHERE name = ?', values: [String(nextAt), factName] })
    return { isMine: true, nextAt }
  }
  try {
    return await store.commit(unit)
  } catch (error) {
    if (!store.dialect.isDuplicate(error)) throw error
    return { isMine: false, nextAt }
  }
}
