import { decisions } from '@attestor/rules'
import { readAll, type Store } from 'durable-xstate-sql'
import { toPlaceholders, type Value } from 'durable-xstate-sql/sql'
import { statuses } from '../../machines/words.ts'
import { ApiError } from '../base/api_error.ts'
import { isoDate, isoTimestamp } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { listAccounts } from '../identity/accounts/account_list.ts'
import { maxAccounts } from './find_transactions.ts'

const dayMs = 86_400_000

/** Days are counted from the newest backwards until there are so many transactions: older days are left out then. */
const maxCounted = 200_000

/** The outcomes of transactions. */
const outcomes = ['approved', 'rejected', 'undetermined', 'failed', 'expired', 'open', 'erased'] as const

type Outcome = (typeof outcomes)[number]

const groupColumns = {
  ...columnsOf('transactions', 'status', 'decision', 'reason'),
  day: 'instant',
  count: 'count',
} as const

interface Group {
  /** Its first millisecond, in UTC. */
  readonly day: number
  readonly outcome: Outcome
  readonly reason: string | null
  readonly count: number
}

interface Period {
  readonly accounts: readonly string[]
  /** Epoch milliseconds; `to` is exclusive. */
  readonly from: number
  readonly to: number
}

const hasDecision = `decision IN (${toPlaceholders(decisions)})`

/** Rows that are adjacent in the index of decisions, which has every column that is read. */
function fromPeriod(condition: string, among: readonly string[], period: Period) {
  const { accounts, from, to } = period
  const values: readonly Value[] = [...accounts, ...(condition === hasDecision ? decisions : []), ...among, from, to]
  const sql = `FROM transactions WHERE account_id IN (${toPlaceholders(accounts)}) AND ${condition}
    AND status IN (${toPlaceholders(among)}) AND created_at >= ? AND created_at < ?`
  return { sql, values }
}

/** Ended without a decision: it was erased, as an erasure deletes the decision alone. */
export function toOutcome(status: string, decision: (typeof decisions)[number] | null): Outcome {
  if (status === 'EXPIRED') return 'expired'
  if (status !== 'FINISHED' && status !== 'FAILED') return 'open'
  if (decision === null) return 'erased'
  return status === 'FAILED' ? 'failed' : (decision.toLowerCase() as Outcome)
}

/** The transactions that were created in a period, in groups of one day, outcome and reason. */
async function readGroups(store: Store, period: Period): Promise<readonly Group[]> {
  const parts = [
    fromPeriod(hasDecision, ['FINISHED', 'FAILED'], period),
    fromPeriod('decision IS NULL', statuses, period),
  ]
  const rows = await Promise.all(
    parts.map(({ sql, values }) =>
      readAll(store, {
        sql: `SELECT created_at - created_at % ${dayMs} AS day, status, decision, reason, COUNT(*) AS count ${sql}
          GROUP BY day, status, decision, reason`,
        values,
        columns: groupColumns,
      }),
    ),
  )
  return rows.flat().map(({ status, decision, ...group }) => ({ ...group, outcome: toOutcome(status, decision) }))
}

type Counted = Pick<Group, 'outcome' | 'count'>

function sum(groups: readonly Counted[]): number {
  return groups.reduce((total, { count }) => total + count, 0)
}

interface CountedPeriod {
  readonly groups: readonly Group[]
  readonly from: number
}

/** Reads the last day, then each time twice as many as before: no more than are wanted, or than a page may count. */
async function countBackwards(store: Store, { accounts, from, to }: Period, max: number): Promise<CountedPeriod> {
  const lastDay = to - (to % dayMs)
  let counted: CountedPeriod = { groups: await readGroups(store, { accounts, from: lastDay, to }), from: lastDay }
  for (let days = 1; counted.from > from && sum(counted.groups) < max; days *= 2) {
    const earlier = Math.max(from, counted.from - days * dayMs)
    const groups = await readGroups(store, { accounts, from: earlier, to: counted.from })
    counted = { groups: [...counted.groups, ...groups], from: earlier }
  }
  return counted
}

