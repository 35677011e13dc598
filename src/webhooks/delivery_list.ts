import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns, type RowOf, toNullableColumns } from 'durable-xstate-sql/sql'
import type { DeliveryStatus } from '../../machines/delivery.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { type DeliveryDeps, tryRedeliver } from './deliveries.ts'

const columns = columnsOf(
  'deliveries',
  'id',
  'transaction_id',
  'event_id',
  'sequence',
  'notified_status',
  'status',
  'occurred_at',
)

/** `status` is the transaction's that the integrator is notified of, reached at `occurred_at`. */
function toListedDelivery(row: RowOf<typeof columns>) {
  return {
    delivery_id: row.id,
    transaction_id: row.transaction_id,
    event_id: row.event_id,
    sequence: row.sequence,
    status: row.notified_status,
    state: row.status,
    occurred_at: isoTimestamp(row.occurred_at),
  }
}

export type ListedDelivery = ReturnType<typeof toListedDelivery>

/** The last delivery that a page scanned; the next page begins after it. */
export interface DeliveryPosition {
  readonly occurred_at: number
  readonly id: string
}

/** `null` filters nothing; `from` (inclusive) and `to` (exclusive) are epoch milliseconds of the status. */
export interface DeliveryPage {
  readonly filter: {
    readonly state: readonly DeliveryStatus[] | null
    readonly from: number | null
    readonly to: number | null
  }
  readonly after: DeliveryPosition | null
  /** Number of deliveries, at most 100. */
  readonly limit: number
}

const scannedColumns = { ...columns, is_there: 'count' } as const

/** Rows that a page scans at most, so that a rare state doesn't make one page slow. */
export const scannedRows = 500

/**
 * A page of an account's deliveries, oldest first. A page may hold few rows, or none, and still have a `next`.
 */
export async function listAccountDeliveries(
  store: Store,
  account_id: string,
  { filter: { state, from, to }, after, limit }: DeliveryPage,
): Promise<{ readonly data: readonly ListedDelivery[]; readonly next: DeliveryPosition | null }> {
  const sql = `SELECT ${listColumns(columns)}, (SELECT COUNT(*) FROM transactions t JOIN customers c ON c.id = t.customer_id
      WHERE t.id = transaction_id AND t.erasure_id IS NULL) AS is_there
    FROM deliveries WHERE account_id = ? AND occurred_at >= ? AND occurred_at < ? AND (occurred_at > ? OR id > ?)
    ORDER BY account_id, occurred_at, id LIMIT ${scannedRows}`
  const { occurred_at, id } = after ?? { occurred_at: -1, id: '' }
  const values = [account_id, Math.max(from ?? 0, occurred_at), to ?? Number.MAX_SAFE_INTEGER, occurred_at, id]
  const rows = await readAll(store, { sql, values, columns: scannedColumns })
  const matches = (row: RowOf<typeof scannedColumns>): boolean =>
    row.is_there === 1 && (state === null || state.includes(row.status))
  const matching = rows.filter(matches)
  const shown = matching.slice(0, limit)
  const last = matching.length > limit ? shown.at(-1) : rows[scannedRows - 1]
  return {
    data: shown.map(toListedDelivery),
    next: last === undefined ? null : { occurred_at: last.occurred_at, id: last.id },
  }
}

/** Redelivers a page of an account's deliveries, oldest first, and counts those that could be. */
export async function redeliverPage(
  deps: DeliveryDeps,
  account_id: string,
  page: DeliveryPage,
): Promise<{ readonly redelivered: number; readonly next: DeliveryPosition | null }> {
  const { data, next } = await listAccountDeliveries(deps.store, account_id, page)
  let redelivered = 0
  for (const { delivery_id, transaction_id } of data)
    if ((await tryRedeliver(deps, { account_id, transaction_id, delivery_id })) === null) redelivered++
  return { redelivered, next }
}

/** The operator's filter, over all accounts; `null` filters nothing. */
export interface DeliveryFilter {
  readonly transaction_id: string | null
  readonly state: DeliveryStatus | null
  readonly from: number | null
  readonly to: number | null
}

/** A delivery for operators: also the account, and the origin of the receiver. */
export interface FoundDelivery extends ListedDelivery {
  readonly account_id: string
  /** `scheme://host:port` of the receiver. */
  readonly origin: string | null
}

const pageRows = 500
const foundColumns = {
  ...columns,
  ...columnsOf('deliveries', 'account_id'),
  ...toNullableColumns(columnsOf('origins', 'origin')),
} as const

/** Deliveries of every account by id, which is roughly by time; reads a page at a time. */
export async function* findDeliveries(store: Store, filter: DeliveryFilter): AsyncGenerator<FoundDelivery> {
  const conditions = [
    ['d.transaction_id = ?', filter.transaction_id],
    ['d.status = ?', filter.state],
    ['d.occurred_at >= ?', filter.from],
    ['d.occurred_at < ?', filter.to],
  ] as const
  const given = conditions.filter(([, value]) => value !== null)
  const sql = `SELECT ${listColumns(columns, 'd')}, d.account_id, o.origin
    FROM deliveries d LEFT JOIN origins o ON o.id = d.origin_id
    WHERE d.id > ?${given.map(([condition]) => ` AND ${condition}`).join('')} ORDER BY d.id LIMIT ${pageRows}`
  for (let after = ''; ; ) {
    const values = [after, ...given.map(([, value]) => value)]
    const rows = await readAll(store, { sql, values, columns: foundColumns })
    yield* rows.map(row => ({ ...toListedDelivery(row), account_id: row.account_id, origin: row.origin }))
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.id
  }
}
