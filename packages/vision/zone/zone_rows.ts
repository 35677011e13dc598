import { pageMeasures, pitchMm } from '../document_measures.ts'
import type { Chain } from './chains.ts'

/**
 * The range of spacings at which rows of a zone are sought, in pitches: as documents have them, and a tilt changes
 * them. Tuned.
 */
export const rowSpacings = { least: 1.3, most: 3.4 } as const

const maxNeighbours = 8

/** Returns a chain as a straight line: the place of its column 0, and a column's step. */
function fitLine(chain: Chain): { origin: readonly [number, number]; step: readonly [number, number] } {
  const n = chain.links.length
  const mean = (of: (link: Chain['links'][number]) => number): number =>
    chain.links.reduce((sum, l) => sum + of(l), 0) / n
  const mc = mean(l => l.column)
  const mx = mean(l => l.spot.x)
  const my = mean(l => l.spot.y)
  const square = mean(l => (l.column - mc) ** 2)
  const dx = mean(l => (l.column - mc) * (l.spot.x - mx)) / square
  const dy = mean(l => (l.column - mc) * (l.spot.y - my)) / square
  return { origin: [mx - mc * dx, my - mc * dy], step: [dx, dy] }
}

/** A chain near an anchor: its distance below it in pitches, and the shift of its columns against the anchor's. */
export interface NeighbourChain {
  readonly chain: Chain
  readonly across: number
  readonly shift: number
}

/** Returns the position of a chain beside the anchor; null for a chain of another pitch. */
export function findNeighbour(anchor: Chain, chain: Chain): NeighbourChain | null {
  const ratio = chain.pitch / anchor.pitch
  if (chain === anchor || ratio < 0.8 || ratio > 1.25) return null
  const { origin, step } = fitLine(anchor)
  const middle = chain.links[Math.floor(chain.links.length / 2)]
  if (middle === undefined) return null
  const vx = middle.spot.x - origin[0]
  const vy = middle.spot.y - origin[1]
  const square = step[0] ** 2 + step[1] ** 2
  const along = (vx * step[0] + vy * step[1]) / square
  const across = (vy * step[0] - vx * step[1]) / square
  return { chain, across, shift: Math.round(along - middle.column) }
}

/** A chain at its row beside an anchor, and the shift of its columns against the anchor's. */
export interface PlacedChain {
  readonly chain: Chain
  readonly row: number
  readonly shift: number
}

/** The farthest that a chain may be from its row, in rows. Tuned. */
const maxStray = 0.28

/** Places the chains that lie on rows beside the anchor, the nearest rows first. */
export function placeNeighbours(near: readonly NeighbourChain[], spacing: number): PlacedChain[] {
  return near
    .flatMap(({ chain, across, shift }) => {
      const rows = across / spacing
      const row = Math.round(rows)
      const fits = row !== 0 && Math.abs(row) <= 2 && Math.abs(rows - row) <= maxStray * Math.abs(row)
      return fits ? [{ chain, row, shift }] : []
    })
    .sort((one, other) => Math.abs(one.row) - Math.abs(other.row) || other.chain.links.length - one.chain.links.length)
    .slice(0, maxNeighbours)
}

/**
 * Distance in pitches from which on two lines may be a card's with an unseen line between them: between the farthest
 * lines of a booklet and the nearest of a card with one left out.
 */
const cardSkip = (pageMeasures.TD3.lineSpacing.to + 2 * pageMeasures.TD1.lineSpacing.from) / 2 / pitchMm
/** Spacings with a ratio below this are one. Tuned. */
const sameSpacing = 1.08

/**
 * Returns the likely distances between the anchor's rows: that to the nearest chain of a zone's length above or below
 * it, or half of it if a card's middle line was not seen. Passports, cards and their printers differ: 1.5 to 3.1
 * pitches.
 */
export function listSpacings(near: readonly NeighbourChain[]): number[] {
  const found: number[] = []
  for (const side of [1, -1]) {
    const away = near.map(({ across }) => across * side).filter(across => across >= rowSpacings.least)
    const nearest = Math.min(...away)
    for (const spacing of nearest > cardSkip ? [nearest, nearest / 2] : [nearest]) {
      const known = found.some(other => Math.max(other / spacing, spacing / other) < sameSpacing)
      if (spacing <= rowSpacings.most && !known) found.push(spacing)
    }
  }
  return found
}
