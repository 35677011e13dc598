import { isoTimestamp } from '../base/clock.ts'
import { number, type Row, text } from '../store/statement.ts'
import { type SigningKey, signDelivery } from './sign.ts'

/** What a webhook tells (decisions, "Webhooks"): no personal data, no decision. `occurred_at` in epoch milliseconds. */
export interface Notification {
  transaction_id: string
  status: string
  /** The same on every attempt. */
  event_id: string
  /** Counts within the transaction. */
  sequence: number
  occurred_at: number
}

/** The notification that a delivery's row tells. */
export const notificationIn = (row: Row): Notification => ({
  transaction_id: text(row, 'transaction_id'),
  status: text(row, 'told_status'),
  event_id: text(row, 'event_id'),
  sequence: number(row, 'sequence'),
  occurred_at: number(row, 'occurred_at'),
})

/** One attempt at a notification. `attempt` counts from 1, `now` in epoch milliseconds, `version` is Attestor's. */
export interface DeliveryAttempt {
  notification: Notification
  delivery_id: string
  attempt: number
  key: SigningKey
  now: number
  version: string
}

/** Body and headers of one attempt, signed and stamped for `now`. */
export const prepareDelivery = async (
  delivery: DeliveryAttempt,
): Promise<{ headers: Record<string, string>; body: string }> => {
  const { transaction_id, status, event_id, sequence, occurred_at } = delivery.notification
  const signed = await signDelivery({ key: delivery.key, timestamp: delivery.now, transaction_id })
  const headers = {
    ...signed,
    'X-Delivery-Id': delivery.delivery_id,
    'X-Delivery-Attempt': String(delivery.attempt),
    'User-Agent': `Attestor-Webhook/${delivery.version}`,
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ transaction_id, status, event_id, sequence, occurred_at: isoTimestamp(occurred_at) })
  return { headers, body }
}
