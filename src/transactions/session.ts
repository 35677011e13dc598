import type { TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { sha256 } from '../base/ids.ts'
import { rowExists } from '../durable/store/store.ts'
import { isTerminal } from './definition.ts'
import type { TransactionDeps } from './deps.ts'
import { actorNow, openDataKey, parseContext, readTransaction, type TransactionRow } from './rows.ts'

/** The transaction of an `sdk_token`, as it was when the call came in. */
export interface Session {
  readonly transaction_id: string
  readonly account_id: string
  readonly status: string
  readonly expires_at: number
  readonly context: TransactionContext
  readonly row: TransactionRow
  /** The customer's key. */
  readonly key: Buffer
}

/** A token is valid until the transaction expires, and for `resultMs` after completion, so that the device can read the result. */
const getTokenExpiry = (deps: TransactionDeps, row: TransactionRow): number => {
  const expires_at = row.expires_at
  const ended_at = row.completed_at ?? row.finished_at
  return ended_at === null ? expires_at : Math.max(expires_at, ended_at + deps.resultMs)
}

const toSession = (deps: TransactionDeps, row: TransactionRow): Session => {
  let key: Buffer | null = null
  return {
    transaction_id: row.id,
    account_id: row.account_id,
    status: row.status,
    expires_at: row.expires_at,
    context: parseContext(row),
    row,
    // Decrypted on first use: half of a device's calls encrypt nothing.
    get key() {
      key ??= openDataKey(deps, row)
      return key
    },
  }
}

/**
 * Opens the transaction of an `sdk_token`.
 * @throws {ApiError} `invalid_token` for an unknown token, `gone` for an expired one
 */
export const openSession = async (deps: TransactionDeps, sdk_token: string): Promise<Session> => {
  const token_hash = sha256(sdk_token)
  const row = await readTransaction(deps, 't.token_hash = ?', [token_hash])
  if (row === null) {
    const known = { sql: 'SELECT id FROM transactions WHERE token_hash = ?', values: [token_hash] }
    if (await rowExists(deps.store, known)) throw new ApiError('gone', 'sdk_token: the transaction was erased')
    throw new ApiError('invalid_token', 'sdk_token: invalid', { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
  }
  if (row.status === 'EXPIRED' || actorNow(deps, row) >= getTokenExpiry(deps, row))
    throw new ApiError('gone', 'sdk_token: the transaction has expired')
  return toSession(deps, row)
}

/** Reads the session again. @throws {ApiError} `gone` if the transaction was erased */
export const reopenSession = async (
  deps: TransactionDeps,
  { transaction_id }: Pick<Session, 'transaction_id'>,
): Promise<Session> => {
  const row = await readTransaction(deps, 't.id = ?', [transaction_id])
  if (row === null) throw new ApiError('gone', 'sdk_token: the transaction is gone')
  return toSession(deps, row)
}

/** @throws {ApiError} `not_allowed_in_state` */
export const requireCapturing = (session: Session): void => {
  if (session.status === 'INITIATED') return
  const reason = session.status === 'CREATED' ? 'is not started' : 'has taken its captures'
  throw new ApiError('not_allowed_in_state', `transaction: ${isTerminal(session.status) ? 'has ended' : reason}`)
}
