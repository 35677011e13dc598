import { sha256 } from '../base/ids.ts'
import { tables } from '../database/tables.ts'
import { listOf } from '../durable/store/columns.ts'
import { insert, run, type Statement } from '../durable/store/statement.ts'
import { isThere, readAll, type Store } from '../durable/store/store.ts'

/** `scheme://host:port` of a webhook URL: what fails, is spared and is paused as one, for each account by itself. */
export const originOf = (url: string): string => {
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** Names an account's origin in rows; those of an account lie beside each other. 69 characters. */
export const originId = (account_id: string, url: string): string =>
  `${account_id}/${sha256(originOf(url)).slice(0, 32)}`

/** The account of an `originId`. */
export const accountOf = (origin_id: string): string => origin_id.slice(0, 36)

/** An origin as its row says. It has one from its first failure on; instants are epoch milliseconds. */
export interface OriginHealth {
  readonly failing_since: number | null
  readonly paused_at: number | null
}

/** Makes the row of an origin that failed for the first time. */
export const addOrigin = async (store: Store, id: string, url: string): Promise<void> => {
  const row = { id, account_id: accountOf(id), origin: originOf(url), failing_since: null, paused_at: null }
  if (await isThere(store, { sql: 'SELECT id FROM origins WHERE id = ?', values: [id] })) return
  await store
    .commit(() => run(insert('origins', row)))
    .catch(error => {
      if (!store.dialect.isDuplicate(error)) throw error
    })
}

/** One that answered is well again, and goes on if it was paused. */
export const recovered = (id: string): Statement => ({
  sql: 'UPDATE origins SET failing_since = NULL, paused_at = NULL WHERE id = ? AND failing_since IS NOT NULL',
  values: [id],
})

/** decisions of issue 4: one with nothing but failures for `pause_ms` is paused, so that nobody knocks for ever. */
export const failedAgain = (id: string, now: number, pause_ms: number): readonly Statement[] => [
  { sql: 'UPDATE origins SET failing_since = ? WHERE id = ? AND failing_since IS NULL', values: [now, id] },
  {
    sql: 'UPDATE origins SET paused_at = ? WHERE id = ? AND paused_at IS NULL AND failing_since <= ?',
    values: [now, id, now - pause_ms],
  },
]

/** Lets a paused origin's deliveries try again; the first failure pauses it again, a success ends its failing. */
export const resumed = (id: string): Statement => ({
  sql: 'UPDATE origins SET paused_at = NULL WHERE id = ? AND paused_at IS NOT NULL',
  values: [id],
})

/** A paused origin, for the operator. */
export interface PausedOrigin extends OriginHealth {
  readonly id: string
  readonly account_id: string
  readonly origin: string
}

/** The paused origins of every account, or those named. */
export const pausedOrigins = async (store: Store, origin: string | null = null): Promise<readonly PausedOrigin[]> => {
  const named = origin === null ? '' : ' AND origin = ?'
  const { columns } = tables.origins
  const sql = `SELECT ${listOf(columns)} FROM origins WHERE paused_at IS NOT NULL${named} ORDER BY id`
  return readAll(store, { sql, values: origin === null ? [] : [origin], columns })
}
