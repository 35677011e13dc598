import { type Chain, findChains, indexSpots } from './chains.ts'
import type { Spot } from './components.ts'
import { fitGrid, type Grid, locate } from './grid.ts'
import type { Pair } from './homography.ts'

/** Rows are a quarter inch apart, characters a tenth (ICAO 9303 part 3, 4.1), in units of the pitch. */
export const rowSpacing = 2.5

/** Parallel rows of characters of one pitch, with the map from their grid to the picture's pixels. */
export interface Zone {
  readonly grid: Grid
  /** Rows and columns where characters were seen, both ends included. */
  readonly rows: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
  readonly seen: number
}

const least_links = 11
/** A line has 44 characters at most; a spot or two beyond each end may seem to belong to it. */
const most_links = 50
/** The shortest line, less a few that touch or are burnt out. */
const good_links = 26
const most_neighbours = 8

/** Characters are about as high as their pitch is wide, the filler a little less: marks of other patterns are not. */
const isLine = ({ links, pitch }: Chain): boolean => {
  if (links.length < least_links || links.length > most_links) return false
  const size = links.reduce((sum, { spot }) => sum + Math.max(spot.width, spot.height), 0) / links.length
  return size > pitch * 0.55 && size < pitch * 1.45
}

/** Lines of a likely length first, the fuller ones first. */
const byPromise = (one: Chain, other: Chain): number =>
  Number(other.links.length >= good_links) - Number(one.links.length >= good_links) ||
  Math.min(other.links.length, 44) - Math.min(one.links.length, 44)

const pairsOf = (chain: Chain, row: number, shift: number): Pair[] =>
  chain.links.map(({ spot, column }) => ({ from: [column + shift, row * rowSpacing], to: [spot.x, spot.y] }))

/** A chain as a straight line: where its column 0 lies and a column's step. */
const lineOf = (chain: Chain): { origin: readonly [number, number]; step: readonly [number, number] } => {
  const n = chain.links.length
  const mean = (of: (link: Chain['links'][number]) => number): number =>
    chain.links.reduce((sum, l) => sum + of(l), 0) / n
  const [mc, mx, my] = [mean(l => l.column), mean(l => l.spot.x), mean(l => l.spot.y)]
  const square = mean(l => (l.column - mc) ** 2)
  const dx = mean(l => (l.column - mc) * (l.spot.x - mx)) / square
  const dy = mean(l => (l.column - mc) * (l.spot.y - my)) / square
  return { origin: [mx - mc * dx, my - mc * dy], step: [dx, dy] }
}

/** The row and the shift of columns at which a chain lies beside the anchor, or null. */
const beside = (anchor: Chain, chain: Chain): { row: number; shift: number } | null => {
  const ratio = chain.pitch / anchor.pitch
  if (ratio < 0.8 || ratio > 1.25) return null
  const { origin, step } = lineOf(anchor)
  const middle = chain.links[Math.floor(chain.links.length / 2)]
  if (middle === undefined) return null
  const [vx, vy] = [middle.spot.x - origin[0], middle.spot.y - origin[1]]
  const square = step[0] ** 2 + step[1] ** 2
  const along = (vx * step[0] + vy * step[1]) / square
  const across = (vy * step[0] - vx * step[1]) / square / rowSpacing
  const row = Math.round(across)
  if (row === 0 || Math.abs(row) > 2 || Math.abs(across - row) > 0.28 * Math.abs(row)) return null
  return { row, shift: Math.round(along - middle.column) }
}

const misfit = (grid: Grid, pairs: readonly Pair[]): number =>
  pairs.reduce((sum, { from, to }) => {
    const [x, y] = locate(grid, from[0], from[1])
    return sum + Math.hypot(x - to[0], y - to[1])
  }, 0) / pairs.length

/** Where a further chain fits a grid best, by trying. */
const place = (grid: Grid, chain: Chain, guess: { row: number; shift: number }): Pair[] | null => {
  let best: Pair[] | null = null
  let least = chain.pitch * 0.3
  for (let row = guess.row - 1; row <= guess.row + 1; row++) {
    for (let shift = guess.shift - 2; shift <= guess.shift + 2; shift++) {
      const pairs = pairsOf(chain, row, shift)
      const miss = misfit(grid, pairs)
      if (miss < least) [best, least] = [pairs, miss]
    }
  }
  return best
}

