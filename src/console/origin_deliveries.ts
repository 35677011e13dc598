import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf, toNullableColumns, toPlaceholders } from 'durable-xstate-sql/sql'
import type { DeliveryStatus } from '../../machines/delivery.ts'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { toOriginId } from '../webhooks/origins.ts'

/** A rate is of so many of the newest deliveries. */
const ratedDeliveries = 100
/** Those that wait are counted among so many of the newest. */
const countedDeliveries = 1000

/** The states from which a delivery may still arrive by itself. */
const waitingStates: readonly DeliveryStatus[] = ['PENDING', 'ATTEMPTING', 'BACKING_OFF', 'DELAYED']

const columns = {
  ...columnsOf('deliveries', 'id', 'transaction_id', 'sequence', 'notified_status', 'status', 'occurred_at'),
  ...toNullableColumns(columnsOf('delivery_attempts', 'started_at', 'outcome', 'http_status', 'error')),
  attempts: 'count',
} as const

function toView(row: RowOf<typeof columns>) {
  return {
    delivery_id: row.id,
    transaction_id: row.transaction_id,
    sequence: row.sequence,
    status: row.notified_status,
    state: row.status,
    occurred_at: isoTimestamp(row.occurred_at),
    attempts: row.attempts,
    last_attempt_at: toTimestamp(row.started_at),
    // Why its last attempt failed; null where it did not.
    error: row.outcome === null || row.outcome === 'delivered' ? null : (row.error ?? `HTTP ${row.http_status}`),
  }
}

export interface OriginDeliveryPosition {
  readonly occurred_at: number
  readonly id: string
}

/** A page of the deliveries to an origin, the newest first. */
export async function listOriginDeliveries(
  store: Store,
  { account_id, origin }: { readonly account_id: string; readonly origin: string },
  { after, limit }: { readonly after: OriginDeliveryPosition | null; readonly limit: number },
) {
  const lastAttempt = 'SELECT id FROM delivery_attempts l WHERE l.delivery_id = d.id ORDER BY l.started_at DESC LIMIT 1'
  // In this form both database engines seek directly in the index.
  const beyond = after === null ? '' : ' AND d.occurred_at <= ? AND (d.occurred_at < ? OR d.id < ?)'
  const from = after === null ? [] : [after.occurred_at, after.occurred_at, after.id]
  const rows = await readAll(store, {
    sql: `SELECT ${listColumns(columnsOf('deliveries', 'id', 'transaction_id', 'sequence', 'notified_status', 'status', 'occurred_at'), 'd')},
        a.started_at, a.outcome, a.http_status, a.error,
        (SELECT COUNT(*) FROM delivery_attempts n WHERE n.delivery_id = d.id) AS attempts
      FROM deliveries d LEFT JOIN delivery_attempts a ON a.id = (${lastAttempt})
      WHERE d.origin_id = ?${beyond} ORDER BY d.origin_id DESC, d.occurred_at DESC, d.id DESC LIMIT ${limit + 1}`,
    values: [toOriginId(account_id, origin), ...from],
    columns,
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(toView),
    next: rows.length > limit && last !== undefined ? { occurred_at: last.occurred_at, id: last.id } : null,
  }
}

const rateColumns = { status: columns.status, count: 'count' } as const
const errorColumns = toNullableColumns(columnsOf('delivery_attempts', 'started_at', 'http_status', 'error'))

/**
 * Counts of the newest deliveries to an origin: how many were tried, how many of them arrived and how many still wait; and
 * the last error.
 */
export async function readOriginHealth(store: Store, origin_id: string) {
  const newestOf = (limit: number): string => `SELECT id, status, occurred_at FROM deliveries WHERE origin_id = ?
    ORDER BY origin_id DESC, occurred_at DESC, id DESC LIMIT ${limit}`
  const newest = newestOf(ratedDeliveries)
  const groups = await readAll(store, {
    sql: `SELECT status, COUNT(*) AS count FROM (${newest}) d GROUP BY status`,
    values: [origin_id],
    columns: rateColumns,
  })
  const waiting = await readFirst(store, {
    sql: `SELECT COUNT(*) AS count FROM (${newestOf(countedDeliveries)}) d WHERE status IN (${toPlaceholders(waitingStates)})`,
    values: [origin_id, ...waitingStates],
    columns: { count: rateColumns.count },
  })
  const failed = await readFirst(store, {
    sql: `SELECT a.started_at, a.http_status, a.error FROM (${newest}) d JOIN delivery_attempts a ON a.delivery_id = d.id
      WHERE a.outcome <> 'delivered' ORDER BY a.started_at DESC LIMIT 1`,
    values: [origin_id],
    columns: errorColumns,
  })
  const countOf = (...states: readonly string[]): number =>
    groups.reduce((sum, { status, count }) => sum + (states.includes(status) ? count : 0), 0)
  const delivered = countOf('DELIVERED')
  return {
    tried: delivered + countOf('BACKING_OFF', 'DELAYED', 'EXHAUSTED', 'GONE'),
    delivered,
    waiting: waiting?.count ?? 0,
    last_error:
      failed === null || failed.started_at === null
        ? null
        : { at: isoTimestamp(failed.started_at), text: failed.error ?? `HTTP ${failed.http_status}` },
  }
}
