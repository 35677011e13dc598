import { type PageFormat, pageMeasures } from '../document_measures.ts'
import { fitGrid, type Grid, locate } from '../geometry/grid.ts'
import type { Pair } from '../geometry/homography.ts'
import { type Chain, findChains, indexSpots } from './chains.ts'
import type { Spot } from './components.ts'
import { findNeighbour, listSpacings, type PlacedChain, placeNeighbours } from './zone_rows.ts'

/** Parallel rows of characters of one pitch, with the map from their grid to the picture's pixels. */
export interface Zone {
  /** The grid, in pitches, to the right and down; row 0 is at 0. */
  readonly grid: Grid
  /** Distance between rows in the picture, in pitches. */
  readonly spacing: number
  /** The first and the last row and column in which characters were seen. */
  readonly rows: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
  readonly spotCount: number
}

/**
 * The lengths of lines in characters. A few characters at the ends may be missed, and a spot or two beyond them be
 * taken in.
 */
export const lineLengths = [...new Set((Object.keys(pageMeasures) as PageFormat[]).map(it => pageMeasures[it].columns))]
const longestLine = Math.max(...lineLengths)

const minLinks = 11
/** The most spots of a line: a few beyond each end may seem to belong to it. */
const maxLinks = longestLine + 6
/** The shortest line, less a few that touch or are burnt out. */
const goodLinks = Math.min(...lineLengths) - 4

/**
 * Returns whether a chain may be a line: characters are about as high as their pitch is wide, the filler a little less,
 * and marks of other patterns are not. Tuned.
 */
function isLine({ links, pitch }: Chain): boolean {
  if (links.length < minLinks || links.length > maxLinks) return false
  const size = links.reduce((sum, { spot }) => sum + Math.max(spot.width, spot.height), 0) / links.length
  return size > pitch * 0.55 && size < pitch * 1.45
}

/** Sorts lines of a likely length first, and the fuller ones of these. */
function comparePromise(one: Chain, other: Chain): number {
  return (
    Number(other.links.length >= goodLinks) - Number(one.links.length >= goodLinks) ||
    Math.min(other.links.length, longestLine) - Math.min(one.links.length, longestLine)
  )
}

function toPairs(chain: Chain, y: number, shift: number): Pair[] {
  return chain.links.map(({ spot, column }) => ({ from: [column + shift, y], to: [spot.x, spot.y] }))
}

function measureMisfit(grid: Grid, pairs: readonly Pair[]): number {
  return (
    pairs.reduce((sum, { from, to }) => {
      const [x, y] = locate(grid, from[0], from[1])
      return sum + Math.hypot(x - to[0], y - to[1])
    }, 0) / pairs.length
  )
}

/** Finds by trying the place at which a further chain fits a grid best. */
function placeChain(grid: Grid, { chain, row, shift }: PlacedChain, spacing: number): Pair[] | null {
  let best: Pair[] | null = null
  let least = chain.pitch * 0.3
  for (let down = row - 1; down <= row + 1; down++) {
    for (let right = shift - 2; right <= shift + 2; right++) {
      const pairs = toPairs(chain, down * spacing, right)
      const miss = measureMisfit(grid, pairs)
      if (miss < least) {
        best = pairs
        least = miss
      }
    }
  }
  return best
}

function growZone(
  anchor: Chain,
  beside: readonly PlacedChain[],
  spacing: number,
): { zone: Zone; members: Chain[] } | null {
  let pairs = toPairs(anchor, 0, 0)
  let grid: Grid | null = null
  const members = [anchor]
  for (const one of beside) {
    const { chain, row, shift } = one
    const placed = grid === null ? toPairs(chain, row * spacing, shift) : placeChain(grid, one, spacing)
    if (placed === null) continue
    const fitted = fitGrid([...pairs, ...placed])
    if (fitted === null || measureMisfit(fitted, [...pairs, ...placed]) > anchor.pitch * 0.25) continue
    pairs = [...pairs, ...placed]
    grid = fitted
    members.push(chain)
  }
  if (grid === null) return null
  // Spots that are no characters (a line that runs into the pattern) would distort the grid: fit again without them.
  const fitted = grid
  const close = pairs.filter(pair => measureMisfit(fitted, [pair]) < anchor.pitch * 0.3)
  const rows = close.map(pair => Math.round(pair.from[1] / spacing))
  const columns = close.map(pair => pair.from[0])
  const zone = {
    grid: fitGrid(close) ?? fitted,
    spacing,
    rows: [Math.min(...rows), Math.max(...rows)],
    columns: [Math.min(...columns), Math.max(...columns)],
    spotCount: close.length,
  } as const
  return { zone, members }
}

/** Finds the zones that an anchor may belong to, one for each distance of its rows. */
function findZonesAround(anchor: Chain, chains: readonly Chain[]): { zone: Zone; members: Chain[] }[] {
  const near = chains.flatMap(chain => findNeighbour(anchor, chain) ?? [])
  return listSpacings(near).flatMap(spacing => growZone(anchor, placeNeighbours(near, spacing), spacing) ?? [])
}

function isLikely({ columns: [first, last] }: Zone): boolean {
  return lineLengths.some(length => last - first + 1 >= length - 3 && last - first + 1 <= length + 1)
}

/** The search starts from this many chains: on a printed table cloth the longest ones are not the document's. */
const maxAnchors = 48
const maxZones = 12

/**
 * Returns zones among spots whose lines run within 40 degrees of horizontal: first those of a likely length, and the
 * fullest. `extent` is the picture's longer side.
 */
export function findZones(spots: readonly Spot[], extent: number): Zone[] {
  const near = indexSpots(spots, Math.max(24, extent / 40))
  const chains = findChains(spots, near, 5).filter(isLine).sort(comparePromise)
  const zones: Zone[] = []
  const used = new Set<Chain>()
  for (const anchor of chains.slice(0, maxAnchors)) {
    if (used.has(anchor) || zones.length >= maxZones) continue
    for (const { zone, members } of findZonesAround(anchor, chains)) {
      zones.push(zone)
      for (const member of members) used.add(member)
    }
  }
  return zones.sort((one, other) => Number(isLikely(other)) - Number(isLikely(one)) || other.spotCount - one.spotCount)
}
