import {
  readFirst,
  run,
  runAll,
  type Statement,
  type Store,
  selectAll,
  selectFirst,
  type Unit,
} from 'durable-xstate-sql'
import { type Query, toPlaceholders } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import type { ContentOwner, StoredContent } from './contents.ts'
import { mapConcurrently } from './map_concurrently.ts'

export interface RemovalDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** A content that no commit names within this time is deleted. */
const abandonedMs = 3_600_000
/** A commit may name a content within this time: much less than the limit above, so that nodes' clocks may differ. */
const usableMs = 300_000
/** Number of contents that one node claims and deletes at a time. */
const collectLimit = 100
const collectLeaseMs = 60_000
/** Number of contents that are read or deleted at a time. */
export const contentConcurrency = 8

/**
 * A content that is written before the commit that names it. `plan` is committed before it, or with its first part, and
 * has it deleted if that commit never comes; that commit takes the removal back by `writes`. An erasure that has begun
 * refuses `plan`, and one that begins later waits for the removal: no content outlives it.
 */
export function planRemoval(
  { store, clock }: Pick<RemovalDeps, 'store' | 'clock'>,
  { id, ...owner }: ContentOwner,
): { readonly plan: () => Unit<unknown> } & Pick<StoredContent, 'writes' | 'usableUntil'> {
  const now = clock.now()
  const sql = `SELECT t.id FROM transactions t JOIN customers c ON c.id = t.customer_id
    WHERE t.id = ? AND t.erasure_id IS NULL${store.dialect.forUpdate}`
  return {
    *plan() {
      const columns = columnsOf('transactions', 'id')
      const found = yield* selectFirst({ sql, values: [owner.transaction_id], columns })
      if (found === null) throw new ApiError('gone', 'sdk_token: the transaction was erased')
      yield* run(insert('object_removals', { capture_id: id, ...owner, remove_at: now + abandonedMs }))
    },
    writes: [deleteRemovals([id])],
    usableUntil: now + usableMs,
  }
}

export function deleteRemovals(ids: readonly string[]): Statement {
  return {
    sql: `DELETE FROM object_removals WHERE capture_id IN (${toPlaceholders(ids)})`,
    values: ids,
  }
}

const removalColumns = columnsOf('object_removals', 'capture_id')

function selectDue({ clock }: RemovalDeps, condition: string): Query<typeof removalColumns> {
  return {
    sql: `SELECT capture_id FROM object_removals WHERE remove_at <= ?${condition} ORDER BY remove_at LIMIT ${collectLimit}`,
    values: [clock.now()],
    columns: removalColumns,
  }
}

/** Claims rows that are due, so that no other node takes them. Rows whose capture exists after all are left out. */
function* claimRemovals(
  deps: RemovalDeps,
  condition: string,
): Unit<{ due: readonly string[]; named: readonly string[] }> {
  const { store, clock } = deps
  const query = selectDue(deps, condition)
  const rows = yield* selectAll({ ...query, sql: query.sql + store.dialect.forUpdate })
  const ids = rows.map(({ capture_id }) => capture_id)
  if (ids.length === 0) return { due: [], named: [] }
  const existing = yield* selectAll({
    sql: `SELECT id FROM captures WHERE id IN (${toPlaceholders(ids)})`,
    values: ids,
    columns: columnsOf('captures', 'id'),
  })
  const named = existing.map(({ id }) => id)
  const sql = `UPDATE object_removals SET remove_at = ? WHERE capture_id IN (${toPlaceholders(ids)})`
  yield* runAll([{ sql, values: [clock.now() + collectLeaseMs, ...ids] }])
  return { due: ids.filter(id => !named.includes(id)), named }
}

/** The contents that a node deletes. */
export interface RemovableContents {
  /** Restricts the rows that it claims; empty for all. */
  readonly condition: string
  /** Deletes a content, and then its row of `object_removals`. */
  readonly remove: (id: string) => Promise<void>
}

/** Deletes a bounded number of contents that no capture names any more. Resolves with how many. */
export async function collectRemovals(deps: RemovalDeps, { condition, remove }: RemovableContents): Promise<number> {
  if ((await readFirst(deps.store, selectDue(deps, condition))) === null) return 0
  const { due, named } = await deps.store.commit(() => claimRemovals(deps, condition))
  await mapConcurrently(due, contentConcurrency, remove)
  if (named.length > 0) {
    await deps.store.commit(() => run(deleteRemovals(named)))
    deps.log.warn({ captures: named }, 'contents that captures name were not deleted')
  }
  return due.length + named.length
}
