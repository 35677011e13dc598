/**
 * A seeded source of numbers. The bench has its own, so that no seed of the renderer that trains the reader gives the
 * same.
 */
export interface Chance {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** Uniform between two bounds. */
  readonly between: (low: number, high: number) => number
  /** A whole number from 0 to `count` - 1. */
  readonly below: (count: number) => number
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
  /** Whether something of this probability happens. */
  readonly happens: (probability: number) => boolean
}

/** Hashes by FNV-1a: a salt gives each concern of a case (holder, print, photo) numbers of its own. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

/** Creates sfc32 (Doty-Humphrey's small fast counting generator), never for secrets. */
export function chance(seed: number, salt: string): Chance {
  let a = hash(`${salt} ${seed}`)
  let b = hash(`${seed} ${salt}`)
  let c = seed | 0
  let counter = 1
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 4_294_967_296
  }
  for (let warm = 0; warm < 12; warm++) next()
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    below,
    pick: list => list[below(list.length)] ?? list[0],
    happens: probability => next() < probability,
  }
}