/** A chain at its row beside an anchor, and how its columns count from the anchor's. */
interface Placed {
  readonly chain: Chain
  readonly row: number
  readonly shift: number
}

/** Chains beside the anchor, the nearest rows first, and where they seem to lie. */
const neighbours = (anchor: Chain, chains: readonly Chain[]): Placed[] =>
  chains
    .flatMap(chain => {
      const guess = chain === anchor ? null : beside(anchor, chain)
      return guess === null ? [] : [{ chain, ...guess }]
    })
    .sort((one, other) => Math.abs(one.row) - Math.abs(other.row) || other.chain.links.length - one.chain.links.length)
    .slice(0, most_neighbours)

/** Zones lie flush: the whole shift that brings the ends of a chain closest to the anchor's, if one step away at most. */
const flush = (anchor: Chain, chain: Chain, guess: number): number => {
  const ends = ({ links }: Chain): readonly [number, number] => [links[0]?.column ?? 0, links.at(-1)?.column ?? 0]
  const [first, last] = ends(anchor)
  const [from, to] = ends(chain)
  const off = (shift: number): number => Math.abs(from + shift - first) + Math.abs(to + shift - last)
  return [guess - 1, guess + 1].reduce((best, shift) => (off(shift) < off(best) ? shift : best), guess)
}

const grown = (anchor: Chain, beside: readonly Placed[]): { zone: Zone; members: Chain[] } | null => {
  let pairs = pairsOf(anchor, 0, 0)
  let grid: Grid | null = null
  const members = [anchor]
  for (const { chain, row, shift } of beside) {
    const placed = grid === null ? pairsOf(chain, row, shift) : place(grid, chain, { row, shift })
    if (placed === null) continue
    const fitted = fitGrid([...pairs, ...placed])
    if (fitted === null || misfit(fitted, [...pairs, ...placed]) > anchor.pitch * 0.25) continue
    pairs = [...pairs, ...placed]
    grid = fitted
    members.push(chain)
  }
  if (grid === null) return null
  // Spots that are no characters (a line's end run into the pattern) would pull the grid: fit again without them.
  const fitted = grid
  const close = pairs.filter(pair => misfit(fitted, [pair]) < anchor.pitch * 0.3)
  const rows = close.map(pair => Math.round(pair.from[1] / rowSpacing))
  const columns = close.map(pair => pair.from[0])
  const zone = {
    grid: fitGrid(close) ?? fitted,
    rows: [Math.min(...rows), Math.max(...rows)],
    columns: [Math.min(...columns), Math.max(...columns)],
    seen: close.length,
  } as const
  return { zone, members }
}

/** The zones that an anchor may belong to: seen askew, it is open which characters stand below each other. */
const zonesAround = (anchor: Chain, chains: readonly Chain[]): { zone: Zone; members: Chain[] }[] => {
  const beside = neighbours(anchor, chains)
  const [first, ...rest] = beside
  if (first === undefined) return []
  const shift = flush(anchor, first.chain, first.shift)
  const ways = shift === first.shift ? [beside] : [[{ ...first, shift }, ...rest], beside]
  return ways.flatMap(way => grown(anchor, way) ?? [])
}

/** Chains to start from: on a printed table cloth the longest ones are not the document's. */
const most_anchors = 48
const most_zones = 12
/** Zones among spots whose lines run within 40 degrees of horizontal, the fullest first; `extent` is the picture's longer side. */
export const findZones = (spots: readonly Spot[], extent: number): Zone[] => {
  const near = indexSpots(spots, Math.max(24, extent / 40))
  const chains = findChains(spots, near, 5).filter(isLine).sort(byPromise)
  const zones: Zone[] = []
  const used = new Set<Chain>()
  for (const anchor of chains.slice(0, most_anchors)) {
    if (used.has(anchor) || zones.length >= most_zones) continue
    for (const { zone, members } of zonesAround(anchor, chains)) {
      zones.push(zone)
      for (const member of members) used.add(member)
    }
  }
  return zones.sort((one, other) => other.seen - one.seen)
}
