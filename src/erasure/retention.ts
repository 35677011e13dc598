import { type ColumnsOf, columnsOf, insert } from '../database/schema.ts'
import { all, first, type Query, run, runAll, type Unit } from '../durable/store/statement.ts'
import type { Store } from '../durable/store/store.ts'

/** Rows that one commit of a sweep removes at most, so that it holds nobody up. */
export const sweepLimit = 100

const terminalStatuses = `('FINISHED', 'FAILED', 'EXPIRED')`

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/**
 * Images of ended transactions, and what tells copies of them, that were taken before an instant. What the device told (`facts`, `signals`) is part of
 * the result and stays as long as that: by their kinds the index passes over it, however much of it there is.
 */
export const selectOldImages = (before: number): Query<Pick<ColumnsOf<'captures'>, 'id'>> => ({
  sql: `SELECT c.id FROM captures c JOIN transactions t ON t.id = c.transaction_id
    WHERE c.kind IN ('document_front', 'document_back', 'selfie', 'liveness', 'imprints') AND c.created_at < ? AND t.status IN ${terminalStatuses}
    LIMIT ${sweepLimit}`,
  values: [before],
  columns: columnsOf('captures', 'id'),
})

/** Removes images of ended transactions that were taken before an instant; resolves with how many. */
export const sweepCaptures = (store: Store, before: number): Promise<number> =>
  store.commit(function* (): Unit<number> {
    const ids = (yield* all(selectOldImages(before))).map(row => row.id)
    if (ids.length > 0) yield* run({ sql: `DELETE FROM captures WHERE id IN (${marks(ids)})`, values: ids })
    return ids.length
  })

/** Removes ended transactions that were opened before an instant, with all that is theirs; resolves with how many. */
export const sweepTransactions = (store: Store, before: number): Promise<number> =>
  store.commit(function* (): Unit<number> {
    const rows = yield* all({
      sql: `SELECT t.id FROM accounts a JOIN transactions t ON t.account_id = a.id
        WHERE t.created_at < ? AND t.status IN ${terminalStatuses} LIMIT ${sweepLimit}`,
      values: [before],
      columns: columnsOf('transactions', 'id'),
    })
    const ids = rows.map(row => row.id)
    if (ids.length === 0) return 0
    const of = `IN (${marks(ids)})`
    const theirs = `IN (SELECT id FROM deliveries WHERE transaction_id ${of})`
    const removals = [
      `DELETE FROM captures WHERE transaction_id ${of}`,
      `DELETE FROM scheduled_jobs WHERE actor_id ${theirs}`,
      `DELETE FROM journal WHERE actor_id ${theirs}`,
      `DELETE FROM delivery_attempts WHERE delivery_id ${theirs}`,
      `DELETE FROM deliveries WHERE transaction_id ${of}`,
      `DELETE FROM journal WHERE actor_id ${of}`,
      `DELETE FROM idempotency_keys WHERE subject_id ${of}`,
      `DELETE FROM transactions WHERE id ${of}`,
    ]
    yield* runAll(removals.map(sql => ({ sql, values: ids })))
    return ids.length
  })

const factName = 'retention_sweep'

/** Whose turn it is to sweep, and when there is a next one. */
export interface SweepClaim {
  readonly isMine: boolean
  readonly nextAt: number
}

/**
 * Takes the turn to sweep, which comes round every `interval_ms`: of several nodes one gets it. One that dies in its
 * turn leaves what it did not do to the next.
 */
export const claimSweep = async (store: Store, now: number, interval_ms: number): Promise<SweepClaim> => {
  const next_at = now + interval_ms
  // A turn that is further off was taken by a clock that was ahead: for as long as that was, nobody would sweep.
  const isAhead = (at: number): boolean => at > now && at <= next_at
  const unit = function* (): Unit<SweepClaim> {
    const sql = `SELECT value FROM facts WHERE name = ?${store.dialect.forUpdate}`
    const row = yield* first({ sql, values: [factName], columns: columnsOf('facts', 'value') })
    if (row === null) yield* run(insert('facts', { name: factName, value: String(next_at) }))
    else if (isAhead(Number(row.value))) return { isMine: false, nextAt: Number(row.value) }
    else yield* run({ sql: 'UPDATE facts SET value = ? WHERE name = ?', values: [String(next_at), factName] })
    return { isMine: true, nextAt: next_at }
  }
  try {
    return await store.commit(unit)
  } catch (error) {
    if (!store.dialect.isDuplicate(error)) throw error
    return { isMine: false, nextAt: next_at }
  }
}
