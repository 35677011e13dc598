import type { GreyImage } from '../../images/document_picture.ts'
import { leastSquares } from '../../least_squares.ts'
import { fitHomography, projectAll } from '../geometry/homography.ts'
import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import type { PageView } from '../printed_text/page_view.ts'
import type { BarcodeRegion } from './find_regions.ts'

/**
 * A side of a barcode, in a frame whose second axis is the bars': the left and right ones run down, `x = offset + slope * y`,
 * the upper and the lower one across, `y = offset + slope * x`.
 */
interface Side {
  readonly offset: number
  readonly slope: number
}

/** Of the rows and columns of tiles, the share at each end that is left out: a corner is no side's. */
const cornerShare = 0.12

/** For each row of tiles, where it is and where its tiles end; `pick` says at which end. */
function listEnds(
  tiles: readonly Point[],
  tile: number,
  pick: (...ends: readonly number[]) => number,
): readonly Point[] {
  const rows = Map.groupBy(tiles, ([at]) => Math.round(at / tile))
  const places = [...rows.keys()].sort((one, other) => one - other)
  const corner = Math.ceil(places.length * cornerShare)
  return places
    .slice(corner, places.length - corner)
    .map(place => [place * tile, pick(...(rows.get(place) ?? []).map(([, end]) => end))])
}

const rounds = 3

/** The line through the ends of rows of tiles, but for those that print beside the barcode prolongs. */
function fitSide(ends: readonly Point[], tile: number): Side | null {
  let kept = ends
  let side: Side | null = null
  for (let round = 0; round < rounds; round++) {
    const [offset, slope] = leastSquares(kept.map(([at, end]) => [1, at, end])) ?? []
    if (offset === undefined || slope === undefined) return null
    const measureOff = ([at, end]: Point): number => Math.abs(end - offset - slope * at)
    const offs = ends.map(measureOff).sort((one, other) => one - other)
    const most = Math.max(tile, offs[offs.length >> 1] ?? 0)
    kept = ends.filter(end => measureOff(end) <= most)
    side = { offset, slope }
  }
  return side
}

function intersect(down: Side, across: Side): Point {
  const x = (down.offset + down.slope * across.offset) / (1 - down.slope * across.slope)
  return [x, across.offset + across.slope * x]
}

/** The barcode's corners in the picture, clockwise as its rows run; null where its tiles have no four sides. */
function findCorners({ tiles, tile, along: [dx, dy] }: BarcodeRegion): readonly [Point, Point, Point, Point] | null {
  const framed = tiles.map(([x, y]): Point => [x * dy - y * dx, x * dx + y * dy])
  const swapped = framed.map(([x, y]): Point => [y, x])
  const left = fitSide(listEnds(swapped, tile, Math.min), tile)
  const right = fitSide(listEnds(swapped, tile, Math.max), tile)
  const top = fitSide(listEnds(framed, tile, Math.min), tile)
  const bottom = fitSide(listEnds(framed, tile, Math.max), tile)
  if (left === null || right === null || top === null || bottom === null) return null
  const toPicture = ([x, y]: Point): Point => [x * dy + y * dx, y * dy - x * dx]
  const meet = (down: Side, across: Side): Point => toPicture(intersect(down, across))
  return [meet(left, top), meet(right, top), meet(right, bottom), meet(left, bottom)]
}

/** A field of lines that is higher than this share of its width is no card's barcode. */
const maxHeightShare = 0.8
/** AAMVA's standard, annex D: a barcode is 76 mm wide at most. */
const widthMm = 76
/** What is seen beside a barcode and above it, because middles of tiles miss its rim. Tuned. */
const marginMm = { x: 6, y: 8 } as const

/** A barcode as seen straight from above, its rows level; null where its region is no photographed card's barcode. */
export function viewBarcode(picture: GreyImage, region: BarcodeRegion): PageView | null {
  const corners = findCorners(region)
  if (corners === null) return null
  const [a, b, c, d] = corners
  const share = (measureDistance(a, d) + measureDistance(b, c)) / (measureDistance(a, b) + measureDistance(d, c))
  if (!(share <= maxHeightShare)) return null
  const heightMm = share * widthMm
  const [left, top, right, bottom] = [marginMm.x, marginMm.y, marginMm.x + widthMm, marginMm.y + heightMm]
  const map = fitHomography([
    { from: [left, top], to: a },
    { from: [right, top], to: b },
    { from: [right, bottom], to: c },
    { from: [left, bottom], to: d },
  ])
  return (
    map && {
      picture,
      widthMm: widthMm + 2 * marginMm.x,
      heightMm: heightMm + 2 * marginMm.y,
      locate: places => projectAll(map, places),
    }
  )
}
