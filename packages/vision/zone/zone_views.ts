import type { MrzFormat } from '@attestor/rules'
import { pageMeasures, pitchMm } from '../document_measures.ts'
import { flipGrid, stretchRows } from '../geometry/grid.ts'
import type { Zone } from './find_zones.ts'

type Ends = readonly [first: number, last: number]

function mirrorEnds([first, last]: Ends): Ends {
  return [-last, -first]
}

/** Returns the same zone with its lines the other way up. */
export function flipZone({ grid, spacing, rows, columns, spotCount: seen }: Zone): Zone {
  return {
    grid: flipGrid(grid),
    spacing,
    rows: mirrorEnds(rows),
    columns: mirrorEnds(columns),
    spotCount: seen,
  }
}

/** Returns the distance of rows by the standard, in pitches. */
function getStandardSpacing(format: MrzFormat): number {
  return pageMeasures[format].lineSpacing.norm / pitchMm
}

/** Rows with a spacing below this are rather a card's. Tuned, between the two. */
export const betweenSpacings = 2
/** The range of stretches that a tilt may explain. Tuned. */
const minStretch = 0.05
const maxStretch = 1.3

/**
 * Stretches the zone to the row distance of the standard: a tilted page brings rows closer, and makes characters lower
 * in proportion. Null if the distance is right already, or too far off.
 */
export function unstretchZone(zone: Zone): Zone | null {
  const printed = getStandardSpacing(zone.spacing < betweenSpacings ? 'TD1' : 'TD3')
  const scale = printed / zone.spacing
  if (Math.abs(scale - 1) < minStretch || scale > maxStretch || scale < 1 / maxStretch) return null
  return { ...zone, grid: stretchRows(zone.grid, scale), spacing: printed }
}
