import { readAll, run, type Store, type Unit } from 'durable-xstate-sql'
import { type RowOf, toNullableColumns, toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError, toApiError } from '../base/api_error.ts'
import { type Clock, isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { type Actor, appendAudit } from '../identity/operators/audit.ts'
import { parseContext } from '../verification/transactions/rows.ts'

/** Time in milliseconds after which a reviewer who has not decided counts as gone. */
export const claimMs = 20 * 60_000

const columns = {
  ...columnsOf(
    'transactions',
    'id',
    'account_id',
    'snapshot',
    'awaiting_review_since',
    'reviewer_id',
    'reviewer_since',
  ),
  reviewer_name: toNullableColumns(columnsOf('operators', 'name')).name,
} as const

/** The operator who looks at a case that awaits review, and the time until which it must be decided. */
export interface QueuedReview {
  readonly due_at: string | null
  readonly reviewer: { readonly operator_id: string; readonly name: string; readonly since: string } | null
}

/** Returns the time that a review may take; null also for a damaged row, which must not hide the others of a list. */
function readReviewMs(row: RowOf<typeof columns>): number | null {
  try {
    return parseContext(row).limits.review_ms
  } catch (error) {
    if (toApiError(error)?.code === 'damaged') return null
    throw error
  }
}

function toQueued(row: RowOf<typeof columns>, now: number): QueuedReview {
  const review_ms = readReviewMs(row)
  const { awaiting_review_since: since, reviewer_id, reviewer_since, reviewer_name } = row
  const isClaimed = reviewer_id !== null && reviewer_since !== null && reviewer_since > now - claimMs
  return {
    due_at: review_ms === null || since === null ? null : isoTimestamp(since + review_ms),
    reviewer: isClaimed
      ? { operator_id: reviewer_id, name: reviewer_name ?? '', since: isoTimestamp(reviewer_since) }
      : null,
  }
}

/** Returns those of these transactions that await review. */
export async function readQueue(
  store: Store,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, QueuedReview>> {
  if (ids.length === 0) return new Map()
  const sql = `SELECT t.id, t.account_id, t.snapshot, t.awaiting_review_since, t.reviewer_id, t.reviewer_since,
      o.name AS reviewer_name
    FROM transactions t LEFT JOIN operators o ON o.id = t.reviewer_id
    WHERE t.id IN (${toPlaceholders(ids)}) AND t.awaiting_review_since IS NOT NULL`
  const rows = await readAll(store, { sql, values: ids, columns })
  return new Map(rows.map(row => [row.id, toQueued(row, now)]))
}

interface Claim {
  readonly account_id: string
  readonly transaction_id: string
  /** Whether to take the case over from an operator who looks at it now. */
  readonly takes_over: boolean
}

interface ClaimDeps {
  readonly store: Store
  readonly clock: Clock
}

/** Records that an operator looks at a case. Another who already does keeps it, unless it is taken over. */
export async function claimReview(
  { store, clock }: ClaimDeps,
  by: Actor & { readonly operator_id: string },
  { account_id, transaction_id, takes_over }: Claim,
): Promise<void> {
  const now = clock.now()
  const free = takes_over ? '1 = 1' : '(reviewer_id IS NULL OR reviewer_id = ? OR reviewer_since <= ?)'
  const sql = `UPDATE transactions SET reviewer_id = ?, reviewer_since = ?
    WHERE id = ? AND awaiting_review_since IS NOT NULL AND ${free}`
  const values = [by.operator_id, now, transaction_id, ...(takes_over ? [] : [by.operator_id, now - claimMs])]
  const subject = { type: 'transaction', id: transaction_id } as const
  await store.commit(function* (): Unit<void> {
    const { changed } = yield* run({ sql, values })
    if (changed === 1) yield* appendAudit(store, now, by, { action: 'review_claimed', account_id, subject })
  })
}

/** Gives back a case that nobody decided. */
export async function releaseReview(
  { store, clock }: ClaimDeps,
  by: Actor & { readonly operator_id: string },
  { account_id, transaction_id }: Omit<Claim, 'takes_over'>,
): Promise<void> {
  const sql = 'UPDATE transactions SET reviewer_id = NULL, reviewer_since = NULL WHERE id = ? AND reviewer_id = ?'
  const subject = { type: 'transaction', id: transaction_id } as const
  await store.commit(function* (): Unit<void> {
    const { changed } = yield* run({ sql, values: [transaction_id, by.operator_id] })
    if (changed === 1) yield* appendAudit(store, clock.now(), by, { action: 'review_released', account_id, subject })
  })
}

/** @throws {ApiError} `not_allowed_in_state` */
export function requireQueued(queued: QueuedReview | undefined): QueuedReview {
  if (queued === undefined) throw new ApiError('not_allowed_in_state', 'transaction: does not await a review')
  return queued
}
