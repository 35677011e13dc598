import { readAll, readFirst, run, type Statement, type Unit } from 'durable-xstate-sql'
import { listColumns, type RowOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { newId, newSecret, sha256 } from '../../base/ids.ts'
import { columnsOf, insert, type TableRow } from '../../database/schema.ts'
import type { Role } from '../../database/words.ts'
import { type Actor, appendAudit } from './audit.ts'
import type { OperatorDeps } from './operators.ts'
import { includesRole } from './roles.ts'

/** Without a call for this long a session ends. */
export const idleMs = 30 * 60_000
/** After this long a session ends in any case. */
export const maxSessionMs = 12 * 3_600_000
/** A session's row is written at most once a minute. */
const seenEveryMs = 60_000

/** An operator who is logged in. */
export interface OperatorCaller extends Actor {
  readonly operator_id: string
  readonly name: string
  readonly role: Role
  readonly session_id: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}

const maxAgentLength = 200

/** A new session: its token goes into the cookie, and only its hash into the row. */
export function prepareSession(
  operator_id: string,
  now: number,
  from: { readonly address: string; readonly user_agent: string },
): { readonly session_id: string; readonly token: string; readonly insertion: Statement } {
  const session_id = newId()
  const token = newSecret()
  const user_agent = from.user_agent.toWellFormed().slice(0, maxAgentLength)
  const times = { created_at: now, last_seen_at: now }
  const row = { id: session_id, operator_id, token_hash: sha256(token), ...times, address: from.address, user_agent }
  return { session_id, token, insertion: insert('operator_sessions', row) }
}

/** A session is over when its operator was idle, when it is old, or when a wrong clock wrote it. */
function isOver({ created_at, last_seen_at }: Times, now: number): boolean {
  return now >= last_seen_at + idleMs || now >= created_at + maxSessionMs || created_at > now + maxSessionMs
}

type Times = Pick<TableRow<'operator_sessions'>, 'created_at' | 'last_seen_at'>

/** Sessions that are over have no row: the next login removes them. */
export function removeOverSessions(now: number): Statement {
  return {
    sql: 'DELETE FROM operator_sessions WHERE last_seen_at <= ? OR created_at <= ?',
    values: [now - idleMs, now - maxSessionMs],
  }
}

const columns = {
  ...columnsOf('operator_sessions', 'id', 'operator_id', 'created_at', 'last_seen_at', 'address', 'user_agent'),
  ...columnsOf('operators', 'name', 'role'),
} as const

type SessionRow = RowOf<typeof columns>

const { name: _name, role: _role, ...ownColumns } = columns

const selectSessions = `SELECT ${listColumns(ownColumns, 's')}, o.name, o.role FROM operator_sessions s
  JOIN operators o ON o.id = s.operator_id WHERE o.disabled_at IS NULL`

/** The operator of a cookie; null without a session. Each call keeps the session alive. */
export async function findSession(
  { store, clock }: OperatorDeps,
  token: string,
  address: string,
): Promise<OperatorCaller | null> {
  const sql = `${selectSessions} AND s.token_hash = ?`
  const row = await readFirst(store, { sql, values: [sha256(token)], columns })
  const now = clock.now()
  if (row === null || isOver(row, now)) return null
  if (now - row.last_seen_at >= seenEveryMs) {
    const seen = { sql: 'UPDATE operator_sessions SET last_seen_at = ? WHERE id = ?', values: [now, row.id] }
    await store.commit(() => run(seen))
  }
  const { id: session_id, operator_id, name, created_at } = row
  return { operator_id, name, role: row.role, session_id, expires_at: created_at + maxSessionMs, address }
}

/** Whether a session is still open. Asking does not keep it alive. */
export async function isSessionOpen({ store, clock }: OperatorDeps, session_id: string): Promise<boolean> {
  const row = await readFirst(store, { sql: `${selectSessions} AND s.id = ?`, values: [session_id], columns })
  return row !== null && !isOver(row, clock.now())
}

function toView(row: SessionRow) {
  return {
    session_id: row.id,
    operator_id: row.operator_id,
    name: row.name,
    role: row.role,
    created_at: isoTimestamp(row.created_at),
    last_seen_at: isoTimestamp(row.last_seen_at),
    expires_at: isoTimestamp(row.created_at + maxSessionMs),
    address: row.address,
    user_agent: row.user_agent,
  }
}

/** The sessions that an operator may see: their own; an admin everybody's. */
function visibleTo({ role, operator_id }: OperatorCaller): Statement {
  return includesRole(role, 'admin')
    ? { sql: '', values: [] }
    : { sql: ' AND s.operator_id = ?', values: [operator_id] }
}

/** The open sessions that the caller may see, the newest first. */
export async function listSessions({ store, clock }: OperatorDeps, caller: OperatorCaller) {
  const visible = visibleTo(caller)
  const sql = `${selectSessions}${visible.sql} ORDER BY s.id DESC`
  const rows = await readAll(store, { sql, values: visible.values, columns })
  return rows.filter(row => !isOver(row, clock.now())).map(toView)
}

/** Ends a session: one's own, or by an admin anybody's. @throws {ApiError} `not_found` */
export async function endSession(
  { store, clock }: OperatorDeps,
  caller: OperatorCaller,
  session_id: string,
): Promise<void> {
  const action = session_id === caller.session_id ? 'logout' : 'session_revoked'
  const own = includesRole(caller.role, 'admin') ? '' : ' AND operator_id = ?'
  const values = own === '' ? [session_id] : [session_id, caller.operator_id]
  const remove = { sql: `DELETE FROM operator_sessions WHERE id = ?${own}`, values }
  await store.commit(function* (): Unit<void> {
    if ((yield* run(remove)).changed === 0) throw new ApiError('not_found', 'session_id: not found')
    yield* appendAudit(store, clock.now(), caller, { action, subject: { type: 'session', id: session_id } })
  })
}
