import { decrypt, encrypt } from '../base/encryption.ts'
import { newId } from '../base/ids.ts'
import type { Dialect } from '../durable/store/dialect.ts'
import { insert, type Statement } from '../durable/store/statement.ts'
import { countTurn } from './delivery.ts'
import type { Outcome } from './outcome.ts'

const place = (attempt_id: string): string => `delivery_attempts/${attempt_id}/answer`

/** An attempt that was made: by whose account, of which delivery, which one it was, and when it began. */
export interface MadeAttempt {
  readonly account_id: string
  readonly transaction_id: string
  readonly delivery_id: string
  readonly attempt: number
  readonly started_at: number
  readonly sent: Outcome
  /** The customer's key, which seals what the receiver answered; null where it was destroyed. */
  readonly key: Uint8Array | null
}

/**
 * What became of an attempt, for the commit that takes its outcome. The transaction may have been erased while the
 * receiver was thinking, and what it answered may name somebody: so this looks under the transaction's lock, as the
 * erasure does, and keeps no words then. A failed attempt changes the row too, as the turn that follows any other does:
 * where locks are local to a member (Galera), it is then this or the erasure that loses at the commit and looks again.
 * One that brought no words has nothing to take away.
 */
export const attemptEntry = ({ lock }: Dialect, made: MadeAttempt): readonly Statement[] => {
  const { account_id, transaction_id, delivery_id, attempt, started_at, sent, key } = made
  const id = newId()
  const { outcome, status, duration_ms, address, error, answer } = sent
  const row = { id, account_id, delivery_id, attempt, started_at, duration_ms, outcome, http_status: status, address }
  const sealed = answer === null || key === null ? null : encrypt(key, place(id), answer)
  const insertion = insert('delivery_attempts', { ...row, error: error?.slice(0, 255) ?? null, answer: sealed })
  if (error === null && sealed === null) return [insertion]
  return [
    outcome === 'failed'
      ? countTurn(transaction_id)
      : { sql: `SELECT id FROM transactions WHERE id = ?${lock}`, values: [transaction_id] },
    insertion,
    {
      sql: `UPDATE delivery_attempts SET answer = NULL, error = NULL WHERE delivery_id = ?
        AND EXISTS (SELECT 1 FROM transactions t WHERE t.id = ? AND t.erasure_id IS NOT NULL)`,
      values: [delivery_id, transaction_id],
    },
  ]
}

/** The first bytes of an answer as text; what is not UTF-8 shows as U+FFFD. @throws {DecryptionError} */
export const openAnswer = (key: Uint8Array, attempt_id: string, sealed: Uint8Array): string =>
  decrypt(key, place(attempt_id), sealed).toString('utf8')
