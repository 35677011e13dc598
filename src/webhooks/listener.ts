import type { AttemptOutput } from '../../machines/delivery.ts'
import { ApiError } from '../base/api_error.ts'
import { type Clock, wait } from '../base/clock.ts'
import { listener_host } from '../base/listener_host.ts'
import type { JobInput, JobQueue } from '../durable/actors/chart_types.ts'
import type { Host } from '../durable/actors/host.ts'
import { jobDone } from '../durable/actors/xstate.ts'
import { columnsOf, listOf, type RowOf } from '../durable/store/columns.ts'
import { claimParked } from '../durable/store/scheduled_jobs.ts'
import { readFirst, type Store } from '../durable/store/store.ts'
import { attemptEntry } from './attempts.ts'
import type { DeliveryActor, DeliveryKind } from './delivery.ts'
import { type KeyRow, key_columns, notification_columns, notificationIn, prepareDelivery } from './delivery_request.ts'
import { originId, originOf } from './origins.ts'
import { type Outcome, readAnswer } from './outcome.ts'
import type { SigningKey } from './sign.ts'

/** A test account's webhooks to here are nobody's to dial (RFC 6761: `.invalid` resolves nowhere): a listener takes them. */
const listen_url = `https://${listener_host}/`

/** Whether a listener takes what goes to `url`; on another port it is a host that there is not. */
export const isForListener = (url: string): boolean => originOf(url) === originOf(listen_url)

/** How long a listener has for one attempt before another may take it, in milliseconds. */
export const listener_lease_ms = 30_000

/** What a listener works with. */
export interface ListenerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly host: Host
  readonly kind: DeliveryKind
  readonly signingKey: () => Promise<SigningKey>
  /** The key of the customer in a row with `customer_id` and `data_key`, or null where it was destroyed. */
  readonly customerKey: (row: KeyRow) => Uint8Array | null
  readonly version: string
}

/** One attempt, to be made by whoever holds `lease`. */
export interface ListenedAttempt {
  readonly delivery_id: string
  readonly lease: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What became of it: the answer's status, or why there was none. */
export interface HeardAnswer {
  readonly status: number | null
  readonly error: string | null
  readonly retry_after: string | null
  readonly duration_ms: number
}

/** The deliveries of a test account to `listen_url`, for a developer's own machine to make. */
export interface Listener {
  /** The next attempt, or null when none came within `wait_ms`. */
  next(account_id: string, wait_ms: number, signal: AbortSignal): Promise<ListenedAttempt | null>
  /** @throws {ApiError} `conflict` where the lease is over, `not_found` */
  heard(account_id: string, delivery_id: string, lease: string, answer: HeardAnswer): Promise<void>
}

const columns = { ...notification_columns, ...key_columns } as const

const selectDelivery = `SELECT ${listOf(notification_columns, 'd')}, t.customer_id, c.data_key FROM deliveries d JOIN transactions t ON t.id = d.transaction_id
  LEFT JOIN customers c ON c.id = t.customer_id WHERE d.id = ? AND d.account_id = ?`

/** Work of another node is seen after this long. */
const look_again_ms = 500

const outcomeOf = ({ status, error, retry_after, duration_ms }: HeardAnswer, now: number): Outcome => {
  const heard = { duration_ms, address: null, answer: null }
  if (status === null) return { outcome: 'failed', status, error: error ?? 'no answer', retry_after_ms: null, ...heard }
  return { ...readAnswer(status, retry_after ?? undefined, now), ...heard }
}

const queue: JobQueue<DeliveryActor['chart']> = 'attempt'

const attemptOf = (payload: unknown): number => (payload as JobInput<DeliveryActor['chart'], typeof queue>).attempt

/** Opens the listener of a node. A listener is one more hand of the queue of attempts, its lease the same fence. */
export const openListener = (deps: ListenerDeps): Listener => {
  const { store, clock, host, kind, signingKey, customerKey, version } = deps
  const find = (account_id: string, id: string): Promise<RowOf<typeof columns> | null> =>
    readFirst(store, { sql: selectDelivery, values: [id, account_id], columns })

  const take = async (account_id: string): Promise<ListenedAttempt | null> => {
    const lane = originId(account_id, listen_url)
    const job = await claimParked(store, queue, lane, { now: clock.now(), lease_ms: listener_lease_ms })
    const row = job === null ? null : await find(account_id, job.actor_id)
    if (job === null || row === null) return null
    const key = await signingKey()
    const [delivery_id, attempt, now] = [job.actor_id, attemptOf(job.payload), clock.now()]
    const request = await prepareDelivery({
      notification: notificationIn(row),
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
        await wait(clock, Math.min(left, look_again_ms), signal)
      }
    },
    async heard(account_id, delivery_id, lease, answer) {
      const row = await find(account_id, delivery_id)
      if (row === null) throw new ApiError('not_found', 'delivery_id: not found')
      const [due_id = '', token = ''] = lease.split('.')
      const job = await readFirst(store, {
        sql: 'SELECT payload FROM due WHERE id = ? AND lease = ?',
        values: [due_id, token],
        columns: columnsOf('due', 'payload'),
      })
      if (job === null) throw new ApiError('conflict', 'lease: is over')
      const attempt = attemptOf(JSON.parse(job.payload))
      const sent = outcomeOf(answer, clock.now())
      const output: AttemptOutput = { outcome: sent.outcome, jitter: 0, retry_after_ms: sent.retry_after_ms }
      const started_at = clock.now() - answer.duration_ms
      const made = { account_id, transaction_id: row.transaction_id, delivery_id, attempt, started_at, sent }
      const writes = attemptEntry(store.dialect, { ...made, key: customerKey(row) })
      const fence = { due_id, lease: token }
      await host.send(kind, delivery_id, jobDone('attempt', output), { fence, writes })
    },
  }
}
