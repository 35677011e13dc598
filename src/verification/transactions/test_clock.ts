import { readAll, readFirst, run, runAll, selectAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { requireValue, toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { deleteFact, insertFact, selectFact } from '../../database/facts.ts'
import { columnsOf, type TableRow } from '../../database/schema.ts'
import type { TransactionDeps } from './deps.ts'
import type { ListPosition } from './list_transactions.ts'
import { actorNow } from './rows.ts'

/** The time by which a clock is advanced. It is never set back. */
export interface ClockAdvance {
  readonly account_id: string
  /** Null advances the account's clock, with all its present and later transactions. */
  readonly transaction_id: string | null
  /** Milliseconds, or up to a time before the transaction expires. */
  readonly by_ms: number | { readonly before_expiry_ms: number }
}

export interface AdvancedClock {
  readonly now: string
  readonly advanced_seconds: number
}

/** A test account may have any number of transactions, and a long commit would block other accounts. */
export const maxAdvancedPerCommit = 200

/** An advance that is not finished. It continues after `after` in the list, newest first. */
interface PendingAdvance {
  readonly by_ms: number
  readonly after: ListPosition
}

const factPrefix = 'clock_turn:'

function* advanceRows(ids: readonly string[], by_ms: number): Unit<void> {
  if (ids.length === 0) return
  const deliveries = yield* selectAll({
    sql: `SELECT id FROM deliveries WHERE transaction_id IN (${toPlaceholders(ids)})`,
    values: ids,
    columns: columnsOf('deliveries', 'id'),
  })
  // MariaDB reads all jobs for an UPDATE with ids from a subquery.
  const actors = [...ids, ...deliveries.map(({ id }) => id)]
  const advanced = 'clock_offset_ms = COALESCE(clock_offset_ms, 0) + ?'
  yield* runAll([
    { sql: `UPDATE transactions SET ${advanced} WHERE id IN (${toPlaceholders(ids)})`, values: [by_ms, ...ids] },
    {
      sql: `UPDATE deliveries SET ${advanced} WHERE transaction_id IN (${toPlaceholders(ids)})`,
      values: [by_ms, ...ids],
    },
    {
      sql: `UPDATE scheduled_jobs SET ready_at = ready_at - ? WHERE lease IS NULL AND actor_id IN (${toPlaceholders(actors)})`,
      values: [by_ms, ...actors],
    },
  ])
}

/** Timestamps have years of four digits; this leaves time for later events. */
const maxTime = Date.UTC(9000, 0)

type ClockRow = Pick<TableRow<'transactions'>, 'clock_offset_ms'>

function isInCalendar(deps: TransactionDeps, row: ClockRow, by_ms: number): boolean {
  return actorNow(deps, row) + by_ms <= maxTime
}

/**
 * Advances the next transactions of an account; returns whether there are more. The same commit stores its position, so
 * that each transaction is advanced once, even if the process ends between two commits. One whose clock would pass
 * `maxTime` is not advanced.
 */
function* advanceNext(
  deps: TransactionDeps,
  account_id: string,
  by_ms: number,
  after: ListPosition | null,
): Unit<boolean> {
  const before = after === null ? '' : ' AND created_at <= ? AND (created_at < ? OR id < ?)'
  const rows = yield* selectAll({
    sql: `SELECT id, created_at, clock_offset_ms FROM transactions WHERE account_id = ?${before}
      ORDER BY account_id DESC, created_at DESC, id DESC LIMIT ${maxAdvancedPerCommit}${deps.store.dialect.forUpdate}`,
    values: [account_id, ...(after === null ? [] : [after.created_at, after.created_at, after.id])],
    columns: columnsOf('transactions', 'id', 'created_at', 'clock_offset_ms'),
  })
  const ids = rows.filter(row => isInCalendar(deps, row, by_ms)).map(row => row.id)
  yield* advanceRows(ids, by_ms)
  const name = factPrefix + account_id
  if (after !== null) yield* run(deleteFact(name))
  const last = rows.at(-1)
  if (last === undefined || rows.length < maxAdvancedPerCommit) return false
  const pending: PendingAdvance = { by_ms, after: { created_at: last.created_at, id: last.id } }
  yield* run(insertFact(name, JSON.stringify(pending)))
  return true
}

/** Continues the pending advance of an account; returns whether there was one. */
function* continueAdvance(deps: TransactionDeps, account_id: string): Unit<boolean> {
  // The lock on the account's row serialises advances.
  yield* run({ sql: `SELECT id FROM accounts WHERE id = ?${deps.store.dialect.forUpdate}`, values: [account_id] })
  const row = yield* selectFirst(selectFact(factPrefix + account_id))
  if (row === null) return false
  const { by_ms, after }: PendingAdvance = JSON.parse(row.value)
  yield* advanceNext(deps, account_id, by_ms, after)
  return true
}

async function finishAdvance({ store }: TransactionDeps, unit: () => Unit<boolean>): Promise<void> {
  while (await store.commit(unit));
}

/** Finishes the advances that the end of a process interrupted. */
export async function finishClockAdvances(deps: TransactionDeps): Promise<void> {
  const rows = await readAll(deps.store, {
    sql: 'SELECT name FROM facts WHERE name > ? AND name < ?',
    values: [factPrefix, `${factPrefix}~`],
    columns: columnsOf('facts', 'name'),
  })
  for (const row of rows) await finishAdvance(deps, () => continueAdvance(deps, row.name.slice(factPrefix.length)))
}

function computeAdvance(
  deps: TransactionDeps,
  { by_ms }: ClockAdvance,
  row: ClockRow & { readonly expires_at?: number },
): number {
  if (typeof by_ms === 'number') return by_ms
  const distanceMs = requireValue(row.expires_at ?? null, 'expires_at') - by_ms.before_expiry_ms - actorNow(deps, row)
  if (distanceMs <= 0) throw new ApiError('invalid_field', 'expires_in_seconds: must be later than its present end')
  return distanceMs
}

/** Advances the account's clock and its newest transactions, or one transaction; null if a pending advance was continued instead. */
function* beginAdvance(deps: TransactionDeps, call: ClockAdvance): Unit<AdvancedClock | null> {
  const { account_id, transaction_id } = call
  if (yield* continueAdvance(deps, account_id)) return null
  const account = yield* selectFirst({
    sql: 'SELECT mode, clock_offset_ms FROM accounts WHERE id = ?',
    values: [account_id],
    columns: columnsOf('accounts', 'mode', 'clock_offset_ms'),
  })
  requireTestMode(account?.mode)
  const row =
    transaction_id === null
      ? account
      : yield* selectFirst({
          sql: `SELECT expires_at, clock_offset_ms FROM transactions WHERE account_id = ? AND id = ?${deps.store.dialect.forUpdate}`,
          values: [account_id, transaction_id],
          columns: columnsOf('transactions', 'expires_at', 'clock_offset_ms'),
        })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  const by_ms = computeAdvance(deps, call, row)
  if (!isInCalendar(deps, row, by_ms))
    throw new ApiError('invalid_field', 'advance_seconds: the clock would go beyond the year 8999')
  if (transaction_id !== null) yield* advanceRows([transaction_id], by_ms)
  else {
    const sql = 'UPDATE accounts SET clock_offset_ms = COALESCE(clock_offset_ms, 0) + ? WHERE id = ?'
    yield* run({ sql, values: [by_ms, account_id] })
    yield* advanceNext(deps, account_id, by_ms, null)
  }
  return { now: isoTimestamp(actorNow(deps, row) + by_ms), advanced_seconds: Math.round(by_ms / 1000) }
}

/**
 * Advances the clock of a test account, or of one of its transactions: timers fire that much earlier, and later events
 * get that much later timestamps. The transactions of an account are advanced in several commits.
 * @throws {ApiError} `not_allowed_in_state` for an account that is not for tests, `not_found`, `invalid_field`
 */
export async function advanceTestClock(deps: TransactionDeps, call: ClockAdvance): Promise<AdvancedClock> {
  for (;;) {
    const advanced = await deps.store.commit(() => beginAdvance(deps, call))
    if (advanced === null) continue
    await finishAdvance(deps, () => continueAdvance(deps, call.account_id))
    return advanced
  }
}

/** @throws {ApiError} `not_allowed_in_state` for a live account */
function requireTestMode(mode: unknown): void {
  if (mode !== 'test') throw new ApiError('not_allowed_in_state', 'account: must be a test account')
}

export async function requireTestAccount({ store }: TransactionDeps, account_id: string): Promise<void> {
  const columns = columnsOf('accounts', 'mode')
  const row = await readFirst(store, { sql: 'SELECT mode FROM accounts WHERE id = ?', values: [account_id], columns })
  requireTestMode(row?.mode)
}
