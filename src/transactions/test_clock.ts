import { isoTimestamp } from '../base/clock.ts'
import { Refusal } from '../base/refusal.ts'
import { number, optional, run, runAll, type Statement, text, type Unit } from '../store/statement.ts'
import { readFirst } from '../store/store.ts'
import type { TransactionRoom } from './room.ts'

/** How far a clock is turned: on, never back. */
export interface TurnClock {
  readonly account_id: string
  /** Only this transaction's clock; null for the whole account's, and that of all that it opens later. */
  readonly transaction_id: string | null
  /** Milliseconds; or until so long before the transaction expires. */
  readonly by_ms: number | { readonly before_expiry_ms: number }
}

/** What the clock shows afterwards. */
export interface TurnedClock {
  readonly now: string
  readonly advanced_seconds: number
}

const per_batch = 200

const turnRows = (ids: readonly string[], by_ms: number): Statement[] => {
  const marks = ids.map(() => '?').join(', ')
  const deliveries = `SELECT id FROM deliveries WHERE transaction_id IN (${marks})`
  const turned = 'clock_offset_ms = COALESCE(clock_offset_ms, 0) + ?'
  const earlier = 'UPDATE due SET ready_at = ready_at - ? WHERE lease IS NULL AND actor_id IN'
  return [
    { sql: `UPDATE transactions SET ${turned} WHERE id IN (${marks})`, values: [by_ms, ...ids] },
    { sql: `UPDATE deliveries SET ${turned} WHERE transaction_id IN (${marks})`, values: [by_ms, ...ids] },
    { sql: `${earlier} (${marks})`, values: [by_ms, ...ids] },
    // A table of its own, so that the engine looks the ids up instead of every due row.
    { sql: `${earlier} (SELECT id FROM (${deliveries}) AS of_them)`, values: [by_ms, ...ids] },
  ]
}

function* idsOf(room: TransactionRoom, { account_id, transaction_id }: TurnClock): Unit<readonly string[]> {
  const one = transaction_id === null ? '' : ' AND id = ?'
  const { rows } = yield* run({
    sql: `SELECT id FROM transactions WHERE account_id = ?${one}${room.store.dialect.lock}`,
    values: transaction_id === null ? [account_id] : [account_id, transaction_id],
  })
  if (transaction_id !== null && rows.length === 0) throw new Refusal('not_found', 'transaction_id: not found')
  return rows.map(row => text(row, 'id'))
}

function* distance(room: TransactionRoom, { transaction_id, by_ms }: TurnClock): Unit<number> {
  if (typeof by_ms === 'number') return by_ms
  const { rows } = yield* run({
    sql: 'SELECT expires_at, clock_offset_ms FROM transactions WHERE id = ?',
    values: [transaction_id],
  })
  const [row = {}] = rows
  const now = room.clock.now() + (optional(row, 'clock_offset_ms', number) ?? 0)
  const distance_ms = number(row, 'expires_at') - by_ms.before_expiry_ms - now
  if (distance_ms <= 0) throw new Refusal('invalid_field', 'expires_in_seconds: it expires earlier than that')
  return distance_ms
}

/** Years of four digits are all that a timestamp of ours can tell, and this leaves time for what happens then. */
const last_instant = Date.UTC(9000, 0)

/** @throws {Refusal} `invalid_field` where one of the clocks would leave the calendar */
function* requireCalendar(room: TransactionRoom, call: TurnClock, by_ms: number): Unit<void> {
  const one = call.transaction_id === null ? '' : ' AND id = ?'
  const { rows } = yield* run({
    sql: `SELECT MAX(clock_offset_ms) AS furthest FROM transactions WHERE account_id = ?${one}
      UNION ALL SELECT clock_offset_ms FROM accounts WHERE id = ?`,
    values: [call.account_id, ...(call.transaction_id === null ? [] : [call.transaction_id]), call.account_id],
  })
  const furthest = Math.max(...rows.map(row => optional(row, 'furthest', number) ?? 0))
  if (room.clock.now() + furthest + by_ms > last_instant)
    throw new Refusal('invalid_field', 'advance_seconds: the clock would go beyond the year 8999')
}

/**
 * Turns the clock of a test account, or of one of its transactions: what is due comes due so much earlier, and what
 * happens from now on happens so much later. One commit.
 * @throws {Refusal} `not_allowed_in_state` for an account that is not for tests, `not_found`, `invalid_field`
 */
export const turnTestClock = (room: TransactionRoom, call: TurnClock): Promise<TurnedClock> =>
  room.store.commit(function* (): Unit<TurnedClock> {
    const { account_id, transaction_id } = call
    const { rows } = yield* run({
      sql: `SELECT mode, clock_offset_ms FROM accounts WHERE id = ?${room.store.dialect.lock}`,
      values: [account_id],
    })
    const [account = {}] = rows
    requireTestAccount(account.mode)
    const ids = yield* idsOf(room, call)
    const by_ms = yield* distance(room, call)
    yield* requireCalendar(room, call, by_ms)
    for (let start = 0; start < ids.length; start += per_batch)
      yield* runAll(turnRows(ids.slice(start, start + per_batch), by_ms))
    const sql = 'UPDATE accounts SET clock_offset_ms = COALESCE(clock_offset_ms, 0) + ? WHERE id = ?'
    if (transaction_id === null) yield* run({ sql, values: [by_ms, account_id] })
    const [turned = {}] = (yield* run(
      transaction_id === null
        ? { sql: 'SELECT clock_offset_ms FROM accounts WHERE id = ?', values: [account_id] }
        : { sql: 'SELECT clock_offset_ms FROM transactions WHERE id = ?', values: [transaction_id] },
    )).rows
    return {
      now: isoTimestamp(room.clock.now() + number(turned, 'clock_offset_ms')),
      advanced_seconds: Math.round(by_ms / 1000),
    }
  })

/** @throws {Refusal} `not_allowed_in_state`: nothing of a live account can be made up */
export const requireTestAccount = (mode: unknown): void => {
  if (mode !== 'test') throw new Refusal('not_allowed_in_state', 'account: is not for tests')
}

/** `requireTestAccount` of the account with this id. */
export const requireTests = async ({ store }: TransactionRoom, account_id: string): Promise<void> => {
  const row = await readFirst(store, { sql: 'SELECT mode FROM accounts WHERE id = ?', values: [account_id] })
  requireTestAccount(row?.mode)
}
