import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { columnsOf, insert, type TableRow } from '../database/schema.ts'
import { present } from '../durable/store/columns.ts'
import { all, first, run, runAll, type Statement, type Unit } from '../durable/store/statement.ts'
import { readAll, readFirst } from '../durable/store/store.ts'
import type { TransactionDeps } from './deps.ts'
import type { ListPosition } from './list_transactions.ts'
import { actorNow } from './rows.ts'

/** How far a clock is turned: on, never back. */
export interface ClockAdvance {
  readonly account_id: string
  /** Only this transaction's clock; null for the whole account's, and that of all that it opens later. */
  readonly transaction_id: string | null
  /** Milliseconds; or until so long before the transaction expires. */
  readonly by_ms: number | { readonly before_expiry_ms: number }
}

/** What the clock shows afterwards. */
export interface AdvancedClock {
  readonly now: string
  readonly advanced_seconds: number
}

/** Transactions turned in one commit: a test account may have any number, and others wait for a commit to end. */
export const maxAdvancedPerCommit = 200

/** A turn of an account's clock that has transactions yet to turn: those before `after` in the list, newest first. */
interface PendingAdvance {
  readonly by_ms: number
  readonly after: ListPosition
}

const factPrefix = 'clock_turn:'

const advanceRows = (ids: readonly string[], by_ms: number): Statement[] => {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  const deliveries = `SELECT id FROM deliveries WHERE transaction_id IN (${marks})`
  const turned = 'clock_offset_ms = COALESCE(clock_offset_ms, 0) + ?'
  const earlier = 'UPDATE scheduled_jobs SET ready_at = ready_at - ? WHERE lease IS NULL AND actor_id IN'
  return [
    { sql: `UPDATE transactions SET ${turned} WHERE id IN (${marks})`, values: [by_ms, ...ids] },
    { sql: `UPDATE deliveries SET ${turned} WHERE transaction_id IN (${marks})`, values: [by_ms, ...ids] },
    { sql: `${earlier} (${marks})`, values: [by_ms, ...ids] },
    // A table of its own, so that the engine looks the ids up instead of every due row.
    { sql: `${earlier} (SELECT id FROM (${deliveries}) AS of_them)`, values: [by_ms, ...ids] },
  ]
}

/** Years of four digits are all that a timestamp of ours can tell, and this leaves time for what happens then. */
const maxTime = Date.UTC(9000, 0)

type ClockRow = Pick<TableRow<'transactions'>, 'clock_offset_ms'>

const isInCalendar = (deps: TransactionDeps, row: ClockRow, by_ms: number): boolean =>
  actorNow(deps, row) + by_ms <= maxTime

/**
 * Turns the next transactions of an account; resolves with whether there are more. Where it has come to lies beside
 * them, so that each is turned once whatever ends the process between two commits. One that was turned so far by itself
 * that it would leave the calendar stays where it is.
 */
function* advanceNext(
  deps: TransactionDeps,
  account_id: string,
  by_ms: number,
  after: ListPosition | null,
): Unit<boolean> {
  const before = after === null ? '' : ' AND created_at <= ? AND (created_at < ? OR id < ?)'
  const rows = yield* all({
    sql: `SELECT id, created_at, clock_offset_ms FROM transactions WHERE account_id = ?${before}
      ORDER BY account_id DESC, created_at DESC, id DESC LIMIT ${maxAdvancedPerCommit}${deps.store.dialect.forUpdate}`,
    values: [account_id, ...(after === null ? [] : [after.created_at, after.created_at, after.id])],
    columns: columnsOf('transactions', 'id', 'created_at', 'clock_offset_ms'),
  })
  const ids = rows.filter(row => isInCalendar(deps, row, by_ms)).map(row => row.id)
  yield* runAll(advanceRows(ids, by_ms))
  const name = factPrefix + account_id
  if (after !== null) yield* run({ sql: 'DELETE FROM facts WHERE name = ?', values: [name] })
  const last = rows.at(-1)
  if (last === undefined || rows.length < maxAdvancedPerCommit) return false
  const turn: PendingAdvance = { by_ms, after: { created_at: last.created_at, id: last.id } }
  yield* run(insert('facts', { name, value: JSON.stringify(turn) }))
  return true
}

