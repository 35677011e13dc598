import { readAll, run, runLater, type Statement, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import { commitNew, listColumns, rowExists } from 'durable-xstate-sql/sql'
import { computeCoveredMac, makeOriginId } from '../database/forged_rows.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { tables } from '../database/tables.ts'

/** `scheme://host:port` of a webhook URL. Each account has its own breaker and pause for an origin. */
export function toOrigin(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

export function toOriginId(account_id: string, url: string): string {
  return makeOriginId({ account_id, origin: toOrigin(url) })
}

export function readOriginAccount(origin_id: string): string {
  return origin_id.slice(0, 36)
}

export interface OriginDeps {
  readonly store: Store
  /** The key of rows' MACs. */
  readonly rowKey: Uint8Array
}

/** An origin has a row from its first failure on. Times are epoch milliseconds. */
interface OriginHealth {
  readonly failing_since: number | null
  readonly paused_at: number | null
}

/** `mac` of an origin that is not paused. */
function computeOpenMac(rowKey: Uint8Array, id: string): string {
  return computeCoveredMac(rowKey, 'origins', { id, paused_at: null, paused_by: null })
}

export async function insertOrigin({ store, rowKey }: OriginDeps, id: string, url: string): Promise<void> {
  const account_id = readOriginAccount(id)
  const health = { failing_since: null, paused_at: null, mac: computeOpenMac(rowKey, id) }
  const row = { id, account_id, origin: toOrigin(url), ...health }
  if (await rowExists(store, { sql: 'SELECT id FROM origins WHERE id = ?', values: [id] })) return
  await commitNew(store, () => runLater([insert('origins', row)]))
}

/** A success ends the run of failures and the pause that they caused. An operator's pause stays. */
export function markRecovered(rowKey: Uint8Array, id: string): Statement {
  const kept = (column: string, otherwise: string): string =>
    `${column} = CASE WHEN paused_by IS NULL THEN ${otherwise} ELSE ${column} END`
  return {
    sql: `UPDATE origins SET failing_since = NULL, ${kept('paused_at', 'NULL')}, ${kept('mac', '?')}
    WHERE id = ? AND failing_since IS NOT NULL`,
    values: [computeOpenMac(rowKey, id), id],
  }
}

/** Pauses an origin that has only failed for `pause_ms`: otherwise attempts would go on for ever. */
export function markFailed(rowKey: Uint8Array, id: string, now: number, pause_ms: number): readonly Statement[] {
  return [
    { sql: 'UPDATE origins SET failing_since = ? WHERE id = ? AND failing_since IS NULL', values: [now, id] },
    {
      sql: 'UPDATE origins SET paused_at = ?, mac = ? WHERE id = ? AND paused_at IS NULL AND failing_since <= ?',
      values: [now, computeCoveredMac(rowKey, 'origins', { id, paused_at: now, paused_by: null }), id, now - pause_ms],
    },
  ]
}

/** Ends a pause that failures caused. The next failure pauses the origin again. */
export function retryOrigin(rowKey: Uint8Array, id: string): Statement {
  return {
    sql: 'UPDATE origins SET paused_at = NULL, mac = ? WHERE id = ? AND paused_at IS NOT NULL AND paused_by IS NULL',
    values: [computeOpenMac(rowKey, id), id],
  }
}

/** Ends a pause, whether failures or an operator made it. */
export function resumeOrigin(rowKey: Uint8Array, id: string): Statement {
  return {
    sql: 'UPDATE origins SET paused_at = NULL, paused_by = NULL, mac = ? WHERE id = ? AND paused_at IS NOT NULL',
    values: [computeOpenMac(rowKey, id), id],
  }
}

/** Deliveries to an origin wait, on every node, until an operator resumes it. */
export function* pauseOrigin({ store, rowKey }: OriginDeps, id: string, paused_by: string, now: number): Unit<void> {
  const sql = `SELECT paused_at FROM origins WHERE id = ?${store.dialect.forUpdate}`
  const before = yield* selectFirst({ sql, values: [id], columns: columnsOf('origins', 'paused_at') })
  const paused_at = before?.paused_at ?? now
  const mac = computeCoveredMac(rowKey, 'origins', { id, paused_at, paused_by })
  const update = 'UPDATE origins SET paused_at = ?, paused_by = ?, mac = ? WHERE id = ?'
  yield* run({ sql: update, values: [paused_at, paused_by, mac, id] })
}

export interface PausedOrigin extends OriginHealth {
  readonly id: string
  readonly account_id: string
  readonly origin: string
}

/** The paused origins of every account, or those with this name. */
export async function readPausedOrigins(store: Store, origin: string | null = null): Promise<readonly PausedOrigin[]> {
  const named = origin === null ? '' : ' AND origin = ?'
  const { columns } = tables.origins
  const sql = `SELECT ${listColumns(columns)} FROM origins WHERE paused_at IS NOT NULL${named} ORDER BY id`
  return readAll(store, { sql, values: origin === null ? [] : [origin], columns })
}