const rankColumns = { took: 'instant', n: 'count', total: 'count' } as const

/** The nearest rank: no fewer than this share of the times is as long or shorter. */
function isRank({ n, total }: { readonly n: number; readonly total: number }, percent: number): boolean {
  return n === Math.ceil((total * percent) / 100)
}

/** Reads the times from the end of the capture to the decision, reviewers' time included. */
async function readTimesToDecide(store: Store, period: Period) {
  const { sql, values } = fromPeriod(hasDecision, ['FINISHED'], period)
  const rows = await readAll(store, {
    sql: `SELECT took, n, total FROM (SELECT finished_at - completed_at AS took,
      ROW_NUMBER() OVER (ORDER BY finished_at - completed_at) AS n, COUNT(*) OVER () AS total ${sql}) r WHERE (n * 2 >= total AND n * 2 - 2 < total) OR (n * 10 >= total * 9 AND n * 10 - 10 < total * 9)`,
    values,
    columns: rankColumns,
  })
  const find = (percent: number): number | null => rows.find(row => isRank(row, percent))?.took ?? null
  return { median_ms: find(50), p90_ms: find(90) }
}

export function countOutcomes(groups: readonly Counted[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => sum(groups.filter(group => group.outcome === outcome))
  return Object.fromEntries(outcomes.map(outcome => [outcome, count(outcome)])) as Record<Outcome, number>
}

function countDay(groups: readonly Group[]) {
  return { created: sum(groups), ...countOutcomes(groups) }
}

/** The most frequent first. */
function countReasons(groups: readonly Group[]) {
  const ended = groups.filter(({ outcome, reason }) => reason !== null && outcome !== 'open')
  return [...Map.groupBy(ended, ({ reason }) => reason ?? '')]
    .map(([code, all]) => ({ code, count: sum(all) }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}

/** Accounts that are counted together: a test account's scenes say nothing about people, so it is counted alone. */
async function listCounted(store: Store, account_id: string | null): Promise<readonly string[]> {
  if (account_id !== null) return [account_id]
  const live = (await listAccounts(store)).filter(({ mode }) => mode === 'live')
  if (live.length > maxAccounts)
    throw new ApiError('invalid_field', `account_id: is required where there are more than ${maxAccounts} accounts`)
  return live.map(account => account.account_id)
}

const shownReasons = 10

/**
 * Reads the last `days` days in UTC, today included, the oldest first: the created transactions, and their outcomes.
 */
export async function readOverview(
  store: Store,
  now: number,
  account_id: string | null,
  days: number,
  max = maxCounted,
) {
  const accounts = await listCounted(store, account_id)
  const to = now + 1
  const wanted = now - (now % dayMs) - (days - 1) * dayMs
  const counted = accounts.length === 0 ? null : await countBackwards(store, { accounts, from: wanted, to }, max)
  const { groups, from } = counted ?? { groups: [], from: wanted }
  const byDay = Map.groupBy(groups, ({ day }) => day)
  const dayCount = Math.floor((now - from) / dayMs) + 1
  const totals = countDay(groups)
  const decided = totals.approved + totals.rejected + totals.undetermined
  return {
    from: isoTimestamp(from),
    to: isoTimestamp(now),
    // There were too many to count: earlier days are left out.
    is_cut: from > wanted,
    days: Array.from({ length: dayCount }, (_, index) => from + index * dayMs).map(day => ({
      date: isoDate(day),
      ...countDay(byDay.get(day) ?? []),
    })),
    totals,
    // Share of the approved among those that were approved, rejected or left undetermined, 0 to 1.
    approval_rate: decided === 0 ? null : totals.approved / decided,
    reasons: countReasons(groups).slice(0, shownReasons),
    time_to_decide:
      decided === 0 ? { median_ms: null, p90_ms: null } : await readTimesToDecide(store, { accounts, from, to }),
  }
}
