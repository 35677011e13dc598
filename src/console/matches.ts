import { readAll, type Statement, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { columnsOf } from '../database/schema.ts'
import type { SearchPlan, TransactionSearch } from './find_transactions.ts'
import { countOutcomes, toOutcome } from './overview.ts'
import { type IdPage, selectRows } from './scan_transactions.ts'

/** So many of the newest matches are counted, and compared by how long they took: a million cost no more. */
export const maxMatches = 5000

/** Selects the newest rows, and which of them match; null where a search can match none. */
interface Matches {
  readonly statement: Statement
  /** The number of rows that are read of each account, or of all. */
  readonly max: number
  readonly isByAccount: boolean
}

/**
 * Lists share the limit of rows, but each gets at least a fifth: with two accounts each gets half, with fifty 1,000.
 */
function selectMatches(store: Store, search: TransactionSearch, plan: SearchPlan, max: number): Matches | null {
  const isByAccount = plan.by === 'lists'
  const each = isByAccount ? Math.ceil(max / Math.min(plan.targets.length, 5)) : max
  const statement = selectRows(store, search, plan, { after: null, order: 'newest', limit: each })
  return statement && { statement, max: each, isByAccount }
}

const groupColumns = {
  ...columnsOf('transactions', 'account_id', 'status', 'decision'),
  is_match: 'count',
  count: 'count',
} as const

type Group = RowOf<typeof groupColumns>

function sum(groups: readonly Group[]): number {
  return groups.reduce((total, { count }) => total + count, 0)
}

/** Whether there may be further rows than those that were read. */
function isCut({ max, isByAccount }: Matches, groups: readonly Group[]): boolean {
  const lists = isByAccount ? Map.groupBy(groups, ({ account_id }) => account_id).values() : [groups]
  return [...lists].some(list => sum(list) >= max)
}

/** Counts the outcomes of the newest transactions that a search matches. */
export async function countMatches(store: Store, search: TransactionSearch, plan: SearchPlan, max = maxMatches) {
  const matches = selectMatches(store, search, plan, max)
  if (matches === null) return { total: 0, is_cut: false, ...countOutcomes([]) }
  const { sql, values } = matches.statement
  const groups = await readAll(store, {
    sql: `SELECT account_id, status, decision, m.is_match AS is_match, COUNT(*) AS count FROM (${sql}) m
      GROUP BY account_id, status, decision, is_match`,
    values,
    columns: groupColumns,
  })
  const matching = groups.filter(({ is_match }) => is_match === 1)
  const outcomes = matching.map(({ status, decision, count }) => ({ outcome: toOutcome(status, decision), count }))
  return { total: sum(matching), is_cut: isCut(matches, groups), ...countOutcomes(outcomes) }
}

/** Orders by the time that a transaction took, from the beginning of its capture to its end. */
export const durationOrders = ['longest', 'shortest'] as const

export type DurationOrder = (typeof durationOrders)[number]

export interface DurationPosition {
  readonly took: number
  readonly id: string
}

interface DurationPage {
  readonly after: DurationPosition | null
  readonly limit: number
  readonly order: DurationOrder
}

const durationColumns = { ...columnsOf('transactions', 'id'), took: 'instant' } as const

/** A page of those of the newest matches that ended, by how long they took. */
export async function findByDuration(
  store: Store,
  search: TransactionSearch,
  plan: SearchPlan,
  { after, limit, order }: DurationPage,
  max = maxMatches,
): Promise<IdPage<DurationPosition>> {
  const matches = selectMatches(store, search, plan, max)
  if (matches === null) return { ids: [], next: null }
  const [beyond, direction] = order === 'longest' ? ['<', 'DESC'] : ['>', 'ASC']
  const further = after === null ? '' : `WHERE took ${beyond} ? OR (took = ? AND id ${beyond} ?)`
  const { sql, values } = matches.statement
  const rows = await readAll(store, {
    sql: `SELECT id, took FROM (SELECT id, finished_at - initiated_at AS took FROM (${sql}) m
      WHERE is_match = 1 AND finished_at IS NOT NULL AND initiated_at IS NOT NULL) d ${further}
      ORDER BY took ${direction}, id ${direction} LIMIT ${limit + 1}`,
    values: [...values, ...(after === null ? [] : [after.took, after.took, after.id])],
    columns: durationColumns,
  })
  const shown = rows.slice(0, limit)
  return { ids: shown.map(({ id }) => id), next: rows.length > limit ? (shown.at(-1) ?? null) : null }
}
