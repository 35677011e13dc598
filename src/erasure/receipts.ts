import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { listOf, type RowOf } from '../durable/store/columns.ts'
import type { Statement } from '../durable/store/statement.ts'
import { readFirst, type Store } from '../durable/store/store.ts'

/** What an erasure is of. */
export type ErasureSubject = 'customer' | 'transaction'

/** What an erasure found and removed. */
export interface ErasureCounts {
  readonly transactions: number
  /** Of these, how many were open and ended as FAILED/CANCELLED by it. */
  readonly cancelled: number
  readonly captures: number
  readonly faces: number
  /** Answers that were kept for an `Idempotency-Key`. */
  readonly answers: number
}

/** Of nothing. */
export const noCounts: ErasureCounts = { transactions: 0, cancelled: 0, captures: 0, faces: 0, answers: 0 }

/** What was erased, and what was erased after it. */
export const addCounts = (counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts => ({
  transactions: counts.transactions + (more.transactions ?? 0),
  cancelled: counts.cancelled + (more.cancelled ?? 0),
  captures: counts.captures + (more.captures ?? 0),
  faces: counts.faces + (more.faces ?? 0),
  answers: counts.answers + (more.answers ?? 0),
})

/** What remains of what was erased: that it was, when, and by whom. */
export interface ErasureReceipt {
  readonly erasure_id: string
  readonly subject: ErasureSubject
  readonly subject_id: string
  readonly erased_at: string
  /** When the last of it was gone; null while something is left to erase, which no call reaches any more. */
  readonly completed_at: string | null
  /** The client of the account, or `command_line`. */
  readonly erased_by: string
  /** What was found and removed so far. */
  readonly counts: ErasureCounts
}

/** An erasure that begins. `erased_at` in epoch milliseconds. */
export interface NewErasure extends Omit<ErasureReceipt, 'erased_at' | 'completed_at'> {
  readonly account_id: string
  readonly erased_at: number
}

/** The row of an erasure that begins. */
export const insertErasure = ({ erasure_id, counts, ...erasure }: NewErasure): Statement =>
  insert('erasures', { id: erasure_id, ...erasure, counts: JSON.stringify(counts) })

const columns = {
  ...columnsOf('erasures', 'id', 'subject', 'subject_id', 'erased_at', 'completed_at'),
  ...columnsOf('erasures', 'erased_by', 'counts'),
} as const

const toReceipt = (row: RowOf<typeof columns>): ErasureReceipt => ({
  erasure_id: row.id,
  subject: row.subject as ErasureSubject,
  subject_id: row.subject_id,
  erased_at: isoTimestamp(row.erased_at),
  completed_at: row.completed_at === null ? null : isoTimestamp(row.completed_at),
  erased_by: row.erased_by,
  counts: JSON.parse(row.counts) as ErasureCounts,
})

/** A transaction may be erased with its customer, whose erasure may not have come to it yet. */
const orWithCustomer = `OR id = (SELECT COALESCE(t.erasure_id, e.id) FROM transactions t
  LEFT JOIN erasures e ON e.account_id = t.account_id AND e.subject_id = t.customer_id
  WHERE t.id = ? AND t.account_id = ?)`

/** The receipt of what an account erased, or null. */
export const findReceipt = async (
  store: Store,
  subject: ErasureSubject,
  account_id: string,
  subject_id: string,
): Promise<ErasureReceipt | null> => {
  const is_transaction = subject === 'transaction'
  const sql = `SELECT ${listOf(columns)} FROM erasures
    WHERE account_id = ? AND ((subject_id = ? AND subject = ?) ${is_transaction ? orWithCustomer : ''})`
  const values = [account_id, subject_id, subject, ...(is_transaction ? [subject_id, account_id] : [])]
  const row = await readFirst(store, { sql, values, columns })
  return row === null ? null : toReceipt(row)
}

/** A receipt by its own id. @throws {ApiError} `not_found` */
export const readReceipt = async (store: Store, account_id: string, erasure_id: string): Promise<ErasureReceipt> => {
  const sql = `SELECT ${listOf(columns)} FROM erasures WHERE account_id = ? AND id = ?`
  const row = await readFirst(store, { sql, values: [account_id, erasure_id], columns })
  if (row === null) throw new ApiError('not_found', 'erasure_id: not found')
  return toReceipt(row)
}
