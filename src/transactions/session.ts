import type { TransactionContext } from '../../machines/transaction.ts'
import { sha256 } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import { isThere } from '../store/store.ts'
import { isTerminal } from './kind.ts'
import type { TransactionRoom } from './room.ts'
import { contextIn, keyOf, nowOf, readTransaction, type TransactionRow } from './rows.ts'

/** A device's view of the one transaction that its token names, as it was when the call came in. */
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

/** decisions.md, "Tokens": until the transaction's expiry, and after completion a while longer for the result. */
const goodUntil = (room: TransactionRoom, row: TransactionRow): number => {
  const expires_at = row.expires_at
  const ended_at = row.completed_at ?? row.finished_at
  return ended_at === null ? expires_at : Math.max(expires_at, ended_at + room.result_ms)
}

const sessionOf = (room: TransactionRoom, row: TransactionRow): Session => {
  let key: Buffer | null = null
  return {
    transaction_id: row.id,
    account_id: row.account_id,
    status: row.status,
    expires_at: row.expires_at,
    context: contextIn(row),
    row,
    // Opened where it is asked for, and once: half of a device's calls seal nothing.
    get key() {
      key ??= keyOf(room, row)
      return key
    },
  }
}

/**
 * The transaction of an `sdk_token`.
 * @throws {Refusal} `invalid_token` for a token that we never gave, `gone` after its time
 */
export const openSession = async (room: TransactionRoom, sdk_token: string): Promise<Session> => {
  const token_hash = sha256(sdk_token)
  const row = await readTransaction(room, 't.token_hash = ?', [token_hash])
  if (row === null) {
    const known = { sql: 'SELECT id FROM transactions WHERE token_hash = ?', values: [token_hash] }
    if (await isThere(room.store, known)) throw new Refusal('gone', 'sdk_token: the transaction was erased')
    throw new Refusal('invalid_token', 'sdk_token: invalid', { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
  }
  if (row.status === 'EXPIRED' || nowOf(room, row) >= goodUntil(room, row))
    throw new Refusal('gone', 'sdk_token: the transaction has expired')
  return sessionOf(room, row)
}

/** The session as it is by now. @throws {Refusal} `gone` when the transaction was erased meanwhile */
export const reopenSession = async (
  room: TransactionRoom,
  { transaction_id }: Pick<Session, 'transaction_id'>,
): Promise<Session> => {
  const row = await readTransaction(room, 't.id = ?', [transaction_id])
  if (row === null) throw new Refusal('gone', 'sdk_token: the transaction is gone')
  return sessionOf(room, row)
}

/** Captures are taken while INITIATED only. @throws {Refusal} `not_allowed_in_state` */
export const requireCapturing = (session: Session): void => {
  if (session.status === 'INITIATED') return
  const why = session.status === 'CREATED' ? 'is not started' : 'has taken its captures'
  throw new Refusal('not_allowed_in_state', `transaction: ${isTerminal(session.status) ? 'has ended' : why}`)
}
