import { randomInt } from 'node:crypto'
import type { AttemptOutput } from '../../machines/delivery.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { JobInput } from '../durable/actors/chart_types.ts'
import { requireKnownChart } from '../durable/actors/known_charts.ts'
import { type Job, JobError, type JobHandler, PostponeJob } from '../durable/jobs/handler.ts'
import { columnsOf, joined, listOf, type RowOf } from '../durable/store/columns.ts'
import type { Statement } from '../durable/store/statement.ts'
import { readFirst, type Store } from '../durable/store/store.ts'
import type { TestScript, TransactionConfig } from '../transactions/config.ts'
import { attemptEntry } from './attempts.ts'
import { type Breakers, createBreakers } from './breaker.ts'
import { type Connections, keepConnections } from './connections.ts'
import type { DeliveryActor, DeliveryKind } from './delivery.ts'
import { type KeyRow, key_columns, notification_columns, notificationIn, prepareDelivery } from './delivery_request.ts'
import { fairPortions, nextInstant } from './fair_share.ts'
import type { Guard } from './guard.ts'
import { isForListener } from './listener.ts'
import { addOrigin, failedAgain, originOf, recovered } from './origins.ts'
import type { Outcome } from './outcome.ts'
import { scriptedOutcome } from './scripted_delivery.ts'
import { sendWebhook } from './send.ts'
import type { SigningKey } from './sign.ts'

/** What a delivery is made with. */
export interface DeliverDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly kind: DeliveryKind
  readonly guard: Guard
  readonly signingKey: () => Promise<SigningKey>
  /** The key of the customer in a row with `customer_id` and `data_key`, or null where it was destroyed. */
  readonly customerKey: (row: KeyRow) => Uint8Array | null
  readonly version: string
  readonly slots: number
  /** Of the slots, how many one origin may have. */
  readonly origin_slots: number
  /** How long an origin may have nothing but failures before it is paused. */
  readonly pause_ms: number
}

const delivery_columns = {
  ...columnsOf('deliveries', 'id', 'account_id', 'chart_version', 'origin_id'),
  ...notification_columns,
} as const

const columns = {
  ...delivery_columns,
  ...columnsOf('transactions', 'config'),
  ...columnsOf('accounts', 'mode'),
  ...key_columns,
  ...joined(columnsOf('origins', 'failing_since', 'paused_at')),
} as const

const selectDelivery = `SELECT ${listOf(delivery_columns, 'd')}, t.config, t.customer_id, a.mode, c.data_key,
    o.failing_since, o.paused_at
  FROM deliveries d JOIN transactions t ON t.id = d.transaction_id JOIN accounts a ON a.id = d.account_id
  LEFT JOIN customers c ON c.id = t.customer_id AND t.erasure_id IS NULL
  LEFT JOIN origins o ON o.id = d.origin_id WHERE d.id = ?`

/** −1 to 1. Drawn here, so that the chart's step stays pure. */
const drawJitter = (): number => randomInt(-1000, 1001) / 1000

/** A delivery as its attempt needs it. */
interface Addressed {
  readonly row: RowOf<typeof columns>
  readonly url: string
  readonly attempt: number
  /** What a test account's script makes of its receiver. */
  readonly scripted: TestScript['webhook']
}

const addressed = async (
  { store, kind }: DeliverDeps,
  job: Job<JobInput<DeliveryActor['chart'], 'attempt'>>,
): Promise<Addressed> => {
  const row = await readFirst(store, { sql: selectDelivery, values: [job.actor_id], columns })
  if (row === null) throw new JobError('DELIVERY_MISSING', 'the delivery is gone')
  requireKnownChart(kind, row)
  const { webhook, test = null } = JSON.parse(row.config) as TransactionConfig
  if (webhook === null) throw new JobError('DELIVERY_MISSING', 'the transaction names no receiver')
  const { attempt } = job.payload
  return { row, url: webhook.url, attempt, scripted: test?.webhook ?? null }
}

