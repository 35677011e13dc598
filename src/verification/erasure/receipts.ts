import { readFirst, type Statement, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp, toTimestamp } from '../../base/clock.ts'
import { columnsOf, insert } from '../../database/schema.ts'

export type ErasureSubject = 'customer' | 'transaction'

export interface ErasureCounts {
  readonly transactions: number
  /** Number of the transactions that were open: the erasure ended them as FAILED/CANCELLED. */
  readonly cancelled: number
  readonly captures: number
  readonly faces: number
  /** Stored responses of idempotent calls. */
  readonly answers: number
}

export const noCounts: ErasureCounts = { transactions: 0, cancelled: 0, captures: 0, faces: 0, answers: 0 }

export function addCounts(counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts {
  return {
    transactions: counts.transactions + (more.transactions ?? 0),
    cancelled: counts.cancelled + (more.cancelled ?? 0),
    captures: counts.captures + (more.captures ?? 0),
    faces: counts.faces + (more.faces ?? 0),
    answers: counts.answers + (more.answers ?? 0),
  }
}

const columns = {
  ...columnsOf('erasures', 'id', 'subject', 'subject_id', 'erased_at', 'completed_at'),
  ...columnsOf('erasures', 'erased_by', 'counts'),
} as const

/** `completed_at` is null until everything is erased; `counts` are those so far. */
function toReceipt(row: RowOf<typeof columns>) {
  return {
    erasure_id: row.id,
    subject: row.subject,
    subject_id: row.subject_id,
    erased_at: isoTimestamp(row.erased_at),
    completed_at: toTimestamp(row.completed_at),
    erased_by: row.erased_by,
    counts: JSON.parse(row.counts) as ErasureCounts,
  }
}

/** The record of an erasure. */
export type ErasureReceipt = ReturnType<typeof toReceipt>

export interface NewErasure extends Omit<ErasureReceipt, 'erased_at' | 'completed_at'> {
  readonly account_id: string
  readonly erased_at: number
}

export function insertErasure({ erasure_id, counts, ...erasure }: NewErasure): Statement {
  return insert('erasures', { id: erasure_id, ...erasure, counts: JSON.stringify(counts) })
}

/** A transaction may be erased with its customer, whose erasure may not have reached it yet. */
const orWithCustomer = `OR id = (SELECT COALESCE(t.erasure_id, e.id) FROM transactions t
  LEFT JOIN erasures e ON e.account_id = t.account_id AND e.subject_id = t.customer_id
  WHERE t.id = ? AND t.account_id = ?)`

export async function findReceipt(
  store: Store,
  subject: ErasureSubject,
  account_id: string,
  subject_id: string,
): Promise<ErasureReceipt | null> {
  const isTransaction = subject === 'transaction'
  const sql = `SELECT ${listColumns(columns)} FROM erasures
    WHERE account_id = ? AND ((subject_id = ? AND subject = ?) ${isTransaction ? orWithCustomer : ''})`
  const values = [account_id, subject_id, subject, ...(isTransaction ? [subject_id, account_id] : [])]
  const row = await readFirst(store, { sql, values, columns })
  return row === null ? null : toReceipt(row)
}

/** A receipt by its own id. @throws {ApiError} `not_found` */
export async function readReceipt(store: Store, account_id: string, erasure_id: string): Promise<ErasureReceipt> {
  const sql = `SELECT ${listColumns(columns)} FROM erasures WHERE account_id = ? AND id = ?`
  const row = await readFirst(store, { sql, values: [account_id, erasure_id], columns })
  if (row === null) throw new ApiError('not_found', 'erasure_id: not found')
  return toReceipt(row)
}
