import { type Host, readAll, readFirst, runAll, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, recordNothing, toNullableColumns } from 'durable-xstate-sql/sql'
import { ApiError, toApiError } from '../base/api_error.ts'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { columnsOf, type TableRow } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { parseConfig } from '../verification/transactions/rows.ts'
import { decryptResponse } from './attempts.ts'
import type { DeliveryDefinition } from './delivery.ts'
import { type KeyRow, keyColumns } from './delivery_request.ts'
import { type OriginDeps, retryOrigin, toOrigin } from './origins.ts'

export interface DeliveryDeps extends OriginDeps {
  readonly host: Host
  readonly definition: DeliveryDefinition
  /** The customer's data key, or null if it was destroyed. */
  readonly customerKey: (row: KeyRow) => Uint8Array | null
}

/** A list shows the latest. */
const maxAttempts = 200

/** `answer` is null also if the customer was erased. */
function toAttemptView(row: TableRow<'delivery_attempts'>, key: Uint8Array | null) {
  const response = row.answer
  return {
    attempt: row.attempt,
    started_at: isoTimestamp(row.started_at),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    http_status: row.http_status,
    address: row.address,
    error: row.error,
    answer: response === null || key === null ? null : decryptResponse(key, row.id, response),
  }
}

// A delivery has at most one scheduled job; a leased job is in flight.
const listedColumns = {
  ...columnsOf('deliveries', 'id', 'event_id', 'sequence', 'notified_status', 'status', 'occurred_at'),
  ...toNullableColumns(columnsOf('origins', 'paused_at')),
  next_at: toNullableColumns(tables.scheduled_jobs.columns).ready_at,
} as const

const selectDeliveries = `SELECT d.*, o.paused_at, u.ready_at AS next_at FROM deliveries d
  LEFT JOIN origins o ON o.id = d.origin_id LEFT JOIN scheduled_jobs u ON u.actor_id = d.id AND u.lease IS NULL
  WHERE d.transaction_id = ? ORDER BY d.sequence`

const selectAttempts = `SELECT a.* FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
  WHERE d.transaction_id = ? ORDER BY a.started_at DESC, a.id DESC LIMIT ${maxAttempts}`

/** The deliveries of a transaction, in order, each with its attempts. @throws {ApiError} `not_found` */
export async function listDeliveries({ store, customerKey }: DeliveryDeps, account_id: string, transaction_id: string) {
  const sql = `SELECT t.config, t.customer_id, c.data_key FROM transactions t
    JOIN customers c ON c.id = t.customer_id WHERE t.id = ? AND t.account_id = ? AND t.erasure_id IS NULL`
  const transaction = await readFirst(store, {
    sql,
    values: [transaction_id, account_id],
    columns: { ...columnsOf('transactions', 'config'), ...keyColumns },
  })
  if (transaction === null) throw new ApiError('not_found', 'transaction_id: not found')
  const { webhook } = parseConfig(transaction)
  if (webhook === null) return []
  const key = customerKey(transaction)
  const values = [transaction_id]
  const { columns } = tables.delivery_attempts
  const attempts = (await readAll(store, { sql: selectAttempts, values, columns })).toReversed()
  return (await readAll(store, { sql: selectDeliveries, values, columns: listedColumns })).map(row => ({
    delivery_id: row.id,
    event_id: row.event_id,
    sequence: row.sequence,
    status: row.notified_status,
    state: row.status,
    occurred_at: isoTimestamp(row.occurred_at),
    next_attempt_at: toTimestamp(row.next_at),
    origin: toOrigin(webhook.url),
    origin_paused_at: toTimestamp(row.paused_at),
    attempts: attempts.filter(one => one.delivery_id === row.id).map(one => toAttemptView(one, key)),
  }))
}

export type DeliveryView = Awaited<ReturnType<typeof listDeliveries>>[number]

/** `account_id` is null for the operator, who may redeliver for every account. */
export interface RedeliveryRequest {
  readonly account_id: string | null
  readonly transaction_id: string
  readonly delivery_id: string
  /** A record that is committed with the redelivery. */
  readonly record?: CommitRecord
}

/**
 * Sends an ended delivery again, starting with the first attempt, after earlier deliveries of the transaction. Resumes
 * an origin that its failures paused, also for a delivery that waits there. @throws {ApiError} `not_found`,
 * `not_allowed_in_state` while it is in flight
 */
export async function redeliver(
  { store, rowKey, host, definition }: DeliveryDeps,
  asked: RedeliveryRequest,
): Promise<void> {
  const { account_id, transaction_id, delivery_id, record = recordNothing } = asked
  const sql = `SELECT d.account_id, d.transaction_id, d.origin_id FROM deliveries d
    JOIN transactions t ON t.id = d.transaction_id JOIN customers c ON c.id = t.customer_id
    WHERE d.id = ? AND t.erasure_id IS NULL`
  const row = await readFirst(store, {
    sql,
    values: [delivery_id],
    columns: columnsOf('deliveries', 'account_id', 'transaction_id', 'origin_id'),
  })
  const isAllowed = account_id === null || row?.account_id === account_id
  if (row === null || !isAllowed || row.transaction_id !== transaction_id)
    throw new ApiError('not_found', 'delivery_id: not found')
  const origin_id = row.origin_id
  const resuming = origin_id === null ? [] : [retryOrigin(rowKey, origin_id)]
  try {
    await host.send(definition, delivery_id, { type: 'REDELIVER' }, { writes: resuming, record })
  } catch (error) {
    if (toApiError(error)?.code !== 'not_allowed_in_state') throw error
    // A delivery that waits at a paused origin has not ended; its caller wants to resume the origin.
    const isResumed = await store.commit(function* (): Unit<boolean> {
      const [origin] = yield* runAll(resuming)
      if (origin === undefined || origin.changed === 0) return false
      yield* record()
      return true
    })
    if (isResumed) return
    throw new ApiError('not_allowed_in_state', 'delivery_id: is in flight')
  }
}

/** Returns why a delivery can't be redelivered now, so that the caller can go on with others; null if it could. */
export async function tryRedeliver(deps: DeliveryDeps, asked: RedeliveryRequest): Promise<ApiError | null> {
  try {
    await redeliver(deps, asked)
    return null
  } catch (error) {
    const reason = toApiError(error)
    if (reason === null || reason.code === 'unavailable') throw error
    return reason
  }
}
