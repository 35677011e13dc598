import type { Decision, Trace, TransactionType } from '@attestor/rules'
import { readAll, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import { tables } from '../../database/tables.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { type FailureTrace, traceFailure } from '../transactions/failure.ts'
import { type TimelineEvent, toTimelineEvent } from '../transactions/timeline.ts'
import { readTrace } from '../transactions/trace.ts'
import { toStageTimes } from '../transactions/transactions.ts'

interface EvidenceEntry extends TimelineEvent {
  /** The event as stored, which the hash covers; `event` is its name. */
  readonly stored_event: string
  readonly chart_version: number
  readonly hash: string
}

/** The record of how a transaction came to its end. Only the scores in the trace are about the person. */
export interface Evidence {
  readonly evidence_version: 1
  readonly issued_at: string
  readonly issuer: string
  readonly transaction: ReturnType<typeof toStageTimes> & {
    readonly id: string
    readonly account_id: string
    readonly customer_id: string
    readonly transaction_type: TransactionType
    readonly status: TransactionStatus
    /** The decision that lists show; null before the end, and after an erasure. */
    readonly decision: Decision | null
    /** The receipt of its erasure; null if nothing was erased. */
    readonly erasure_id: string | null
  }
  readonly journal: readonly EvidenceEntry[]
  /** The hash in the transaction's row, which is that of the last entry. */
  readonly head: string
  /** The rules and scores that decided. The journal has its digest; an erasure deletes it. */
  readonly trace: Trace | null
  /** Failed attempts, read from the journal's entries; null if the transaction did not FAIL. */
  readonly failure: FailureTrace | null
}

const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'transaction_type', 'status', 'created_at'),
  ...columnsOf('transactions', 'initiated_at', 'completed_at', 'processing_at', 'finished_at', 'erasure_id'),
  ...columnsOf('transactions', 'decision'),
  ...columnsOf('transactions', 'journal_hash'),
  ...columnsOf('journal', 'sequence', 'event', 'occurred_at', 'chart_version', 'hash'),
  entry_status: tables.journal.columns.status,
  has_customer: 'count',
} as const

function toEntry(row: RowOf<typeof columns>): EvidenceEntry {
  return {
    ...toTimelineEvent(row),
    status: row.entry_status,
    stored_event: row.event,
    chart_version: row.chart_version,
    hash: row.hash,
  }
}

const selectEvidence = `SELECT t.id, t.account_id, t.customer_id, t.transaction_type, t.status, t.created_at,
    t.initiated_at, t.completed_at, t.processing_at, t.finished_at, t.erasure_id, t.decision, t.journal_hash,
    (SELECT COUNT(*) FROM customers c WHERE c.id = t.customer_id) AS has_customer,
    j.sequence, j.event, j.status AS entry_status, j.occurred_at, j.chart_version, j.hash
  FROM transactions t JOIN journal j ON j.actor_id = t.id
  WHERE t.id = ? ORDER BY j.sequence`

/** The parts that come from the journal and the row of a transaction, which must agree. */
export type JournalEvidence = Pick<Evidence, 'transaction' | 'journal' | 'head'>

/** Returns null if the transaction does not exist. */
async function readRows(
  store: Store,
  id: string,
): Promise<{ readonly row: RowOf<typeof columns>; readonly entries: JournalEvidence } | null> {
  // One statement, so that the row and the entries are consistent.
  const rows = await readAll(store, { sql: selectEvidence, values: [id], columns })
  const [row] = rows
  if (row === undefined) return null
  const { account_id, customer_id, transaction_type, status, decision, erasure_id } = row
  const transaction = {
    id,
    account_id,
    customer_id,
    transaction_type,
    status,
    decision,
    ...toStageTimes(row),
    erasure_id,
  }
  return { row, entries: { transaction, journal: rows.map(toEntry), head: row.journal_hash } }
}

/** Returns null if the transaction does not exist. */
export async function readEntries(store: Store, id: string): Promise<JournalEvidence | null> {
  return (await readRows(store, id))?.entries ?? null
}

/** Reads the evidence, also of an erased transaction. @throws {ApiError} `not_found` */
export async function readEvidence(
  deps: TransactionDeps,
  issuer: string,
  account_id: string,
  id: string,
): Promise<Evidence> {
  const found = await readRows(deps.store, id)
  if (found?.row.account_id !== account_id) throw new ApiError('not_found', 'transaction_id: not found')
  const { row } = found
  const erasure_id = row.erasure_id
  // A transaction that is decided after this read has a trace that these entries don't name.
  const hasTrace = row.status === 'FINISHED' && erasure_id === null && row.has_customer === 1
  const { journal } = found.entries
  return {
    evidence_version: 1,
    issued_at: isoTimestamp(deps.clock.now()),
    issuer,
    ...found.entries,
    trace: hasTrace ? ((await readTrace(deps, id))?.trace ?? null) : null,
    failure: traceFailure(journal),
  }
}
