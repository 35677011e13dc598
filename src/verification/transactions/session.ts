import { readFirst } from 'durable-xstate-sql'
import type { SessionProgress } from '../../../machines/capture.ts'
import type { TransactionContext, TransactionStatus } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { sha256 } from '../../base/ids.ts'
import { columnsOf } from '../../database/schema.ts'
import { isTerminal } from './definition.ts'
import type { TransactionDeps } from './deps.ts'
import { requireCapturer } from './device_checks.ts'
import { actorNow, openCaptureKey, parseContext, readTransaction, type TransactionRow } from './rows.ts'

/** The transaction of an `sdk_token`, as it was when the call came in. */
export interface Session {
  readonly transaction_id: string
  readonly account_id: string
  readonly status: TransactionStatus
  readonly expires_at: number
  readonly context: TransactionContext
  /** Number of the device that has the token: 0 is the first, and each hand-off adds one. */
  readonly device: number
  readonly row: TransactionRow
  /** The key of its captures. */
  readonly key: Buffer
}

/**
 * Returns the time until which a token is valid: until the transaction expires. Once everything is captured it only
 * reads: until the decision, and for `resultMs` after it. During a review the person has closed the page, so it reads
 * for as long as a review takes.
 */
function getTokenExpiry(deps: TransactionDeps, row: TransactionRow): number {
  const { expires_at, completed_at, finished_at } = row
  if (finished_at === null) return completed_at === null ? expires_at : Number.POSITIVE_INFINITY
  const { review_ms } = parseContext(row).limits
  return Math.max(expires_at, finished_at + Math.max(deps.resultMs, review_ms ?? 0))
}

export type WaitingFor = SessionProgress['waiting_for'] & string

/** Returns whether a submitted transaction waits for a resubmission or a review; null while it is analysed. */
export function findWaitingFor({ context, row }: Pick<Session, 'context' | 'row'>): WaitingFor | null {
  if (context.resubmission != null) return 'resubmission'
  return row.awaiting_review_since === null ? null : 'review'
}

/** Whether captures are taken: before the person has submitted, and where they are asked for some again. */
export function isCapturing({ status, context }: Pick<Session, 'status' | 'context'>): boolean {
  return status === 'INITIATED' || context.resubmission != null
}

function toSession(deps: TransactionDeps, row: TransactionRow, device: number): Session {
  let key: Buffer | null = null
  return {
    transaction_id: row.id,
    account_id: row.account_id,
    status: row.status,
    expires_at: row.expires_at,
    context: parseContext(row),
    device,
    row,
    // Decrypted on first use: half of a device's calls encrypt nothing.
    get key() {
      key ??= openCaptureKey(deps, row)
      return key
    },
  }
}

interface TokenOwner {
  readonly row: TransactionRow
  readonly device: number
}

/** Finds the transaction of a token that is not its first, or whose transaction was erased. */
async function findTokenOwner(deps: TransactionDeps, token_hash: string): Promise<TokenOwner> {
  const owner = await readFirst(deps.store, {
    sql: `SELECT id AS transaction_id, 0 AS device FROM transactions WHERE token_hash = ?
      UNION ALL SELECT transaction_id, device FROM handoffs WHERE token_hash = ?`,
    values: [token_hash, token_hash],
    columns: columnsOf('handoffs', 'transaction_id', 'device'),
  })
  if (owner === null)
    throw new ApiError('invalid_token', 'sdk_token: invalid', { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
  const row = await readTransaction(deps, 't.id = ?', [owner.transaction_id])
  if (row === null) throw new ApiError('gone', 'sdk_token: the transaction was erased')
  return { row, device: owner.device ?? 0 }
}

/**
 * Opens the transaction of an `sdk_token`.
 * @throws {ApiError} `invalid_token` for an unknown token, `gone` for an expired one
 */
export async function openSession(deps: TransactionDeps, sdk_token: string): Promise<Session> {
  const token_hash = sha256(sdk_token)
  const first = await readTransaction(deps, 't.token_hash = ?', [token_hash])
  const { row, device } = first === null ? await findTokenOwner(deps, token_hash) : { row: first, device: 0 }
  if (row.status === 'EXPIRED' || actorNow(deps, row) >= getTokenExpiry(deps, row))
    throw new ApiError('gone', 'sdk_token: the transaction has expired')
  return toSession(deps, row, device)
}

/** Reads the session again. @throws {ApiError} `gone` if the transaction was erased */
export async function reopenSession(
  deps: TransactionDeps,
  { transaction_id, device }: Pick<Session, 'transaction_id' | 'device'>,
): Promise<Session> {
  const row = await readTransaction(deps, 't.id = ?', [transaction_id])
  if (row === null) throw new ApiError('gone', 'sdk_token: the transaction is gone')
  return toSession(deps, row, device)
}

/** Opens the session of the device that currently captures. @throws {ApiError} `gone` if the transaction was erased */
export async function openCapturingSession(deps: TransactionDeps, transaction_id: string): Promise<Session> {
  const session = await reopenSession(deps, { transaction_id, device: 0 })
  return { ...session, device: session.context.device }
}

/** @throws {ApiError} `not_allowed_in_state` */
export function requireCapturing(session: Session): void {
  requireCapturer(session, session.context)
  if (isCapturing(session)) return
  const reason = session.status === 'CREATED' ? 'is not started' : 'has taken its captures'
  throw new ApiError('not_allowed_in_state', `transaction: ${isTerminal(session.status) ? 'has ended' : reason}`)
}

/** Signals and offers of a hand-off add a journal entry for good, so they need a bound. Attempts bound the other calls. */
export const maxJournalEntries = 2000
