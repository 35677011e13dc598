import { readAll, readFirst, run, type Store, type Unit } from 'durable-xstate-sql'
import { listColumns, type RowOf, rowExists, toNullableColumns } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { toTimestamp } from '../base/clock.ts'
import { deriveRowKey } from '../database/row_mac.ts'
import { columnsOf } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { type Actor, appendAudit } from '../identity/operators/audit.ts'
import type { OperatorDeps } from '../identity/operators/operators.ts'
import { insertOrigin, pauseOrigin, resumeOrigin, toOrigin, toOriginId } from '../webhooks/origins.ts'
import { readOriginHealth } from './origin_deliveries.ts'

const columns = {
  ...tables.origins.columns,
  account_name: columnsOf('accounts', 'name').name,
  paused_by_name: toNullableColumns(columnsOf('operators', 'name')).name,
} as const

export const originStates = ['healthy', 'failing', 'paused'] as const

type OriginState = (typeof originStates)[number]

function toState({ paused_at, failing_since }: RowOf<typeof columns>): OriginState {
  if (paused_at !== null) return 'paused'
  return failing_since === null ? 'healthy' : 'failing'
}

function toView(row: RowOf<typeof columns>) {
  return {
    account_id: row.account_id,
    account_name: row.account_name,
    origin: row.origin,
    state: toState(row),
    failing_since: toTimestamp(row.failing_since),
    paused_at: toTimestamp(row.paused_at),
    // Null where its failures did.
    paused_by: row.paused_by === null ? null : { operator_id: row.paused_by, name: row.paused_by_name ?? '' },
  }
}

const selectOrigins = `SELECT ${listColumns(tables.origins.columns, 'o')}, a.name AS account_name, p.name AS paused_by_name
  FROM origins o JOIN accounts a ON a.id = o.account_id LEFT JOIN operators p ON p.id = o.paused_by`

const stateConditions: Readonly<Record<OriginState, string>> = {
  paused: 'o.paused_at IS NOT NULL',
  failing: 'o.paused_at IS NULL AND o.failing_since IS NOT NULL',
  healthy: 'o.paused_at IS NULL AND o.failing_since IS NULL',
}

const unknownHealth = { tried: 0, delivered: 0, waiting: 0, last_error: null }

/** A page of origins by account, after the id `after`. */
export async function listOrigins(
  store: Store,
  { account_id, state }: { readonly account_id: string | null; readonly state: OriginState | null },
  { after, limit }: { readonly after: string | null; readonly limit: number },
) {
  const conditions = [
    ...(account_id === null ? [] : [['o.account_id = ?', account_id] as const]),
    ...(after === null ? [] : [['o.id > ?', after] as const]),
  ]
  const where = ['1 = 1', ...conditions.map(([sql]) => sql), ...(state === null ? [] : [stateConditions[state]])]
  const sql = `${selectOrigins} WHERE ${where.join(' AND ')} ORDER BY o.id LIMIT ${limit + 1}`
  const rows = await readAll(store, { sql, values: conditions.map(([, value]) => value), columns })
  const shown = rows.slice(0, limit)
  const health = await Promise.all(shown.map(({ id }) => readOriginHealth(store, id)))
  const data = shown.map((row, index) => ({ ...toView(row), ...(health[index] ?? unknownHealth) }))
  return { data, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}

/** An origin of an account, by any URL of it. @throws {ApiError} `not_found` */
export async function readOrigin(store: Store, account_id: string, url: string) {
  if (!URL.canParse(url)) throw new ApiError('invalid_field', 'origin: must be scheme://host:port of https or http')
  const id = toOriginId(account_id, url)
  const row = await readFirst(store, { sql: `${selectOrigins} WHERE o.id = ?`, values: [id], columns })
  if (row === null) throw new ApiError('not_found', 'origin: not found')
  return { ...toView(row), ...(await readOriginHealth(store, id)) }
}

/**
 * Pauses deliveries to an origin of an account, named by any URL of it, or lets them go on.
 * @throws {ApiError} `not_found`, `invalid_field`
 */
export async function switchOrigin(
  { store, clock, serviceKeys }: OperatorDeps,
  by: Actor & { readonly operator_id: string },
  { account_id, origin: url }: { readonly account_id: string; readonly origin: string },
  isPaused: boolean,
) {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ApiError('invalid_field', 'origin: must be scheme://host:port of https or http')
  if (!(await rowExists(store, { sql: 'SELECT id FROM accounts WHERE id = ?', values: [account_id] })))
    throw new ApiError('not_found', 'account_id: not found')
  const id = toOriginId(account_id, url)
  const now = clock.now()
  const subject = { type: 'origin', id: toOrigin(url).slice(0, 255) } as const
  const event = { action: isPaused ? 'origin_paused' : 'origin_resumed', account_id, subject } as const
  const origins = { store, rowKey: deriveRowKey(serviceKeys) }
  await insertOrigin(origins, id, url)
  await store.commit(function* (): Unit<void> {
    if (isPaused) yield* pauseOrigin(origins, id, by.operator_id, now)
    else yield* run(resumeOrigin(origins.rowKey, id))
    yield* appendAudit(store, now, by, event)
  })
  return readOrigin(store, account_id, url)
}
