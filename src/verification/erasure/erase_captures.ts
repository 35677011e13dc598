import { type ActorState, runAll, selectAll, type Unit } from 'durable-xstate-sql'
import { findsRow } from 'durable-xstate-sql/sql'
import { columnsOf, type TableRow } from '../../database/schema.ts'
import { deleteCapturesById } from '../captures/delete_captures.ts'
import { addCounts, type ErasureCounts } from './receipts.ts'

/** A long commit would block others. */
export const maxCaptureBytesPerCommit = 4 * 2 ** 20
const maxCapturesPerCommit = 100

/** The state of one commit. */
export interface ErasureWork {
  bytes_left: number
  counts: ErasureCounts
  readonly ended: ActorState[]
}

/** Deletes captures of an ended transaction; false if some are left for the next commit. */
export function* removeCaptures(work: ErasureWork, transaction_id: string): Unit<boolean> {
  const sql = `SELECT id, byte_count FROM captures WHERE transaction_id = ? ORDER BY id LIMIT ${maxCapturesPerCommit}`
  const rows = yield* selectAll({ sql, values: [transaction_id], columns: columnsOf('captures', 'id', 'byte_count') })
  const ids: string[] = []
  for (const row of rows) {
    if (work.bytes_left <= 0) break
    work.bytes_left -= row.byte_count
    ids.push(row.id)
  }
  if (ids.length > 0) {
    const captures = (yield* runAll(deleteCapturesById(ids))).at(-1)?.changed ?? 0
    work.counts = addCounts(work.counts, { captures })
  }
  return ids.length === rows.length && rows.length < maxCapturesPerCommit
}

/** Whether objects of the erased subject wait for their deletion. */
export function hasObjects({
  subject,
  subject_id,
}: Pick<TableRow<'erasures'>, 'subject' | 'subject_id'>): Unit<boolean> {
  return findsRow(
    subject === 'customer'
      ? {
          sql: `SELECT r.capture_id FROM transactions t JOIN object_removals r ON r.transaction_id = t.id
            WHERE t.customer_id = ? LIMIT 1`,
          values: [subject_id],
        }
      : {
          sql: 'SELECT capture_id FROM object_removals WHERE transaction_id = ? LIMIT 1',
          values: [subject_id],
        },
  )
}
