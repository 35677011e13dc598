import { createIssue, type Decision, type FaceTemplate, type ResultData } from '@attestor/rules'
import { readFirst, type Statement } from 'durable-xstate-sql'
import { type CommitRecord, listColumns, type RowOf, recordNothing, requireValue } from 'durable-xstate-sql/sql'
import type { TransactionEvent } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { decryptJson, encryptJson } from '../../base/encryption.ts'
import { newSecret, sha256 } from '../../base/ids.ts'
import { columnsOf } from '../../database/schema.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { computeOutcomeMac } from '../transactions/row_macs.ts'
import { openDataKey, parseConfig, transactionAad } from '../transactions/rows.ts'
import { isRejected } from '../transactions/send_capture.ts'
import { enrolFace } from './enrolment.ts'
import { insertIssues, resultColumns, reviewResult } from './result.ts'

/** A reviewer's decision and its reason. The reason is a sentence of theirs, which may name personal data. */
export interface Review {
  readonly transaction_id: string
  readonly operator_id: string
  readonly decision: Decision
  readonly reason: string
}

const columns = {
  ...columnsOf('transactions', 'id', 'account_id', 'customer_id', 'transaction_type', 'created_at', 'result', 'config'),
  ...columnsOf('transactions', 'review_template', 'awaiting_review_since', 'reason', 'country', 'trace'),
} as const

const columnsWithKey = { ...columns, ...columnsOf('customers', 'data_key') } as const

type ReviewedRow = RowOf<typeof columnsWithKey>

const selectReviewed = `SELECT ${listColumns(columns, 't')}, c.data_key FROM transactions t
  JOIN customers c ON c.id = t.customer_id WHERE t.id = ? AND t.erasure_id IS NULL`

/** The reason is stored with a salt, so that nobody can guess it by its digest in the journal. */
interface KeptReason {
  readonly reason: string
  readonly salt: string
}

export function decryptReviewReason(key: Uint8Array, transaction_id: string, encrypted: Uint8Array): string {
  return decryptJson<KeptReason>(key, transactionAad(transaction_id, 'review_reason'), encrypted).reason
}

/** An approved onboarding enrols the face, as it does without a review. */
async function enrolReviewed(
  deps: TransactionDeps,
  key: Uint8Array,
  row: ReviewedRow,
  decision: Decision,
): Promise<readonly Statement[]> {
  const encrypted = row.review_template
  if (decision !== 'APPROVED' || row.transaction_type === 'BIOMETRIC_ONLY' || encrypted === null) return []
  const template = decryptJson<FaceTemplate>(key, transactionAad(row.id, 'review_template'), encrypted)
  const enrolment = await deps.comparison.enrol(row, parseConfig(row), template)
  return [enrolFace(deps.rowKey, key, row, template), ...enrolment]
}

function notAwaiting(): ApiError {
  return new ApiError('not_allowed_in_state', 'review: the transaction does not await one, or no longer')
}

/**
 * Decides a transaction that awaits review. The event, the result, the face and `record` are one commit; of two reviewers
 * at once the chart accepts one. @throws {ApiError} `not_found`, `not_allowed_in_state`
 */
export async function reviewTransaction(
  deps: TransactionDeps,
  review: Review,
  record: CommitRecord = recordNothing,
): Promise<void> {
  const { transaction_id: id, operator_id, decision } = review
  const row = await readFirst(deps.store, { sql: selectReviewed, values: [id], columns: columnsWithKey })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  if (row.awaiting_review_since === null) throw notAwaiting()
  const key = openDataKey(deps, row)
  const found = decryptJson<ResultData>(key, transactionAad(id, 'result'), requireValue(row.result, 'result'))
  const kept = JSON.stringify({ reason: review.reason, salt: newSecret() } satisfies KeptReason)
  const reason = encryptJson(key, transactionAad(id, 'review_reason'), JSON.parse(kept))
  const event: TransactionEvent = {
    type: 'REVIEWED',
    by: 'operator',
    operator_id,
    decision,
    reason_sha256: sha256(kept),
  }
  const decided = resultColumns({ row, key }, reviewResult(found, decision))
  // The reviewer approved, so the rules' reason against an approval no longer holds.
  const cleared = decision === 'APPROVED' ? { reason: null } : {}
  const { trace, country } = row
  const outcome = { id, reason: row.reason, country, trace, ...decided, ...cleared }
  const reviewed = { ...outcome, review_reason: reason, review_template: null }
  const { id: _, ...columns } = { ...reviewed, outcome_mac: computeOutcomeMac(deps.rowKey, reviewed) }
  const writes = [
    ...insertIssues(row, [createIssue('REVIEWED_BY_PERSON')]),
    ...(await enrolReviewed(deps, key, row, decision)),
  ]
  try {
    await deps.host.send(deps.definition, id, event, { writes, columns, record })
  } catch (error) {
    throw isRejected(error) ? notAwaiting() : error
  }
}
