import type { Lanes } from './shares.ts'

/** The lanes of a queue in which rows may wait, so that a new one has to wait behind them. */
export interface Crowd {
  isIn(lane: string): boolean
  /** A row of that lane is about to wait. */
  join(lane: string): void
  /** No row waited when a look began. */
  disperse(): void
  /** A look begins, which finds all rows that waited before it. The returned function takes those that it left. */
  look(): (left: Lanes) => void
}

/** Where nobody has looked yet, rows may wait anywhere. */
export function createCrowd(): Crowd {
  let known: Lanes = 'all'
  let joined = new Set<string>()
  return {
    isIn: lane => known === 'all' || known.has(lane) || joined.has(lane),
    join: lane => void joined.add(lane),
    disperse() {
      known = new Set()
    },
    look() {
      // A look that fails has found nothing.
      known = 'all'
      joined = new Set()
      return left => {
        known = left
      }
    },
  }
}
