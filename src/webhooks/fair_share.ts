import type { WaitingLane } from '../durable/store/lanes.ts'
import type { Portion } from '../durable/store/scheduled_jobs.ts'
import type { Breakers, Standing } from './breaker.ts'
import { accountOf } from './origins.ts'

/** What the lanes of a node's deliveries are divided by. A lane is an origin of an account. */
export interface FairShare {
  readonly breakers: Breakers
  readonly now: number
  /** All of the node's slots, and how many of them one origin may have. */
  readonly slots: number
  readonly origin_slots: number
}

/** What waits, and what this node has under way. */
export interface Demand {
  readonly lanes: readonly WaitingLane[]
  readonly under_way: ReadonlyMap<string, number>
  readonly free: number
}

interface Candidate {
  readonly lane: string
  readonly account_id: string
  readonly ready_at: number
  readonly standing: Standing
  /** The most that it may have under way. */
  readonly limit: number
  taken: number
}

/** Adds up what is under way by some property of its lane. */
const countBy = <K>(under_way: ReadonlyMap<string, number>, keyOf: (lane: string) => K): Map<K, number> => {
  const counts = new Map<K, number>()
  for (const [lane, count] of under_way) counts.set(keyOf(lane), (counts.get(keyOf(lane)) ?? 0) + count)
  return counts
}

const candidates = (demand: Demand, { breakers, now, origin_slots }: FairShare): Candidate[] =>
  demand.lanes
    .filter(({ lane, ready_at, paused_at }) => ready_at <= now && paused_at === null && breakers.opensAt(lane) <= now)
    .map(({ lane, ready_at, failing_since }) => {
      const here = breakers.standing(lane)
      const standing = here === 'unknown' && failing_since !== null ? 'failing' : here
      return {
        lane,
        account_id: accountOf(lane),
        ready_at,
        standing,
        // One that never answered here, or failed last, is tried one at a time.
        limit: standing === 'prompt' || standing === 'slow' ? origin_slots : 1,
        taken: demand.under_way.get(lane) ?? 0,
      }
    })

/** Slots that origins may still take, by how they stand: failing and slow ones share a half, with unknown ones three quarters. */
const budgetsOf = ({ under_way, free }: Demand, { breakers, slots }: FairShare) => {
  const taken = countBy(under_way, lane => breakers.standing(lane))
  const burden = (taken.get('slow') ?? 0) + (taken.get('failing') ?? 0)
  const budgets = {
    all: free,
    doubtful: Math.ceil(slots * 0.75) - burden - (taken.get('unknown') ?? 0),
    burden: Math.ceil(slots * 0.5) - burden,
  }
  return {
    allows: (standing: Standing): boolean => {
      if (standing === 'prompt') return budgets.all > 0
      if (standing === 'unknown') return budgets.all > 0 && budgets.doubtful > 0
      return budgets.all > 0 && budgets.doubtful > 0 && budgets.burden > 0
    },
    spend(standing: Standing): void {
      budgets.all--
      if (standing !== 'prompt') budgets.doubtful--
      if (standing === 'slow' || standing === 'failing') budgets.burden--
    },
  }
}

/**
 * decisions.md, "Webhooks": a dead receiver never holds back another. Slot by slot to the account, then to the origin,
 * that has fewest, then to who waits longest. Origins that failed or were slow last time share half of the slots, so that
 * however many are dead or slow, the other half is free for those that are not.
 */
export const fairPortions = (demand: Demand, share: FairShare): readonly Portion[] => {
  const open = candidates(demand, share)
  const of_account = countBy(demand.under_way, accountOf)
  const budgets = budgetsOf(demand, share)
  const portions = new Map<string, number>()
  const held = ({ account_id }: Candidate): number => of_account.get(account_id) ?? 0
  const isBefore = (a: Candidate, b: Candidate): boolean =>
    (held(a) - held(b) || a.taken - b.taken || a.ready_at - b.ready_at) < 0
  for (;;) {
    let next: Candidate | null = null
    for (const one of open)
      if (one.taken < one.limit && budgets.allows(one.standing) && (next === null || isBefore(one, next))) next = one
    if (next === null) break
    next.taken++
    of_account.set(next.account_id, (of_account.get(next.account_id) ?? 0) + 1)
    budgets.spend(next.standing)
    portions.set(next.lane, (portions.get(next.lane) ?? 0) + 1)
  }
  return [...portions].map(([lane, limit]) => ({ lane, limit }))
}

/** When the first lane that may not be served yet may be: its row is ready, or its breaker lets one attempt through. */
export const nextInstant = (lanes: readonly WaitingLane[], { breakers, now }: FairShare): number =>
  Math.min(
    ...lanes
      .filter(({ paused_at }) => paused_at === null)
      .map(({ lane, ready_at }) => Math.max(ready_at, breakers.opensAt(lane)))
      .filter(at => at > now),
    Number.POSITIVE_INFINITY,
  )
