/** A seeded source of numbers: the same seed gives the same pictures on every machine. */
export interface Random {
  /** Returns a uniform number in [0, 1). */
  readonly next: () => number
  /** Returns a uniform number between two bounds. */
  readonly between: (low: number, high: number) => number
  /** Returns a whole number from 0 to `below` - 1. */
  readonly below: (below: number) => number
  /** Returns a roughly normal number, mean 0 and deviation 1. */
  readonly normal: () => number
}

/** Creates mulberry32: small, fast and good enough for pictures; never for secrets. */
export function seeded(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    below: below => Math.floor(next() * below),
    normal: () => (next() + next() + next() + next() - 2) * Math.sqrt(3),
  }
}
