import { type AttemptOutcome, judgeResponse } from '@attestor/outbound'
import { readFirst } from 'durable-xstate-sql'
import { claimPostponed, type JobInput, type JobQueue, jobDone, listColumns, type RowOf } from 'durable-xstate-sql/sql'
import type { AttemptOutput } from '../../machines/delivery.ts'
import { ApiError } from '../base/api_error.ts'
import { type Clock, wait } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import type { SigningKey } from '../identity/keys/sign.ts'
import { listenerHost } from '../verification/transactions/config.ts'
import { insertAttempt } from './attempts.ts'
import type { DeliveryDeps } from './deliveries.ts'
import type { DeliveryActor } from './delivery.ts'
import { keyColumns, notificationColumns, prepareDelivery, toNotification } from './delivery_request.ts'
import { toOrigin, toOriginId } from './origins.ts'

/** A listener takes a test account's webhooks to this URL. `.invalid` never resolves (RFC 6761). */
const listenerUrl = `https://${listenerHost}/`

export function isForListener(url: string): boolean {
  return toOrigin(url) === toOrigin(listenerUrl)
}

/** A listener has so long for one attempt before another may take it. */
const listenerLeaseMs = 30_000

export interface ListenerDeps extends DeliveryDeps {
  readonly clock: Clock
  readonly signingKey: () => Promise<SigningKey>
  readonly version: string
}

/** One attempt, for the holder of `lease` to make. */
export interface LeasedAttempt {
  readonly delivery_id: string
  readonly lease: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response's status, or why there was none. */
export interface ReportedOutcome {
  readonly status: number | null
  readonly error: string | null
  readonly retry_after: string | null
  readonly duration_ms: number
}

/** The deliveries of a test account to `listen_url`, for a developer's own machine to make. */
export interface Listener {
  /** The next attempt, or null when none came within `wait_ms`. */
  next(account_id: string, wait_ms: number, signal: AbortSignal): Promise<LeasedAttempt | null>
  /** @throws {ApiError} `conflict` if the lease has ended, `not_found` */
  report(account_id: string, delivery_id: string, lease: string, outcome: ReportedOutcome): Promise<void>
}

const columns = { ...notificationColumns, ...keyColumns } as const

const selectDelivery = `SELECT ${listColumns(notificationColumns, 'd')}, t.customer_id, c.data_key FROM deliveries d JOIN transactions t ON t.id = d.transaction_id
  LEFT JOIN customers c ON c.id = t.customer_id WHERE d.id = ? AND d.account_id = ?`

/** Deliveries that other nodes schedule are looked for this often. */
const pollMs = 500

function toOutcome({ status, error, retry_after, duration_ms }: ReportedOutcome, now: number): AttemptOutcome {
  const rest = { duration_ms, address: null, response: null }
  if (status === null) return { outcome: 'failed', status, error: error ?? 'no answer', retry_after_ms: null, ...rest }
  return { ...judgeResponse({ status, retry_after: retry_after ?? undefined }, now), ...rest }
}

const queue: JobQueue<DeliveryActor['chart']> = 'attempt'

function readAttemptNumber(payload: unknown): number {
  return (payload as JobInput<DeliveryActor['chart'], typeof queue>).attempt
}

/** A listener takes attempts from the workers' queue, and its lease fences their results in the same way. */
export function openListener(deps: ListenerDeps): Listener {
  const { store, clock, host, definition, signingKey, customerKey, version } = deps
  const find = (account_id: string, id: string): Promise<RowOf<typeof columns> | null> =>
    readFirst(store, { sql: selectDelivery, values: [id, account_id], columns })

  const take = async (account_id: string): Promise<LeasedAttempt | null> => {
    const lane = toOriginId(account_id, listenerUrl)
    const job = await claimPostponed(store, queue, lane, { now: clock.now(), leaseMs: listenerLeaseMs })
    const row = job === null ? null : await find(account_id, job.actor_id)
    if (job === null || row === null) return null
    const key = await signingKey()
    const delivery_id = job.actor_id
    const attempt = readAttemptNumber(job.payload)
    const now = clock.now()
    const request = await prepareDelivery({
      notification: toNotification(row),
      delivery_id,
      attempt,
      key,
      now,
      version,
    })
    return { delivery_id, lease: `${job.id}.${job.lease}`, ...request }
  }

  return {
    async next(account_id, wait_ms, signal) {
      const until = clock.monotonic() + wait_ms
      for (;;) {
        const taken = await take(account_id)
        const left = until - clock.monotonic()
        if (taken !== null || left <= 0 || signal.aborted) return taken
        await wait(clock, Math.min(left, pollMs), signal)
      }
    },
    async report(account_id, delivery_id, lease, answer) {
      const row = await find(account_id, delivery_id)
      if (row === null) throw new ApiError('not_found', 'delivery_id: not found')
      const [job_id = '', token = ''] = lease.split('.')
      const job = await readFirst(store, {
        sql: 'SELECT payload FROM scheduled_jobs WHERE id = ? AND lease = ?',
        values: [job_id, token],
        columns: columnsOf('scheduled_jobs', 'payload'),
      })
      if (job === null) throw new ApiError('conflict', 'lease: has expired')
      const attempt = readAttemptNumber(JSON.parse(job.payload))
      const sent = toOutcome(answer, clock.now())
      const output: AttemptOutput = { outcome: sent.outcome, jitter: 0, retry_after_ms: sent.retry_after_ms }
      const started_at = clock.now() - answer.duration_ms
      const made = { account_id, transaction_id: row.transaction_id, delivery_id, attempt, started_at, sent }
      const writes = insertAttempt(store.dialect, { ...made, key: customerKey(row) })
      const fence = { job_id, lease: token }
      await host.send(definition, delivery_id, jobDone('attempt', output), { fence, writes })
    },
  }
}
