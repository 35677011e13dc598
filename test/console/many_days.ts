import type { Store } from 'durable-xstate-sql'
import type { Value } from 'durable-xstate-sql/sql'
import { newId } from '../../src/base/ids.ts'
import { insertRows } from './many_rows.ts'

const day = 86_400_000

/** The columns of a transaction that the overview counts. Times are epoch milliseconds. */
export interface CountedRow {
  readonly account_id: string
  readonly status: string
  readonly decision?: string | undefined
  readonly reason?: string | undefined
  readonly at: number
  /** Time from the end of its capture to its end, in ms. */
  readonly took?: number | undefined
}

const into = `transactions (id, account_id, snapshot, version, chart_version, status, decision, reason, created_at, initiated_at, completed_at,
  finished_at, customer_id, transaction_type, token_hash, config, expires_at, journal_hash, journal_at)`

export async function insertTransactions(store: Store, rows: readonly CountedRow[]): Promise<void> {
  const made = rows.map(({ account_id, status, decision = null, reason = null, at, took }) => {
    const id = newId()
    const times = took === undefined ? [null, null, null] : [at, at, at + took]
    const counted: readonly Value[] = [id, account_id, '{}', 1, 1, status, decision, reason, at, ...times]
    return { id, values: [...counted, id, 'BIOMETRIC_ONLY', id, '{}', 0, '', 0] }
  })
  await insertRows(
    store,
    into,
    made.map(({ values }) => values),
  )
  const issues = rows.flatMap(({ account_id, reason }, index) =>
    reason === undefined ? [] : [[reason, made[index]?.id ?? '', account_id]],
  )
  if (issues.length > 0) await insertRows(store, 'transaction_issues (code, transaction_id, account_id)', issues)
}

/** Inserts 10 to 40 transactions on each of the last 100 days, with given shares of outcomes. */
export async function insertManyDays(store: Store, account_id: string, now: number): Promise<void> {
  for (let age = 0; age < 100; age++) {
    const count = 10 + ((age * 7) % 31)
    const rows = Array.from({ length: count }, (_, n): CountedRow => {
      const one = { account_id, at: now - age * day, took: 2000 + n * 700 }
      if (n % 10 < 6) return { ...one, status: 'FINISHED', decision: 'APPROVED' }
      if (n % 10 === 6) return { ...one, status: 'FINISHED', decision: 'REJECTED', reason: 'FACE_MISMATCH' }
      if (n % 10 === 7) return { ...one, status: 'FINISHED', decision: 'UNDETERMINED', reason: 'DOCUMENT_GLARE' }
      if (n % 10 === 8) return { ...one, status: 'EXPIRED', took: undefined }
      return { ...one, status: 'FAILED', decision: 'UNDETERMINED', reason: 'CANCELLED' }
    })
    await insertTransactions(store, rows)
  }
}
