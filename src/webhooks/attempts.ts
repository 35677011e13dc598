import type { AttemptOutcome } from '@attestor/outbound'
import type { Statement } from 'durable-xstate-sql'
import type { Dialect } from 'durable-xstate-sql/sql'
import { decrypt, encrypt } from '../base/encryption.ts'
import { newId } from '../base/ids.ts'
import { insert } from '../database/schema.ts'
import { touchTransaction } from './delivery.ts'

function responseAad(attemptId: string): string {
  return `delivery_attempts/${attemptId}/response`
}

export interface FinishedAttempt {
  readonly account_id: string
  readonly transaction_id: string
  readonly delivery_id: string
  readonly attempt: number
  readonly started_at: number
  readonly sent: AttemptOutcome
  /** The customer's data key, which encrypts the response; null if it was destroyed. */
  readonly key: Uint8Array | null
}

/**
 * The rows that record an attempt. The transaction may have been erased during the attempt, and the response may hold
 * personal data. So the statements lock the transaction, as the erasure does, and delete the response if the
 * transaction was erased. A failed attempt also changes the transaction's row: where locks are local to a node
 * (Galera), either this commit or the erasure then conflicts and runs again. An attempt without a response has nothing
 * to delete.
 */
export function insertAttempt(dialect: Dialect, made: FinishedAttempt): readonly Statement[] {
  const { account_id, transaction_id, delivery_id, attempt, started_at, sent, key } = made
  const id = newId()
  const { outcome, status, duration_ms, address, error, response } = sent
  const row = { id, account_id, delivery_id, attempt, started_at, duration_ms, outcome, http_status: status, address }
  const encrypted = response === null || key === null ? null : encrypt(key, responseAad(id), response)
  const insertion = insert('delivery_attempts', { ...row, error: error?.slice(0, 255) ?? null, answer: encrypted })
  if (error === null && encrypted === null) return [insertion]
  const lock = { sql: `SELECT id FROM transactions WHERE id = ?${dialect.forUpdate}`, values: [transaction_id] }
  return [
    ...(outcome === 'failed' ? touchTransaction(dialect, transaction_id) : [lock]),
    insertion,
    {
      sql: `UPDATE delivery_attempts SET answer = NULL, error = NULL WHERE delivery_id = ?
        AND EXISTS (SELECT 1 FROM transactions t WHERE t.id = ? AND t.erasure_id IS NOT NULL)`,
      values: [delivery_id, transaction_id],
    },
  ]
}

/** The start of a response as text; bytes that are not UTF-8 become U+FFFD. @throws {DecryptionError} */
export function decryptResponse(key: Uint8Array, attemptId: string, encrypted: Uint8Array): string {
  return decrypt(key, responseAad(attemptId), encrypted).toString('utf8')
}
