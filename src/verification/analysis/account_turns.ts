import type { LanePolicy } from 'durable-xstate-sql'
import { createRecent } from '../../base/collections.ts'

/** Accounts of which a node remembers the turn; one that it has forgotten comes first. */
const maxAccounts = 10_000

/**
 * Accounts take turns, each account a lane: a free slot goes to the account that this node has served least recently, then
 * to the one that waits longest. So thousands of transactions of one account delay another's first by one analysis.
 */
export function createAccountTurns(now: () => number): LanePolicy {
  let turns = 0
  const served = createRecent<number>(maxAccounts)
  return {
    keepsSlot: true,
    share({ lanes, free }) {
      const ready = lanes.filter(({ ready_at }) => ready_at <= now())
      const lastTurn = (lane: string): number => served.peek(lane) ?? 0
      const next = ready
        .sort((a, b) => lastTurn(a.lane) - lastTurn(b.lane) || a.ready_at - b.ready_at)
        .slice(0, free)
        .map(({ lane }) => lane)
      const portions = next.map((lane, at) => ({ lane, limit: Math.ceil((free - at) / next.length) }))
      for (const lane of next) served.set(lane, ++turns)
      const later = lanes.map(({ ready_at }) => ready_at).filter(at => at > now())
      return { portions, again_at: Math.min(...later, Number.POSITIVE_INFINITY) }
    },
    admits(lane) {
      served.set(lane, ++turns)
      return true
    },
  }
}
