import {
  type AttemptOutcome,
  type Connections,
  createConnectionPool,
  type Guard,
  sendWebhook,
} from '@attestor/outbound'
import { createLanePolicy, type Job, JobError, type JobHandler, PostponeJob, type Statement } from 'durable-xstate-sql'
import { type JobInput, listColumns, type RowOf, requireKnownChart, toNullableColumns } from 'durable-xstate-sql/sql'
import type { AttemptOutput } from '../../machines/delivery.ts'
import type { Clock } from '../base/clock.ts'
import { addLogFields, type Log } from '../base/log.ts'
import { drawInteger } from '../base/random.ts'
import { columnsOf } from '../database/schema.ts'
import type { SigningKey } from '../identity/keys/sign.ts'
import type { TestScript } from '../verification/transactions/config.ts'
import { parseConfig } from '../verification/transactions/rows.ts'
import { insertAttempt } from './attempts.ts'
import type { Breakers } from './breaker.ts'
import type { DeliveryActor, DeliveryDefinition } from './delivery.ts'
import { type KeyRow, keyColumns, notificationColumns, prepareDelivery, toNotification } from './delivery_request.ts'
import { divideFairly, findNextInstant, isServedAtOnce, originDetails } from './fair_share.ts'
import { gatherReads } from './gathered_reads.ts'
import { isForListener } from './listener.ts'
import { insertOrigin, markFailed, markRecovered, type OriginDeps, toOrigin } from './origins.ts'
import { findScriptedOutcome } from './scripted_outcome.ts'

export interface DeliveryHandlerDeps extends OriginDeps {
  readonly clock: Clock
  readonly log: Log
  readonly breakers: Breakers
  readonly definition: DeliveryDefinition
  readonly guard: Guard
  readonly signingKey: () => Promise<SigningKey>
  /** The customer's data key, or null if it was destroyed. */
  readonly customerKey: (row: KeyRow) => Uint8Array | null
  readonly version: string
  readonly slots: number
  readonly origin_slots: number
  /** An origin that failed for this long is paused. */
  readonly pause_ms: number
}

const deliveryColumns = {
  ...columnsOf('deliveries', 'id', 'account_id', 'chart_version', 'origin_id'),
  ...notificationColumns,
} as const

const columns = {
  ...deliveryColumns,
  ...columnsOf('transactions', 'config'),
  ...columnsOf('accounts', 'mode'),
  ...keyColumns,
  ...toNullableColumns(columnsOf('origins', 'failing_since', 'paused_at')),
} as const

const selectDeliveries = `SELECT ${listColumns(deliveryColumns, 'd')}, t.config, t.customer_id, a.mode, c.data_key,
    o.failing_since, o.paused_at
  FROM deliveries d JOIN transactions t ON t.id = d.transaction_id JOIN accounts a ON a.id = d.account_id
  LEFT JOIN customers c ON c.id = t.customer_id AND t.erasure_id IS NULL
  LEFT JOIN origins o ON o.id = d.origin_id WHERE d.id`

/** −1 to 1. Drawn here, because a step of the chart is pure. */
function drawJitter(): number {
  return drawInteger(-1000, 1001) / 1000
}

interface AddressedDelivery {
  readonly row: RowOf<typeof columns>
  readonly url: string
  readonly attempt: number
  /** The receiver that a test account scripts. */
  readonly scripted: TestScript['webhook']
}

type ReadDelivery = (id: string) => Promise<AddressedDelivery['row'] | null>

async function readDelivery(
  { definition }: DeliveryHandlerDeps,
  read: ReadDelivery,
  job: Job<JobInput<DeliveryActor['chart'], 'attempt'>>,
): Promise<AddressedDelivery> {
  const row = await read(job.actor_id)
  if (row === null) throw new JobError('DELIVERY_MISSING', 'the delivery is gone')
  requireKnownChart(definition, row)
  const { webhook, test } = parseConfig(row)
  if (webhook === null) throw new JobError('DELIVERY_MISSING', 'the transaction names no receiver')
  const { attempt } = job.payload
  return { row, url: webhook.url, attempt, scripted: test?.webhook ?? null }
}

/** An attempt waits so long for a listener. */
const parkedMs = 24 * 3600 * 1000

