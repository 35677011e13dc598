import { newId } from '../base/ids.ts'
import { seal, unseal } from '../base/seal.ts'
import { insert, type Statement } from '../store/statement.ts'
import type { Outcome } from './outcome.ts'

const place = (attempt_id: string): string => `delivery_attempts/${attempt_id}/answer`

/** An attempt that was made: by whose account, of which delivery, which one it was, and when it began. */
export interface MadeAttempt {
  readonly account_id: string
  readonly delivery_id: string
  readonly attempt: number
  readonly started_at: number
  readonly sent: Outcome
  /** The customer's key, which seals what the receiver answered; null where it was destroyed. */
  readonly key: Uint8Array | null
}

/** What became of an attempt, as it is written into the commit that takes its outcome. */
export const attemptEntry = ({ account_id, delivery_id, attempt, started_at, sent, key }: MadeAttempt): Statement => {
  const id = newId()
  const { outcome, status, duration_ms, address, error, answer } = sent
  const row = { id, account_id, delivery_id, attempt, started_at, duration_ms, outcome, http_status: status, address }
  const sealed = answer === null || key === null ? null : seal(key, place(id), answer)
  return insert('delivery_attempts', { ...row, error: error?.slice(0, 255) ?? null, answer: sealed })
}

/** The first bytes of an answer as text; what is not UTF-8 shows as U+FFFD. @throws {SealBroken} */
export const openAnswer = (key: Uint8Array, attempt_id: string, sealed: Uint8Array): string =>
  unseal(key, place(attempt_id), sealed).toString('utf8')
