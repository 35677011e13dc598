import type { EngineName, FailureCode } from '@attestor/rules'
import { readAll } from 'durable-xstate-sql'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import type { TransactionDeps } from './deps.ts'

/** A failed attempt at an analysis. `engine` and `stage` are null if unknown. */
interface FailedAttempt {
  /** Number of the attempt, from 1; 0 for a failure before the first one. */
  readonly attempt: number
  readonly failed_at: string
  /** `JOB_LOST`: its workers died. */
  readonly code: 'ANALYSIS_ERROR' | 'CAPTURE_UNREADABLE' | 'JOB_LOST' | 'INTERNAL'
  readonly engine: EngineName | null
  /** The stage of the analysis that failed; `captures` is reading them. */
  readonly stage: string | null
}

/** Why a transaction FAILED. For operators, never for the device; nothing in it is personal. */
export interface FailureTrace {
  readonly trace_version: 1
  readonly failure: FailureCode
  readonly failed_at: string
  readonly attempts: readonly FailedAttempt[]
  /** The attempt that the deadline or a cancellation interrupted. */
  readonly unfinished_attempt: number | null
}

/** `status` is the one after the event. */
export interface JournalEntry {
  readonly stored_event: string
  readonly status: TransactionStatus
  readonly occurred_at: string
}

interface StoredEvent {
  readonly type: string
  readonly error?: {
    readonly code?: FailedAttempt['code']
    readonly engine?: EngineName
    readonly stage?: string | null
  }
}

const failedJobPrefix = 'xstate.error.actor.'

function toFailureCode({ type, error }: StoredEvent): FailureCode {
  if (type === 'CANCEL') return 'CANCELLED'
  if (type.startsWith('xstate.after.')) return 'ANALYSIS_TIMEOUT'
  return error?.code === 'CAPTURE_UNREADABLE' ? 'CAPTURE_UNREADABLE' : 'ANALYSIS_ERROR'
}

/** Reads the failure from the journal's entries; null if there is none. */
export function traceFailure(journal: readonly JournalEntry[]): FailureTrace | null {
  const attempts: FailedAttempt[] = []
  let begun = 0
  let isRunning = false
  for (const { stored_event, status, occurred_at } of journal) {
    const event = JSON.parse(stored_event) as StoredEvent
    if (event.type.startsWith(failedJobPrefix)) {
      const { code = 'INTERNAL', engine = null, stage = null } = event.error ?? {}
      attempts.push({ attempt: begun, failed_at: occurred_at, code, engine, stage })
      isRunning = false
    }
    if (status === 'FAILED') {
      const unfinished_attempt = isRunning ? begun : null
      return { trace_version: 1, failure: toFailureCode(event), failed_at: occurred_at, attempts, unfinished_attempt }
    }
    if (event.type === 'xstate.done.actor.admission' || event.type.startsWith('xstate.after.ANALYSIS_BACKOFF')) {
      begun++
      isRunning = true
    }
  }
  return null
}

/** Why a transaction FAILED; null if it did not. @throws {ApiError} `not_found` */
export async function readFailure(
  { store }: Pick<TransactionDeps, 'store'>,
  transaction_id: string,
): Promise<FailureTrace | null> {
  const sql = `SELECT j.event, j.status, j.occurred_at FROM transactions t JOIN journal j ON j.actor_id = t.id
    WHERE t.id = ? ORDER BY j.sequence`
  const columns = columnsOf('journal', 'event', 'status', 'occurred_at')
  const rows = await readAll(store, { sql, values: [transaction_id], columns })
  if (rows.length === 0) throw new ApiError('not_found', 'transaction_id: not found')
  return traceFailure(
    rows.map(row => ({
      stored_event: row.event,
      status: row.status,
      occurred_at: isoTimestamp(row.occurred_at),
    })),
  )
}