/** How long an attempt for a listener stays aside, who asks for it by itself. */
const parked_ms = 24 * 3600 * 1000

/** What happens without a call of ours: as a test account's script says, or when a listener asks. @throws {PostponeJob} */
const withoutCall = async (
  { store, clock }: DeliverDeps,
  { row, url, scripted }: Addressed,
): Promise<Outcome | null> => {
  const made_up = await scriptedOutcome(store, row.id, scripted)
  if (made_up === null && row.mode === 'test' && isForListener(url)) throw new PostponeJob(clock.now() + parked_ms)
  return made_up
}

const send = async (
  deps: DeliverDeps,
  connections: Connections,
  { row, url, attempt }: Addressed,
  signal: AbortSignal,
): Promise<Outcome> => {
  const { clock, guard, version } = deps
  const notification = notificationIn(row)
  const key = await deps.signingKey()
  const delivery_id = row.id
  const request = await prepareDelivery({ notification, delivery_id, attempt, key, now: clock.now(), version })
  const kept = { connections, owner: row.account_id }
  return sendWebhook({ url, ...request, guard, clock, signal, kept })
}

/** What an attempt says of its origin: to this node's breaker, and, where it changes something, to its row. */
const judgeOrigin = async (
  { store, clock, log, pause_ms }: DeliverDeps,
  breakers: Breakers,
  { row, url }: Addressed,
  sent: Outcome,
): Promise<readonly Statement[]> => {
  const origin_id = row.origin_id
  if (origin_id === null) return []
  // Who answers 410 is there, and means it.
  const is_well = sent.outcome !== 'failed'
  breakers.record(origin_id, is_well, sent.duration_ms)
  const { failing_since, paused_at } = row
  if (is_well) return failing_since === null ? [] : [recovered(origin_id)]
  const now = clock.now()
  if (failing_since === null) await addOrigin(store, origin_id, url)
  else if (paused_at === null && failing_since <= now - pause_ms)
    log.warn(
      { account_id: row.account_id, origin: originOf(url), failing_since },
      'an origin is paused: it had nothing but failures; attestor webhook resume or a redelivery tries it again',
    )
  return failedAgain(origin_id, now, pause_ms)
}

/** One signed attempt at telling an integrator. Whatever the receiver does is an outcome, never an error. */
export const deliveryHandler = (deps: DeliverDeps): JobHandler<DeliveryActor['chart'], 'attempt'> => {
  const { clock, log, slots, origin_slots } = deps
  const breakers = createBreakers(clock)
  const connections = keepConnections(clock)
  return {
    queue: 'attempt',
    slots: () => slots,
    share(waiting) {
      const by = { breakers, now: clock.now(), slots, origin_slots }
      return { portions: fairPortions(waiting, by), again_at: nextInstant(waiting.lanes, by) }
    },
    async handle(job, signal) {
      const delivery = await addressed(deps, job)
      const { row, attempt } = delivery
      const started_at = clock.now()
      const made_up = await withoutCall(deps, delivery)
      const sent = made_up ?? (await send(deps, connections, delivery, signal))
      // Called off by a stop of ours: not the receiver's failure, and no attempt.
      signal.throwIfAborted()
      const { outcome, status, error, duration_ms, retry_after_ms } = sent
      const [delivery_id, account_id] = [row.id, row.account_id]
      const told = { transaction_id: row.transaction_id, delivery_id, attempt }
      log.info({ ...told, outcome, status, error, duration_ms }, 'a webhook was sent')
      const entry = attemptEntry(deps.store.dialect, {
        account_id,
        ...told,
        started_at,
        sent,
        key: deps.customerKey(row),
      })
      const output: AttemptOutput = { outcome, jitter: drawJitter(), retry_after_ms }
      const judged = made_up === null ? await judgeOrigin(deps, breakers, delivery, sent) : []
      return { output, writes: [...entry, ...judged] }
    },
  }
}
