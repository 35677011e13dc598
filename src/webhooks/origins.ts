import { readAll, runLater, type Statement, type Store } from 'durable-xstate-sql'
import { commitNew, listColumns, rowExists } from 'durable-xstate-sql/sql'
import { sha256 } from '../base/ids.ts'
import { insert } from '../database/schema.ts'
import { tables } from '../database/tables.ts'

/** `scheme://host:port` of a webhook URL. Each account has its own breaker and pause for an origin. */
export function toOrigin(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** Identifies an account's origin; sorts by account. 69 characters. */
export function toOriginId(account_id: string, url: string): string {
  return `${account_id}/${sha256(toOrigin(url)).slice(0, 32)}`
}

export function readOriginAccount(origin_id: string): string {
  return origin_id.slice(0, 36)
}

/** An origin has a row from its first failure on. Times are epoch milliseconds. */
export interface OriginHealth {
  readonly failing_since: number | null
  readonly paused_at: number | null
}

export async function insertOrigin(store: Store, id: string, url: string): Promise<void> {
  const row = { id, account_id: readOriginAccount(id), origin: toOrigin(url), failing_since: null, paused_at: null }
  if (await rowExists(store, { sql: 'SELECT id FROM origins WHERE id = ?', values: [id] })) return
  await commitNew(store, () => runLater([insert('origins', row)]))
}

/** A success ends the run of failures and the pause that they caused. An operator's pause stays. */
export function markRecovered(id: string): Statement {
  return {
    sql: `UPDATE origins SET failing_since = NULL, paused_at = CASE WHEN paused_by IS NULL THEN NULL ELSE paused_at END
    WHERE id = ? AND failing_since IS NOT NULL`,
    values: [id],
  }
}

/** Pauses an origin that has only failed for `pause_ms`: otherwise attempts would go on for ever. */
export function markFailed(id: string, now: number, pause_ms: number): readonly Statement[] {
  return [
    { sql: 'UPDATE origins SET failing_since = ? WHERE id = ? AND failing_since IS NULL', values: [now, id] },
    {
      sql: 'UPDATE origins SET paused_at = ? WHERE id = ? AND paused_at IS NULL AND failing_since <= ?',
      values: [now, id, now - pause_ms],
    },
  ]
}

/** Ends a pause that failures caused. The next failure pauses the origin again. */
export function retryOrigin(id: string): Statement {
  return {
    sql: 'UPDATE origins SET paused_at = NULL WHERE id = ? AND paused_at IS NOT NULL AND paused_by IS NULL',
    values: [id],
  }
}

/** Ends a pause, whether failures or an operator made it. */
export function resumeOrigin(id: string): Statement {
  return {
    sql: 'UPDATE origins SET paused_at = NULL, paused_by = NULL WHERE id = ? AND paused_at IS NOT NULL',
    values: [id],
  }
}

/** Deliveries to an origin wait, on every node, until an operator resumes it. */
export function pauseOrigin(id: string, operator_id: string, now: number): Statement {
  return {
    sql: 'UPDATE origins SET paused_at = COALESCE(paused_at, ?), paused_by = ? WHERE id = ?',
    values: [now, operator_id, id],
  }
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