/** Goes on with the turn that an account is in, if it is in one; resolves with whether it was. */
function* continueAdvance(deps: TransactionDeps, account_id: string): Unit<boolean> {
  // Who turns an account's transactions holds its row.
  yield* run({ sql: `SELECT id FROM accounts WHERE id = ?${deps.store.dialect.forUpdate}`, values: [account_id] })
  const columns = columnsOf('facts', 'value')
  const row = yield* first({ sql: 'SELECT value FROM facts WHERE name = ?', values: [factPrefix + account_id], columns })
  if (row === null) return false
  const { by_ms, after }: PendingAdvance = JSON.parse(row.value)
  yield* advanceNext(deps, account_id, by_ms, after)
  return true
}

const finishAdvance = async ({ store }: TransactionDeps, unit: () => Unit<boolean>): Promise<void> => {
  while (await store.commit(unit));
}

/** Ends what turns of clocks were broken off by the end of a process. */
export const finishClockAdvances = async (deps: TransactionDeps): Promise<void> => {
  const rows = await readAll(deps.store, {
    sql: 'SELECT name FROM facts WHERE name > ? AND name < ?',
    values: [factPrefix, `${factPrefix}~`],
    columns: columnsOf('facts', 'name'),
  })
  for (const row of rows) await finishAdvance(deps, () => continueAdvance(deps, row.name.slice(factPrefix.length)))
}

const computeAdvance = (
  deps: TransactionDeps,
  { by_ms }: ClockAdvance,
  row: ClockRow & { readonly expires_at?: number },
): number => {
  if (typeof by_ms === 'number') return by_ms
  const distance_ms = present(row.expires_at ?? null, 'expires_at') - by_ms.before_expiry_ms - actorNow(deps, row)
  if (distance_ms <= 0) throw new ApiError('invalid_field', 'expires_in_seconds: it expires earlier than that')
  return distance_ms
}

/** Turns the account's own clock and its newest transactions, or the one; null where an earlier turn had to go on first. */
function* beginAdvance(deps: TransactionDeps, call: ClockAdvance): Unit<AdvancedClock | null> {
  const { account_id, transaction_id } = call
  if (yield* continueAdvance(deps, account_id)) return null
  const account = yield* first({
    sql: 'SELECT mode, clock_offset_ms FROM accounts WHERE id = ?',
    values: [account_id],
    columns: columnsOf('accounts', 'mode', 'clock_offset_ms'),
  })
  requireTestMode(account?.mode)
  const row =
    transaction_id === null
      ? account
      : yield* first({
          sql: `SELECT expires_at, clock_offset_ms FROM transactions WHERE account_id = ? AND id = ?${deps.store.dialect.forUpdate}`,
          values: [account_id, transaction_id],
          columns: columnsOf('transactions', 'expires_at', 'clock_offset_ms'),
        })
  if (row === null) throw new ApiError('not_found', 'transaction_id: not found')
  const by_ms = computeAdvance(deps, call, row)
  if (!isInCalendar(deps, row, by_ms))
    throw new ApiError('invalid_field', 'advance_seconds: the clock would go beyond the year 8999')
  if (transaction_id !== null) yield* runAll(advanceRows([transaction_id], by_ms))
  else {
    const sql = 'UPDATE accounts SET clock_offset_ms = COALESCE(clock_offset_ms, 0) + ? WHERE id = ?'
    yield* run({ sql, values: [by_ms, account_id] })
    yield* advanceNext(deps, account_id, by_ms, null)
  }
  return { now: isoTimestamp(actorNow(deps, row) + by_ms), advanced_seconds: Math.round(by_ms / 1000) }
}

/**
 * Turns the clock of a test account, or of one of its transactions: what is due comes due so much earlier, and what
 * happens from now on happens so much later. Of an account with many transactions each commit turns some.
 * @throws {ApiError} `not_allowed_in_state` for an account that is not for tests, `not_found`, `invalid_field`
 */
export const advanceTestClock = async (deps: TransactionDeps, call: ClockAdvance): Promise<AdvancedClock> => {
  for (;;) {
    const turned = await deps.store.commit(() => beginAdvance(deps, call))
    if (turned === null) continue
    await finishAdvance(deps, () => continueAdvance(deps, call.account_id))
    return turned
  }
}

/** @throws {ApiError} `not_allowed_in_state`: nothing of a live account can be made up */
export const requireTestMode = (mode: unknown): void => {
  if (mode !== 'test') throw new ApiError('not_allowed_in_state', 'account: is not for tests')
}

/** `requireTestAccount` of the account with this id. */
export const requireTestAccount = async ({ store }: TransactionDeps, account_id: string): Promise<void> => {
  const columns = columnsOf('accounts', 'mode')
  const row = await readFirst(store, { sql: 'SELECT mode FROM accounts WHERE id = ?', values: [account_id], columns })
  requireTestMode(row?.mode)
}
