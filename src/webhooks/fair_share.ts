import type { LaneDetails, Portion, WaitingLane } from 'durable-xstate-sql/sql'
import { columnsOf } from '../database/schema.ts'
import type { Breakers, OriginStanding } from './breaker.ts'
import { readOriginAccount } from './origins.ts'

const originColumns = columnsOf('origins', 'failing_since', 'paused_at')

/** A lane has the id of an origin. These columns of the origin's row are read with it. */
export const originDetails: LaneDetails<typeof originColumns> = { table: 'origins', columns: originColumns }

export type OriginLane = WaitingLane<typeof originColumns>

/** The division of a node's slots among lanes. A lane is an origin of an account. */
export interface FairShare {
  readonly breakers: Breakers
  readonly now: number
  /** Slots of the node, and of one origin. */
  readonly slots: number
  readonly origin_slots: number
}

export interface Demand {
  readonly lanes: readonly OriginLane[]
  readonly under_way: ReadonlyMap<string, number>
  readonly free: number
}

interface Candidate {
  readonly lane: string
  readonly account_id: string
  readonly ready_at: number
  readonly standing: OriginStanding
  /** Attempts that it may have in flight. */
  readonly limit: number
  taken: number
}

/** Attempts in flight, summed by a property of their lane. */
function sumBy<K>(under_way: ReadonlyMap<string, number>, toKey: (lane: string) => K): Map<K, number> {
  const counts = new Map<K, number>()
  for (const [lane, count] of under_way) counts.set(toKey(lane), (counts.get(toKey(lane)) ?? 0) + count)
  return counts
}

/**
 * A receiver is tried when its delivery is due, its breaker is closed and its origin is not paused: the latest of the
 * three decides.
 */
function findTryTime({ lane, ready_at, paused_at }: OriginLane, breakers: Breakers): number {
  return paused_at === null ? Math.max(ready_at, breakers.triableAt(lane)) : Number.POSITIVE_INFINITY
}

function findCandidates(demand: Demand, { breakers, now, origin_slots }: FairShare): Candidate[] {
  return demand.lanes
    .filter(lane => findTryTime(lane, breakers) <= now)
    .map(({ lane, ready_at, failing_since }) => {
      const here = breakers.standing(lane)
      const standing = here === 'unknown' && failing_since !== null ? 'failing' : here
      return {
        lane,
        account_id: readOriginAccount(lane),
        ready_at,
        standing,
        // An origin that never responded to this node, or failed last, gets one attempt at a time.
        limit: standing === 'prompt' || standing === 'slow' ? origin_slots : 1,
        taken: demand.under_way.get(lane) ?? 0,
      }
    })
}

/** Slots left: failing and slow origins share half of all; together with unknown ones, three quarters. */
function createBudgets({ under_way, free }: Demand, { breakers, slots }: FairShare) {
  const taken = sumBy(under_way, lane => breakers.standing(lane))
  const burden = (taken.get('slow') ?? 0) + (taken.get('failing') ?? 0)
  const budgets = {
    all: free,
    doubtful: Math.ceil(slots * 0.75) - burden - (taken.get('unknown') ?? 0),
    burden: Math.ceil(slots * 0.5) - burden,
  }
  return {
    allows: (standing: OriginStanding): boolean => {
      if (standing === 'prompt') return budgets.all > 0
      if (standing === 'unknown') return budgets.all > 0 && budgets.doubtful > 0
      return budgets.all > 0 && budgets.doubtful > 0 && budgets.burden > 0
    },
    spend(standing: OriginStanding): void {
      budgets.all--
      if (standing !== 'prompt') budgets.doubtful--
      if (standing === 'slow' || standing === 'failing') budgets.burden--
    },
  }
}

/**
 * Divides the free slots so that a dead receiver never holds back another. Each slot goes to the account with the
 * fewest attempts in flight, then to its origin with the fewest, then to the lane that waits longest. Failing and slow
 * origins share half of the slots: the other half stays free for the rest.
 */
export function divideFairly(demand: Demand, share: FairShare): readonly Portion[] {
  const open = findCandidates(demand, share)
  const ofAccount = sumBy(demand.under_way, readOriginAccount)
  const budgets = createBudgets(demand, share)
  const portions = new Map<string, number>()
  const held = ({ account_id }: Candidate): number => ofAccount.get(account_id) ?? 0
  const isBefore = (a: Candidate, b: Candidate): boolean =>
    (held(a) - held(b) || a.taken - b.taken || a.ready_at - b.ready_at) < 0
  for (;;) {
    let next: Candidate | null = null
    for (const one of open)
      if (one.taken < one.limit && budgets.allows(one.standing) && (next === null || isBefore(one, next))) next = one
    if (next === null) break
    next.taken++
    ofAccount.set(next.account_id, (ofAccount.get(next.account_id) ?? 0) + 1)
    budgets.spend(next.standing)
    portions.set(next.lane, (portions.get(next.lane) ?? 0) + 1)
  }
  return [...portions].map(([lane, limit]) => ({ lane, limit }))
}

/** Whether a new attempt is served at once, where nothing waits before it and its origin is not paused. */
export function isServedAtOnce(lane: string, demand: Omit<Demand, 'lanes'>, share: FairShare): boolean {
  const waiting = { lane, ready_at: share.now, failing_since: null, paused_at: null }
  return divideFairly({ ...demand, lanes: [waiting] }, share).length > 0
}

/** The earliest time at which one of the lanes that must wait now may be served. */
export function findNextInstant(lanes: readonly OriginLane[], { breakers, now }: FairShare): number {
  return Math.min(...lanes.map(lane => findTryTime(lane, breakers)).filter(at => at > now), Number.POSITIVE_INFINITY)
}
