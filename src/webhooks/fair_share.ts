import type { Portion, WaitingLane } from '../store/due.ts'
import type { Breakers } from './breaker.ts'
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
  readonly is_prompt: boolean
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
    .map(({ lane, ready_at }) => ({
      lane,
      account_id: accountOf(lane),
      ready_at,
      is_prompt: breakers.standing(lane) === 'prompt',
      // One that never answered here, or failed last, is tried one at a time.
      limit: breakers.standing(lane) === 'unproven' ? 1 : origin_slots,
      taken: demand.under_way.get(lane) ?? 0,
    }))

/**
 * decisions.md, "Webhooks": a dead receiver never holds back another. Slot by slot to the account, then to the origin,
 * that has fewest, then to who waits longest. Origins that did not answer promptly last time share half of the slots, so
 * that however many are dead or slow, the other half is free for those that are not.
 */
export const fairPortions = (demand: Demand, share: FairShare): readonly Portion[] => {
  const { breakers, slots } = share
  const open = candidates(demand, share)
  const of_account = countBy(demand.under_way, accountOf)
  const prompt = countBy(demand.under_way, lane => breakers.standing(lane) === 'prompt')
  let others_free = Math.ceil(slots / 2) - (prompt.get(false) ?? 0)
  const portions = new Map<string, number>()
  const held = ({ account_id }: Candidate): number => of_account.get(account_id) ?? 0
  const isBefore = (a: Candidate, b: Candidate): boolean =>
    (held(a) - held(b) || a.taken - b.taken || a.ready_at - b.ready_at) < 0
  for (let free = demand.free; free > 0; free--) {
    let next: Candidate | null = null
    for (const one of open)
      if (one.taken < one.limit && (one.is_prompt || others_free > 0) && (next === null || isBefore(one, next)))
        next = one
    if (next === null) break
    next.taken++
    of_account.set(next.account_id, (of_account.get(next.account_id) ?? 0) + 1)
    if (!next.is_prompt) others_free--
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
