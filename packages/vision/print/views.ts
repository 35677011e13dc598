import { eyesMm, measurePageAround, pageMeasures, pitchMm } from '../document_measures.ts'
import { type Grid, locateAll } from '../geometry/grid.ts'
import type { Point } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { Page } from './page.ts'

/** Text begins a little below a page's upper edge. Tuned. */
const edgeMm = 2.25

function measureAbove(format: 'TD2' | 'TD3'): number {
  return -measurePageAround(format).top * pitchMm - edgeMm
}

/** The distance from the first row's middle up to the place where a page's text begins, in millimetres. */
export const aboveMm = { wide: measureAbove('TD3'), narrow: measureAbove('TD2') } as const
/** A page is read this far beside its zone's columns, in millimetres. Tuned: to the edge or nearly. */
export const besideMm = 5
/**
 * The text ends this far above the zone's first row, in millimetres. Tuned: somewhat inside the zone, as issuers print
 * below its edge.
 */
export const gapMm = 5.5

/** A zone in the picture that it was read in; `origin` is its first character's cell in the grid. */
interface PlacedZone {
  readonly grid: Grid
  readonly column: number
  readonly row: number
  readonly columns: number
  /** Replaces pixels of that picture by those of the photo. */
  readonly toPhoto: (places: Float64Array) => void
}

/** Returns the page above a machine-readable zone (ICAO 9303-4 and -6), in millimetres. */
export function viewPageAboveZone(picture: RgbImage, { grid, column, row, columns, toPhoto }: PlacedZone): Page {
  const above = columns === pageMeasures.TD3.columns ? aboveMm.wide : aboveMm.narrow
  return {
    picture,
    width: columns * pitchMm + 2 * besideMm,
    height: above - gapMm,
    locate: places => {
      for (let n = 0; n < places.length; n += 2) {
        places[n] = column + ((places[n] as number) - besideMm) / pitchMm
        places[n + 1] = row + ((places[n + 1] as number) - above) / pitchMm
      }
      locateAll(grid, places)
      toPhoto(places)
    },
  }
}

/**
 * Distance of the outer corners of the eyes in the smallest portrait of a card, in millimetres. Drawn portraits of
 * 14 mm, as India's and Thailand's cards have them, have 5.6; with 7.2 these cards were cut off at a side.
 */
const leastEyesMm = 5.5
/** The estimate takes the eyes of any portrait for ones at the norm's distance: a millimetre may be this many. */
const mostMm = eyesMm.norm / leastEyesMm
/**
 * The farthest that an ID-1 card may reach from the eyes, in millimetres, for any place of the portrait: the eyes are
 * nowhere near the card's corners.
 */
export const aroundMm = {
  left: pageMeasures.TD1.width * mostMm,
  right: pageMeasures.TD1.width * mostMm,
  above: 40 * mostMm,
  below: 40 * mostMm,
} as const

/** The outer corners of a portrait's eyes, in pixels. */
export type Eyes = readonly [left: Point, right: Point]

/** Four distances from the middle between a portrait's eyes, in millimetres. */
type Extent = Readonly<Record<keyof typeof aroundMm, number>>

/**
 * Returns the card around a portrait, levelled by its eyes, in millimetres as estimated from them; as far as the
 * picture reaches.
 */
export function viewAroundPortrait(picture: RgbImage, [[ax, ay], [bx, by]]: Eyes, reach: Extent = aroundMm): Page {
  const ux = (bx - ax) / eyesMm.norm
  const uy = (by - ay) / eyesMm.norm
  const cx = (ax + bx) / 2
  const cy = (ay + by) / 2
  const scale = Math.hypot(ux, uy)
  const left = Math.min(reach.left, cx / scale)
  const above = Math.min(reach.above, cy / scale)
  return {
    picture,
    width: left + Math.min(reach.right, (picture.width - cx) / scale),
    height: above + Math.min(reach.below, (picture.height - cy) / scale),
    locate: places => {
      for (let n = 0; n < places.length; n += 2) {
        const x = (places[n] as number) - left
        const y = (places[n + 1] as number) - above
        places[n] = cx + x * ux - y * uy
        places[n + 1] = cy + x * uy + y * ux
      }
    },
  }
}