/** The outcome that a test account scripted, or null. @throws {PostponeJob} if a listener takes the attempt */
async function findOutcomeWithoutSending(
  { store, clock }: DeliveryHandlerDeps,
  { row, url, scripted }: AddressedDelivery,
): Promise<AttemptOutcome | null> {
  const scriptedOutcome = await findScriptedOutcome(store, row.id, scripted)
  if (scriptedOutcome === null && row.mode === 'test' && isForListener(url))
    throw new PostponeJob(clock.now() + parkedMs)
  return scriptedOutcome
}

async function send(
  deps: DeliveryHandlerDeps,
  connections: Connections,
  { row, url, attempt }: AddressedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { clock, guard, version } = deps
  const notification = toNotification(row)
  const key = await deps.signingKey()
  const delivery_id = row.id
  const request = await prepareDelivery({ notification, delivery_id, attempt, key, now: clock.now(), version })
  const pool = { connections, owner: row.account_id }
  return sendWebhook({ url, ...request, guard, clock, signal, pool })
}

/** Records the outcome in the origin's breaker on this node, and returns the changes of the origin's row. */
async function recordOriginOutcome(
  { store, rowKey, clock, log, pause_ms }: DeliveryHandlerDeps,
  breakers: Breakers,
  { row, url }: AddressedDelivery,
  sent: AttemptOutcome,
): Promise<readonly Statement[]> {
  const origin_id = row.origin_id
  if (origin_id === null) return []
  // A receiver that responds with 410 works.
  const isHealthy = sent.outcome !== 'failed'
  // Operators see the origin in their list from its first attempt on.
  if (breakers.standing(origin_id) === 'unknown') await insertOrigin({ store, rowKey }, origin_id, url)
  breakers.record(origin_id, isHealthy, sent.duration_ms)
  const { failing_since, paused_at } = row
  if (isHealthy) return failing_since === null ? [] : [markRecovered(rowKey, origin_id)]
  const now = clock.now()
  if (failing_since === null) await insertOrigin({ store, rowKey }, origin_id, url)
  else if (paused_at === null && failing_since <= now - pause_ms)
    log.warn(
      { account_id: row.account_id, origin: toOrigin(url), failing_since },
      'an origin is paused: every attempt failed; `attestor webhook resume` or a redelivery tries it again',
    )
  return markFailed(rowKey, origin_id, now, pause_ms)
}

/** Makes one signed attempt to notify an integrator. Anything that the receiver does is an outcome, never an error. */
export function deliveryHandler(deps: DeliveryHandlerDeps): JobHandler<DeliveryActor['chart'], 'attempt'> {
  const { clock, log, breakers, slots, origin_slots } = deps
  const connections = createConnectionPool(clock)
  const read = gatherReads(deps.store, columns, marks => `${selectDeliveries} IN (${marks})`)
  return {
    queue: 'attempt',
    slots: () => slots,
    lanes: createLanePolicy({
      details: originDetails,
      share(demand) {
        const options = { breakers, now: clock.now(), slots, origin_slots }
        return { portions: divideFairly(demand, options), again_at: findNextInstant(demand.lanes, options) }
      },
      admits: (lane, demand) =>
        breakers.standing(lane) === 'prompt' &&
        isServedAtOnce(lane, demand, { breakers, now: clock.now(), slots, origin_slots }),
    }),
    async handle(job, signal) {
      const delivery = await readDelivery(deps, read, job)
      const { row, attempt } = delivery
      // Its lane was not read where the attempt began at once. It waits there until the origin is resumed.
      if (row.paused_at !== null) throw new PostponeJob(clock.now())
      addLogFields({ transaction_id: row.transaction_id })
      const started_at = clock.now()
      const scripted = await findOutcomeWithoutSending(deps, delivery)
      const sent = scripted ?? (await send(deps, connections, delivery, signal))
      // Aborted because this node stops: that does not count as an attempt.
      signal.throwIfAborted()
      const { outcome, status, error, duration_ms, retry_after_ms } = sent
      const delivery_id = row.id
      const account_id = row.account_id
      const ids = { transaction_id: row.transaction_id, delivery_id, attempt }
      log.info({ ...ids, outcome, status, error, duration_ms }, 'a webhook was sent')
      const entry = insertAttempt(deps.store.dialect, {
        account_id,
        ...ids,
        started_at,
        sent,
        key: sent.response === null ? null : deps.customerKey(row),
      })
      const output: AttemptOutput = { outcome, jitter: outcome === 'failed' ? drawJitter() : 0, retry_after_ms }
      const originWrites = scripted === null ? await recordOriginOutcome(deps, breakers, delivery, sent) : []
      return { output, writes: [...entry, ...originWrites] }
    },
  }
}
