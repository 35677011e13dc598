import type { AttemptOutcome } from '@attestor/outbound'
import { readFirst, type Store } from 'durable-xstate-sql'
import type { TestScript } from '../verification/transactions/config.ts'

type WebhookScript = NonNullable<TestScript['webhook']>

const scriptedOutcomes: Readonly<Record<WebhookScript['answer'], Partial<AttemptOutcome>>> = {
  STATUS_500: { status: 500, error: 'answered 500' },
  STATUS_429: { status: 429, error: 'answered 429', retry_after_ms: 60_000 },
  TIMEOUT: { error: 'timed out', duration_ms: 10_000 },
  CONNECTION_REFUSED: { error: 'connection refused' },
  GONE: { outcome: 'gone', status: 410, error: 'answered 410: no more is wanted' },
}

const countColumns = { count: 'count' } as const

/**
 * Whether the script still decides. Attempts before a redelivery count too, so that a redelivery can succeed; 410 ends a
 * delivery at its first attempt.
 */
async function isScripted(store: Store, delivery_id: string, scripted: WebhookScript): Promise<boolean> {
  const sql = 'SELECT COUNT(*) AS count FROM delivery_attempts WHERE delivery_id = ?'
  const counted = await readFirst(store, { sql, values: [delivery_id], columns: countColumns })
  return (counted?.count ?? 0) < (scripted.answer === 'GONE' ? 1 : scripted.attempts)
}

/** The outcome that a test account scripted; null if the attempt is to be sent. */
export async function findScriptedOutcome(
  store: Store,
  delivery_id: string,
  scripted: WebhookScript | null,
): Promise<AttemptOutcome | null> {
  if (scripted === null || !(await isScripted(store, delivery_id, scripted))) return null
  const nothing = { status: null, error: null, retry_after_ms: null, duration_ms: 0, address: null, response: null }
  return { outcome: 'failed', ...nothing, ...scriptedOutcomes[scripted.answer] }
}
