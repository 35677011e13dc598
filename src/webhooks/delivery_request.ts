import { type RowOf, toNullableColumns } from 'durable-xstate-sql/sql'
import type { TransactionStatus } from '../../machines/transaction.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { type SignatureHeader, type SigningKey, signDelivery } from '../identity/keys/sign.ts'

/** The content of a webhook: no personal data and no decision. `occurred_at` is in epoch milliseconds. */
export interface Notification {
  transaction_id: string
  status: TransactionStatus
  /** The same on every attempt. */
  event_id: string
  /** Counts within the transaction. */
  sequence: number
  occurred_at: number
}

export const notificationColumns = columnsOf(
  'deliveries',
  'transaction_id',
  'notified_status',
  'event_id',
  'sequence',
  'occurred_at',
)

/** The customer's encrypted data key; null once the customer is erased. */
export const keyColumns = {
  ...columnsOf('transactions', 'customer_id'),
  ...toNullableColumns(columnsOf('customers', 'data_key')),
} as const

export type KeyRow = RowOf<typeof keyColumns>

export function toNotification(row: RowOf<typeof notificationColumns>): Notification {
  return {
    transaction_id: row.transaction_id,
    status: row.notified_status,
    event_id: row.event_id,
    sequence: row.sequence,
    occurred_at: row.occurred_at,
  }
}

/** `attempt` counts from 1, `now` is in epoch milliseconds, `version` is Attestor's. */
export interface SignedAttempt {
  notification: Notification
  delivery_id: string
  attempt: number
  key: SigningKey
  now: number
  version: string
}

/** The headers that receivers are promised: the OpenAPI document describes each. */
export type WebhookHeader = SignatureHeader | 'X-Delivery-Id' | 'X-Delivery-Attempt'

type SentHeaders = Readonly<Record<WebhookHeader | 'User-Agent' | 'Content-Type', string>>

/** Body and headers of one attempt, signed for `now`. */
export async function prepareDelivery(delivery: SignedAttempt): Promise<{ headers: SentHeaders; body: string }> {
  const { transaction_id, status, event_id, sequence, occurred_at } = delivery.notification
  const signed = await signDelivery({ key: delivery.key, timestamp: delivery.now, subject: transaction_id })
  const headers: SentHeaders = {
    ...signed,
    'X-Delivery-Id': delivery.delivery_id,
    'X-Delivery-Attempt': String(delivery.attempt),
    'User-Agent': `Attestor-Webhook/${delivery.version}`,
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ transaction_id, status, event_id, sequence, occurred_at: isoTimestamp(occurred_at) })
  return { headers, body }
}
