import { eyesMm, measurePageAround, pageMeasures, pitchMm } from '../../document_measures.ts'
import type { GreyImage } from '../../images/document_picture.ts'
import type { RgbImage } from '../../images/raster.ts'
import { type Grid, locateAll } from '../geometry/grid.ts'
import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'

/** Uses the green channel as brightness: print is dark in it, and most guilloches are pale. */
export function toGreen({ data, width, height }: RgbImage): GreyImage {
  const green = new Uint8Array(width * height)
  for (let at = 0; at < green.length; at++) green[at] = data[at * 3 + 1] ?? 0
  return { data: green, width, height }
}

/** Where a part of a document lies in a picture. */
export interface PageView {
  readonly picture: GreyImage
  readonly widthMm: number
  readonly heightMm: number
  /** Replaces places in millimetres from the part's corner, x and y by turns, by their pixels. */
  readonly locate: (places: Float64Array) => void
}

/** The pixel of a place in millimetres from a view's corner. */
export function locateInPicture({ locate }: PageView, xMm: number, yMm: number): Point {
  const place = Float64Array.of(xMm, yMm)
  locate(place)
  return [place[0] as number, place[1] as number]
}

/** Text begins a little below a page's upper edge. Tuned. */
const edgeMm = 2.25

function measureAbove(format: 'TD2' | 'TD3'): number {
  return -measurePageAround(format).top * pitchMm - edgeMm
}

/** From the first row's middle up to where a page's text begins. */
export const aboveMm = { wide: measureAbove('TD3'), narrow: measureAbove('TD2') } as const
/** How far a page is read beside its zone's columns. Tuned: to the edge or nearly. */
export const besideMm = 5
/** How far above the zone's first row the text ends. Tuned: somewhat inside the zone, as issuers print below its edge. */
export const gapMm = 5.5

/** The page above a machine-readable zone (ICAO 9303-4 and -6); `origin` is its first character's cell in the grid. */
export function viewPageAboveZone(
  picture: GreyImage,
  zone: { readonly grid: Grid; readonly column: number; readonly row: number; readonly columns: number },
): PageView {
  const above = zone.columns === pageMeasures.TD3.columns ? aboveMm.wide : aboveMm.narrow
  return {
    picture,
    widthMm: zone.columns * pitchMm + 2 * besideMm,
    heightMm: above - gapMm,
    locate: places => {
      for (let n = 0; n < places.length; n += 2) {
        places[n] = zone.column + ((places[n] as number) - besideMm) / pitchMm
        places[n + 1] = zone.row + ((places[n + 1] as number) - above) / pitchMm
      }
      locateAll(zone.grid, places)
    },
  }
}

/** How far an ID-1 card may reach from the eyes, for any place of the portrait. Tuned. */
export const aroundMm = { left: 90, right: 90, above: 40, below: 50 } as const

/** How far something reaches around the middle between a portrait's eyes. */
export type PageExtent = Readonly<Record<keyof typeof aroundMm, number>>

/** The outer corners of a portrait's eyes, in pixels. */
export type Eyes = readonly [left: Point, right: Point]

/** The surroundings of a portrait, levelled by its eyes, in millimetres as estimated from them. */
export function viewAround(picture: GreyImage, [[ax, ay], [bx, by]]: Eyes, reach: PageExtent): PageView {
  const ux = (bx - ax) / eyesMm.norm
  const uy = (by - ay) / eyesMm.norm
  const cx = (ax + bx) / 2
  const cy = (ay + by) / 2
  const { left, above } = reach
  return {
    picture,
    widthMm: left + reach.right,
    heightMm: above + reach.below,
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

/** As much of a reach as the picture has. */
export function clipReach({ width, height }: GreyImage, [[ax, ay], [bx, by]]: Eyes, reach: PageExtent): PageExtent {
  const scale = Math.hypot(bx - ax, by - ay) / eyesMm.norm
  const x = (ax + bx) / 2 / scale
  const y = (ay + by) / 2 / scale
  return {
    left: Math.min(reach.left, x),
    right: Math.min(reach.right, width / scale - x),
    above: Math.min(reach.above, y),
    below: Math.min(reach.below, height / scale - y),
  }
}

export function viewCardAroundPortrait(picture: GreyImage, eyes: Eyes): PageView {
  return viewAround(picture, eyes, clipReach(picture, eyes, aroundMm))
}

/** How long the longer side of a picture counts as that nothing is known of. Tuned: a card fills half of it or more. */
const pictureMm = 150

export function viewPicture(picture: GreyImage): PageView {
  const scale = Math.max(picture.width, picture.height) / pictureMm
  return {
    picture,
    widthMm: picture.width / scale,
    heightMm: picture.height / scale,
    locate: places => {
      for (let n = 0; n < places.length; n++) places[n] = (places[n] as number) * scale
    },
  }
}

/**
 * Fills a row of the level picture, bilinear, at the picture's edge beyond it. It is a function of its own because V8 leaves
 * the optimised code of a loop within a loop at each row, and boxes its numbers then. `places` is a buffer for the row.
 */
function levelRow(view: PageView, y: number, step: number, places: Float64Array, row: Uint8Array): void {
  const { data, width, height } = view.picture
  const mostX = width - 1.001
  const mostY = height - 1.001
  for (let x = 0; x < row.length; x++) {
    places[2 * x] = x * step
    places[2 * x + 1] = y * step
  }
  view.locate(places)
  for (let x = 0; x < row.length; x++) {
    const px = Math.min(mostX, Math.max(0, (places[2 * x] as number) - 0.5))
    const py = Math.min(mostY, Math.max(0, (places[2 * x + 1] as number) - 0.5))
    const left = Math.floor(px)
    const upper = Math.floor(py)
    const fx = px - left
    const fy = py - upper
    const at = upper * width + left
    const top = (data[at] ?? 0) * (1 - fx) + (data[at + 1] ?? 0) * fx
    const low = (data[at + width] ?? 0) * (1 - fx) + (data[at + width + 1] ?? 0) * fx
    row[x] = top * (1 - fy) + low * fy
  }
}

/** The view as a level picture of so many pixels a millimetre. */
export function rectify(view: PageView, pixelsPerMm: number): GreyImage {
  const width = Math.max(1, Math.round(view.widthMm * pixelsPerMm))
  const height = Math.max(1, Math.round(view.heightMm * pixelsPerMm))
  const level = new Uint8Array(width * height)
  const places = new Float64Array(2 * width)
  for (let y = 0; y < height; y++)
    levelRow(view, y, 1 / pixelsPerMm, places, level.subarray(y * width, (y + 1) * width))
  return { data: level, width, height }
}

/** The resolution in the middle of a view: pixels a millimetre, the smaller of both directions. */
export function measureResolution(view: PageView): number {
  const x = view.widthMm / 2
  const y = view.heightMm / 2
  const at = (xMm: number, yMm: number): Point => locateInPicture(view, xMm, yMm)
  const middle = at(x, y)
  const across = at(x + 1, y)
  const down = at(x, y + 1)
  return Math.min(measureDistance(middle, across), measureDistance(middle, down))
}
