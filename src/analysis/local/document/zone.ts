import { type Chain, findChains, indexSpots } from './chains.ts'
import type { Spot } from './components.ts'
import { fitGrid, type Grid, locate } from './grid.ts'
import type { Pair } from './homography.ts'

/** Parallel rows of characters of one pitch, with the map from their grid to the picture's pixels. */
export interface Zone {
  /** In pitches, to the right and down; row 0 is at 0. */
  readonly grid: Grid
  /** How far rows are apart, in pitches, as the picture shows it. */
  readonly spacing: number
  /** Rows and columns where characters were seen, both ends included. */
  readonly rows: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
  readonly seen: number
}

/** Between which spacings rows of a zone are looked for, in pitches: `physical.ts` says which documents have which. */
const rowSpacings = { least: 1.3, most: 3.4 } as const

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

const pairsOf = (chain: Chain, y: number, shift: number): Pair[] =>
  chain.links.map(({ spot, column }) => ({ from: [column + shift, y], to: [spot.x, spot.y] }))

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

/** A chain near an anchor: so many pitches below it, and how its columns count from the anchor's. */
interface Beside {
  readonly chain: Chain
  readonly across: number
  readonly shift: number
}

/** Where a chain lies beside the anchor; null for one of another pitch. */
const beside = (anchor: Chain, chain: Chain): Beside | null => {
  const ratio = chain.pitch / anchor.pitch
  if (chain === anchor || ratio < 0.8 || ratio > 1.25) return null
  const { origin, step } = lineOf(anchor)
  const middle = chain.links[Math.floor(chain.links.length / 2)]
  if (middle === undefined) return null
  const [vx, vy] = [middle.spot.x - origin[0], middle.spot.y - origin[1]]
  const square = step[0] ** 2 + step[1] ** 2
  const along = (vx * step[0] + vy * step[1]) / square
  const across = (vy * step[0] - vx * step[1]) / square
  return { chain, across, shift: Math.round(along - middle.column) }
}

const misfit = (grid: Grid, pairs: readonly Pair[]): number =>
  pairs.reduce((sum, { from, to }) => {
    const [x, y] = locate(grid, from[0], from[1])
    return sum + Math.hypot(x - to[0], y - to[1])
  }, 0) / pairs.length

/** A chain at its row beside an anchor, and how its columns count from the anchor's. */
interface Placed {
  readonly chain: Chain
  readonly row: number
  readonly shift: number
}

/** Where a further chain fits a grid best, by trying. */
const place = (grid: Grid, { chain, row, shift }: Placed, spacing: number): Pair[] | null => {
  let best: Pair[] | null = null
  let least = chain.pitch * 0.3
  for (let down = row - 1; down <= row + 1; down++) {
    for (let right = shift - 2; right <= shift + 2; right++) {
      const pairs = pairsOf(chain, down * spacing, right)
      const miss = misfit(grid, pairs)
      if (miss < least) [best, least] = [pairs, miss]
    }
  }
  return best
}

/** How far a chain may be from its row, in rows. */
const most_stray = 0.28

/** Chains that lie on rows beside the anchor, the nearest rows first. */
const placedAt = (near: readonly Beside[], spacing: number): Placed[] =>
  near
    .flatMap(({ chain, across, shift }) => {
      const rows = across / spacing
      const row = Math.round(rows)
      const fits = row !== 0 && Math.abs(row) <= 2 && Math.abs(rows - row) <= most_stray * Math.abs(row)
      return fits ? [{ chain, row, shift }] : []
    })
    .sort((one, other) => Math.abs(one.row) - Math.abs(other.row) || other.chain.links.length - one.chain.links.length)
    .slice(0, most_neighbours)

/** Spacings nearer to each other than this are one. */
const same_spacing = 1.08

/**
 * How far apart the anchor's rows may be: as far as the nearest chain of a zone's length above or below it, or half as
 * far where a card's middle line was not seen. Passports, cards and their printers differ: 1.5 to 3.1 pitches.
 */
const spacingsOf = (near: readonly Beside[]): number[] => {
  const found: number[] = []
  for (const side of [1, -1]) {
    const away = near.map(({ across }) => across * side).filter(across => across >= rowSpacings.least)
    const nearest = Math.min(...away)
    for (const spacing of [nearest, nearest / 2]) {
      const known = found.some(other => Math.max(other / spacing, spacing / other) < same_spacing)
      if (spacing >= rowSpacings.least && spacing <= rowSpacings.most && !known) found.push(spacing)
    }
  }
  return found
}

/** Zones lie flush: the whole shift that brings the ends of a chain closest to the anchor's, if one step away at most. */
const flush = (anchor: Chain, chain: Chain, guess: number): number => {
  const ends = ({ links }: Chain): readonly [number, number] => [links[0]?.column ?? 0, links.at(-1)?.column ?? 0]
  const [first, last] = ends(anchor)
  const [from, to] = ends(chain)
  const off = (shift: number): number => Math.abs(from + shift - first) + Math.abs(to + shift - last)
  return [guess - 1, guess + 1].reduce((best, shift) => (off(shift) < off(best) ? shift : best), guess)
}

const grown = (
  anchor: Chain,
  beside: readonly Placed[],
  spacing: number,
): { zone: Zone; members: Chain[] } | null => {
  let pairs = pairsOf(anchor, 0, 0)
  let grid: Grid | null = null
  const members = [anchor]
  for (const one of beside) {
    const { chain, row, shift } = one
    const placed = grid === null ? pairsOf(chain, row * spacing, shift) : place(grid, one, spacing)
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
  const rows = close.map(pair => Math.round(pair.from[1] / spacing))
  const columns = close.map(pair => pair.from[0])
  const zone = {
    grid: fitGrid(close) ?? fitted,
    spacing,
    rows: [Math.min(...rows), Math.max(...rows)],
    columns: [Math.min(...columns), Math.max(...columns)],
    seen: close.length,
  } as const
  return { zone, members }
}

/** The zones of one spacing that an anchor may belong to: seen askew, it is open which characters stand below each other. */
const zonesSpaced = (anchor: Chain, near: readonly Beside[], spacing: number): { zone: Zone; members: Chain[] }[] => {
  const beside = placedAt(near, spacing)
  const [first, ...rest] = beside
  if (first === undefined) return []
  const shift = flush(anchor, first.chain, first.shift)
  const ways = shift === first.shift ? [beside] : [[{ ...first, shift }, ...rest], beside]
  return ways.flatMap(way => grown(anchor, way, spacing) ?? [])
}

const zonesAround = (anchor: Chain, chains: readonly Chain[]): { zone: Zone; members: Chain[] }[] => {
  const near = chains.flatMap(chain => beside(anchor, chain) ?? [])
  return spacingsOf(near).flatMap(spacing => zonesSpaced(anchor, near, spacing))
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
