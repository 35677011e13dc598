import { randomInt } from 'node:crypto'
import type { AttemptOutput } from '../../machines/delivery.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ActorKind } from '../host/kind.ts'
import { requireKnownChart } from '../host/known_charts.ts'
import type { DueRow } from '../store/due.ts'
import { number, text } from '../store/statement.ts'
import { readFirst, type Store } from '../store/store.ts'
import type { TransactionConfig } from '../transactions/config.ts'
import { prepareDelivery } from '../webhooks/delivery_request.ts'
import type { Guard } from '../webhooks/guard.ts'
import { sendWebhook } from '../webhooks/send.ts'
import type { SigningKey } from '../webhooks/sign.ts'
import { type Hands, JobFailed, type JobResult } from './hands.ts'

/** What a delivery is made with. */
export interface DeliverDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly kind: ActorKind
  readonly guard: Guard
  readonly signingKey: () => SigningKey
  readonly version: string
  readonly slots: number
}

const selectDelivery = `SELECT d.id, d.chart_version, d.transaction_id, d.sequence, d.event_id, d.told_status, d.occurred_at, t.config
  FROM deliveries d JOIN transactions t ON t.id = d.transaction_id WHERE d.id = ?`

/** −1 to 1. Drawn here, so that the chart's step stays pure. */
const drawJitter = (): number => randomInt(-1000, 1001) / 1000

/** One signed attempt at telling an integrator. Whatever the receiver does is an outcome, never an error. */
export const deliverHands = ({ store, clock, log, kind, guard, signingKey, version, slots }: DeliverDeps): Hands => ({
  queue: 'attempt',
  slots: () => slots,
  async act(job: DueRow, signal: AbortSignal): Promise<JobResult> {
    const row = await readFirst(store, { sql: selectDelivery, values: [job.actor_id] })
    if (row === null) throw new JobFailed('DELIVERY_MISSING', 'the delivery is gone')
    requireKnownChart(kind, row)
    const { webhook } = JSON.parse(text(row, 'config')) as TransactionConfig
    if (webhook === null) throw new JobFailed('DELIVERY_MISSING', 'the transaction names no receiver')
    const { attempt } = job.payload as { attempt: number }
    const notification = {
      transaction_id: text(row, 'transaction_id'),
      status: text(row, 'told_status'),
      event_id: text(row, 'event_id'),
      sequence: number(row, 'sequence'),
      occurred_at: number(row, 'occurred_at'),
    }
    const key = signingKey()
    const delivery_id = text(row, 'id')
    const request = await prepareDelivery({ notification, delivery_id, attempt, key, now: clock.now(), version })
    const sent = await sendWebhook({ url: webhook.url, ...request, guard, clock, signal })
    // Called off by a stop of ours: not the receiver's failure, and no attempt.
    signal.throwIfAborted()
    const { outcome, status, error, duration_ms } = sent
    log.info(
      { transaction_id: notification.transaction_id, delivery_id, attempt, outcome, status, error, duration_ms },
      'a webhook was sent',
    )
    const output: AttemptOutput = { outcome, jitter: drawJitter(), retry_after_ms: sent.retry_after_ms }
    return { output }
  },
})
