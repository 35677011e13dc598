import { readFirst, type Store } from '../durable/store/store.ts'
import type { TestScript } from '../transactions/config.ts'
import type { Outcome } from './outcome.ts'

type WebhookScript = NonNullable<TestScript['webhook']>

/** What a script's receiver is made to answer. */
const scripted_outcomes: Readonly<Record<WebhookScript['answer'], Partial<Outcome>>> = {
  STATUS_500: { status: 500, error: 'answered 500' },
  STATUS_429: { status: 429, error: 'answered 429', retry_after_ms: 60_000 },
  TIMEOUT: { error: 'timed out', duration_ms: 10_000 },
  CONNECTION_REFUSED: { error: 'connection refused' },
  GONE: { outcome: 'gone', status: 410, error: 'answered 410: no more is wanted' },
}

const made_columns = { made: 'count' } as const

/**
 * Whether a script's first attempts are not over. Those before a redelivery count too, so that it can succeed; and 410
 * ends a delivery at its first.
 */
const isScripted = async (store: Store, delivery_id: string, scripted: WebhookScript): Promise<boolean> => {
  const sql = 'SELECT COUNT(*) AS made FROM delivery_attempts WHERE delivery_id = ?'
  const counted = await readFirst(store, { sql, values: [delivery_id], columns: made_columns })
  return (counted?.made ?? 0) < (scripted.answer === 'GONE' ? 1 : scripted.attempts)
}

/** What a test account's script makes of an attempt; null where the attempt is to be made. */
export const scriptedOutcome = async (
  store: Store,
  delivery_id: string,
  scripted: WebhookScript | null,
): Promise<Outcome | null> => {
  if (scripted === null || !(await isScripted(store, delivery_id, scripted))) return null
  const nothing = { status: null, error: null, retry_after_ms: null, duration_ms: 0, address: null, answer: null }
  return { outcome: 'failed', ...nothing, ...scripted_outcomes[scripted.answer] }
}
