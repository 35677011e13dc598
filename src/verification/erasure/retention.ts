import { run, runAll, type Statement, type Store, selectAll, type Unit } from 'durable-xstate-sql'
import { type Query, toPlaceholders } from 'durable-xstate-sql/sql'
import { insertFact, lockFact, updateFact } from '../../database/facts.ts'
import { columnsOf } from '../../database/schema.ts'
import { captureKinds } from '../../database/words.ts'
import { removedRows } from '../../features.ts'
import { deleteCapturesById } from '../captures/delete_captures.ts'

/** The most that one commit deletes, so that it blocks others no longer than their own commits do. */
const maxTransactionsPerCommit = 20
const maxCapturesPerCommit = 100
const maxBytesPerCommit = 4 * 2 ** 20
const maxAccountsPerCommit = 100

/** The number of rows that one commit of a sweep has deleted, and whether there may be more to delete. */
export interface SweepProgress {
  readonly removed: number
  readonly more: boolean
  /** The account after which the next commit goes on; empty for the first. */
  readonly after: string
}

const terminalStatuses = `('FINISHED', 'FAILED', 'EXPIRED')`

const pictureKinds = Object.entries(captureKinds)
  .filter(([, kept]) => kept === 'pictures')
  .map(([kind]) => `'${kind}'`)
  .join(', ')

const sizeColumns = columnsOf('captures', 'id', 'byte_count')

/**
 * Selects the captures of ended transactions that are kept as long as pictures, and that were stored before `before`.
 * Naming the kinds lets the index skip the others.
 */
export function selectOldImages(before: number): Query<typeof sizeColumns> {
  return {
    sql: `SELECT c.id, c.byte_count FROM captures c JOIN transactions t ON t.id = c.transaction_id
    WHERE c.kind IN (${pictureKinds})
      AND c.created_at < ? AND t.status IN ${terminalStatuses}
    LIMIT ${maxCapturesPerCommit}`,
    values: [before],
    columns: sizeColumns,
  }
}

/** Deletes the captures that a query finds, as many as fit into one commit. */
function* deleteFound(query: Query<typeof sizeColumns>): Unit<SweepProgress> {
  const rows = yield* selectAll(query)
  let bytes = 0
  const fitting = rows.filter(({ byte_count }) => {
    const fits = bytes < maxBytesPerCommit
    bytes += byte_count
    return fits
  })
  yield* runAll(deleteCapturesById(fitting.map(({ id }) => id)))
  const more = fitting.length < rows.length || rows.length === maxCapturesPerCommit
  return { removed: fitting.length, more, after: '' }
}

/** Deletes the captures of `selectOldImages`, a part of them in each call. */
export function sweepCaptures(store: Store, before: number): Promise<SweepProgress> {
  return store.commit(() => deleteFound(selectOldImages(before)))
}

function deleteIn(table: string, column: string, ids: readonly string[]): readonly Statement[] {
  return ids.length === 0
    ? []
    : [{ sql: `DELETE FROM ${table} WHERE ${column} IN (${toPlaceholders(ids)})`, values: ids }]
}

/** Deletes by ids that were read before: MariaDB reads all rows of a table for a DELETE with ids from a subquery. */
function removals(transactions: readonly string[], deliveries: readonly string[]): readonly Statement[] {
  return [
    ...deleteIn('capture_keys', 'id', transactions),
    ...deleteIn('transaction_issues', 'transaction_id', transactions),
    ...removedRows.flatMap(({ table, column }) => deleteIn(table, column, transactions)),
    ...deleteIn('scheduled_jobs', 'actor_id', deliveries),
    ...deleteIn('delivery_attempts', 'delivery_id', deliveries),
    ...deleteIn('deliveries', 'id', deliveries),
    ...deleteIn('journal', 'actor_id', transactions),
    ...deleteIn('idempotency_keys', 'subject_id', transactions),
    ...deleteIn('transactions', 'id', transactions),
  ]
}

interface OldTransactions {
  readonly ids: readonly string[]
  /** Accounts up to this one have no more old transactions. */
  readonly after: string
  readonly more: boolean
}

/**
 * Selects account by account: each account's oldest are at one end of an index, while MariaDB would read all rows for a
 * join.
 */
function* selectOldTransactions(before: number, first: string): Unit<OldTransactions> {
  const columns = columnsOf('transactions', 'id')
  const accounts = `SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ${maxAccountsPerCommit}`
  const page = yield* selectAll({ sql: accounts, values: [first], columns })
  const ids: string[] = []
  let after = first
  for (const account of page) {
    const rows = yield* selectAll({
      sql: `SELECT id FROM transactions WHERE account_id = ? AND created_at < ? AND status IN ${terminalStatuses}
        LIMIT ${maxTransactionsPerCommit - ids.length}`,
      values: [account.id, before],
      columns,
    })
    ids.push(...rows.map(({ id }) => id))
    if (ids.length === maxTransactionsPerCommit) return { ids, after, more: true }
    after = account.id
  }
  return { ids, after, more: page.length === maxAccountsPerCommit }
}

/**
 * Deletes ended transactions that were opened before `before`, with everything that belongs to them: a few in each
 * call, of accounts after `first`, and their captures first, which may be large.
 */
export function sweepTransactions(store: Store, before: number, first = ''): Promise<SweepProgress> {
  return store.commit(function* (): Unit<SweepProgress> {
    const { ids, after, more } = yield* selectOldTransactions(before, first)
    if (ids.length === 0) return { removed: 0, more, after }
    const inTransactions = `IN (${toPlaceholders(ids)})`
    const sql = `SELECT id, byte_count FROM captures WHERE transaction_id ${inTransactions} LIMIT ${maxCapturesPerCommit}`
    if ((yield* deleteFound({ sql, values: ids, columns: sizeColumns })).more)
      return { removed: 0, more: true, after: first }
    const deliveries = yield* selectAll({
      sql: `SELECT id FROM deliveries WHERE transaction_id ${inTransactions}`,
      values: ids,
      columns: columnsOf('deliveries', 'id'),
    })
    yield* runAll(
      removals(
        ids,
        deliveries.map(({ id }) => id),
      ),
    )
    return { removed: ids.length, more, after }
  })
}

const factName = 'retention_sweep'

/** Whether this node sweeps now, and when the next sweep is due. */
export interface SweepClaim {
  readonly isMine: boolean
  readonly nextAt: number
}

/** Claims the sweep that is due every `intervalMs`: one of several nodes gets it. If it dies, the next sweep continues. */
export async function claimSweep(store: Store, now: number, intervalMs: number): Promise<SweepClaim> {
  const nextAt = now + intervalMs
  // A time further in the future was written by a clock that was ahead. It must not prevent sweeps until then.
  const isAhead = (at: number): boolean => at > now && at <= nextAt
  const unit = function* (): Unit<SweepClaim> {
    const claimed = yield* lockFact(store, factName)
    if (claimed !== null && isAhead(Number(claimed))) return { isMine: false, nextAt: Number(claimed) }
    yield* run((claimed === null ? insertFact : updateFact)(factName, String(nextAt)))
    return { isMine: true, nextAt }
  }
  try {
    return await store.commit(unit)
  } catch (error) {
    if (!store.dialect.isDuplicate(error)) throw error
    return { isMine: false, nextAt }
  }
}
