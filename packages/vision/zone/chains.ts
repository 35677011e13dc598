import type { Spot } from './components.ts'

/** A spot at its column, counted from the chain's seed; columns between may be missing. */
interface Link {
  readonly spot: Spot
  readonly column: number
}

/** Spots of like size at equal pitch along a line, from left to right. */
export interface Chain {
  readonly links: readonly Link[]
  readonly pitch: number
}

function measureSpot(spot: Spot): number {
  return Math.max(spot.width, spot.height)
}

/** Indexes spots by coarse cells, so that only the near ones are compared. */
export function indexSpots(spots: readonly Spot[], cell: number): (x: number, y: number) => readonly Spot[] {
  const cells = new Map<number, Spot[]>()
  const key = (x: number, y: number): number => Math.floor(x / cell) * 100_003 + Math.floor(y / cell)
  for (const spot of spots) {
    const at = key(spot.x, spot.y)
    const found = cells.get(at)
    if (found === undefined) cells.set(at, [spot])
    else found.push(spot)
  }
  // The lists are cached: the same surroundings are needed again and again.
  const around = new Map<number, Spot[]>()
  const gather = (x: number, y: number): Spot[] => {
    const near: Spot[] = []
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) near.push(...(cells.get(key(x + dx * cell, y + dy * cell)) ?? []))
    }
    return near
  }
  return (x, y) => {
    const at = key(x, y)
    const near = around.get(at) ?? gather(x, y)
    around.set(at, near)
    return near
  }
}

type FindNear = (x: number, y: number) => readonly Spot[]

function isSimilar(one: Spot, other: Spot): boolean {
  const ratio = measureSpot(one) / measureSpot(other)
  return ratio > 0.6 && ratio < 1.67
}

/** At most this many columns in a row may be missing, as touching or burnt-out characters are. */
const maxGap = 4

/** Follows the chain from a spot by steps of `(dx, dy)`, which bend with the perspective. */
function follow(near: FindNear, from: Spot, step: readonly [number, number], sign: 1 | -1): Link[] {
  let [dx, dy] = step
  let last = from
  let column = 0
  const links: Link[] = []
  for (let gap = 1; gap <= maxGap; ) {
    const x = last.x + dx * gap
    const y = last.y + dy * gap
    const pitch = Math.hypot(dx, dy)
    let best: Spot | null = null
    let closest = pitch * (gap > 1 ? 0.38 : 0.34)
    for (const spot of near(x, y)) {
      // Most spots are so far away that no square root need be computed.
      if (Math.abs(spot.x - x) > closest || Math.abs(spot.y - y) > closest) continue
      const away = Math.hypot(spot.x - x, spot.y - y)
      if (spot === last || away > closest || !isSimilar(spot, from)) continue
      closest = away
      best = spot
    }
    if (best === null) {
      gap++
      continue
    }
    column += sign * gap
    links.push({ spot: best, column })
    // The mean of the steps from a few links ago is steadier than the last one alone.
    const back = links[Math.max(0, links.length - 7)]
    const origin = links.length > 6 && back !== undefined ? back : { spot: from, column: 0 }
    const columns = Math.abs(column - origin.column)
    if (columns >= 2) {
      dx = (best.x - origin.spot.x) / columns
      dy = (best.y - origin.spot.y) / columns
    }
    last = best
    gap = 1
  }
  return links
}

/** A picture of noise or of a mesh has a great many starts; a document has a few thousand. */
const maxAttempts = 60_000

/** Finds the chains among the spots that run within 40 degrees of horizontal and have at least `least` links. */
export function findChains(spots: readonly Spot[], near: FindNear, least: number): Chain[] {
  const used = new Set<Spot>()
  let tries = 0
  const chains: Chain[] = []
  for (const seed of spots) {
    if (used.has(seed)) continue
    if (tries > maxAttempts) break
    const size = measureSpot(seed)
    const partners = near(seed.x + size, seed.y).filter(spot => {
      const dx = spot.x - seed.x
      const dy = spot.y - seed.y
      return dx > size * 0.6 && dx < size * 1.7 && Math.abs(dy) < dx * 0.84 && isSimilar(spot, seed)
    })
    let best: Link[] = []
    for (const partner of partners) {
      const step = [partner.x - seed.x, partner.y - seed.y] as const
      const right = follow(near, seed, step, 1)
      tries++
      if (right.length < 3) continue
      const left = follow(near, seed, [-step[0], -step[1]], -1)
      if (left.length + right.length + 1 > best.length) best = [...left.reverse(), { spot: seed, column: 0 }, ...right]
    }
    if (best.length < least) continue
    for (const { spot } of best) used.add(spot)
    const first = best[0]
    const last = best[best.length - 1]
    if (first === undefined || last === undefined) continue
    const length = Math.hypot(last.spot.x - first.spot.x, last.spot.y - first.spot.y)
    chains.push({ links: best, pitch: length / (last.column - first.column) })
  }
  return chains
}
