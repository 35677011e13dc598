import { fitHomography, type Homography, project } from '../geometry/homography.ts'
import type { Point } from '../geometry/pixels.ts'
import type { GreyImage } from '../images/document_picture.ts'
import type { BarcodeRegion } from './find_regions.ts'

/**
 * In a photo taken at an angle the bars of a barcode, and its rows, are lines that meet far away. Where they meet shows
 * how the card lies (Hartley and Zisserman, Multiple View Geometry, 2.7), and so how to see it straight from above.
 */

/**
 * The point in which parallel lines meet, seen from the place's middle: `(x / w, y / w)`, and in the direction `(x, y)`
 * for `w` 0.
 */
type VanishingPoint = readonly [x: number, y: number, w: number]

/** Edges around a place's middle, in units of its half diagonal, five numbers each: x, y, normal's x and y, weight. */
type Edges = Float64Array

/** A barcode's plane: its rows run across and its bars down. */
export interface BarcodePlane {
  /** Maps the plane, in units of the place's half diagonal, to the picture around `middle`. */
  readonly toPicture: Homography
  readonly middle: Point
  readonly unit: number
  /** The edges of the place in the plane, in units of its half diagonal. */
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The least square of a gradient, of 255 at most; anything less is noise. */
const minStep = 600

/** The most edge pixels that are used: every fourth of a barcode that fills its picture. */
const maxEdgePixels = 100_000

/** Finds edges by Scharr's operator: plain differences lean fine lines towards the diagonal by degrees. */
function findEdges(
  { data, width, height }: GreyImage,
  { tiles, tile }: BarcodeRegion,
  middle: Point,
  unit: number,
): Edges {
  const edges: number[] = []
  const at = (place: number): number => data[place] ?? 0
  const step = 2 * Math.ceil(Math.sqrt((tiles.length * tile * tile) / 4 / maxEdgePixels))
  for (const [left, top] of tiles.map(([x, y]) => [x - tile / 2, y - tile / 2] as const))
    for (let y = Math.max(1, top); y < Math.min(height - 1, top + tile); y += step)
      for (let x = Math.max(1, left); x < Math.min(width - 1, left + tile); x += step) {
        const here = y * width + x
        const above = here - width
        const below = here + width
        const falling = at(below + 1) - at(above - 1)
        const rising = at(above + 1) - at(below - 1)
        const across = (3 * (falling + rising) + 10 * (at(here + 1) - at(here - 1))) / 16
        const down = (3 * (falling - rising) + 10 * (at(below) - at(above))) / 16
        const weight = across * across + down * down
        if (weight < minStep) continue
        const length = Math.sqrt(weight)
        edges.push((x - middle[0]) / unit, (y - middle[1]) / unit, across / length, down / length, weight)
      }
  return Float64Array.from(edges)
}

/** The most that an edge may deviate from the direction expected at its place, as a sine, in each round. */
const windows = [0.26, 0.17, 0.1, 0.1] as const

/** Regularisation towards parallel lines, as a share of all edges: a few edges must not tilt the plane. */
const stiffness = 0.0003

/**
 * Returns the point in which the lines meet that run about `along` in the middle, by least squares: an edge's normal is
 * upright on the line from it to the meeting point, `n · (along + turn · across − w · p) = 0`, with `turn` and `w` to
 * be found.
 */
function fitVanishingPoint(edges: Edges, along: Point): VanishingPoint {
  let meeting: VanishingPoint = [...along, 0]
  for (const window of windows) {
    let tt = 0
    let tw = 0
    let ww = 0
    let tb = 0
    let wb = 0
    let all = 0
    for (let at = 0; at < edges.length; at += 5) {
      const x = edges[at] ?? 0
      const y = edges[at + 1] ?? 0
      const nx = edges[at + 2] ?? 0
      const ny = edges[at + 3] ?? 0
      const weight = edges[at + 4] ?? 0
      const dx = meeting[0] - meeting[2] * x
      const dy = meeting[1] - meeting[2] * y
      if (Math.abs(nx * dx + ny * dy) > window * Math.hypot(dx, dy)) continue
      const t = ny * along[0] - nx * along[1]
      const w = -(nx * x + ny * y)
      const b = -(nx * along[0] + ny * along[1])
      tt += weight * t * t
      tw += weight * t * w
      ww += weight * w * w
      tb += weight * t * b
      wb += weight * w * b
      all += weight
    }
    ww += all * stiffness
    const determinant = tt * ww - tw * tw
    if (!(determinant > 0)) return meeting
    const turn = (tb * ww - wb * tw) / determinant
    meeting = [along[0] - turn * along[1], along[1] + turn * along[0], (tt * wb - tw * tb) / determinant]
  }
  return meeting
}

/** But for the perspective the rows are upright on the bars; it turns them by less than this, in degrees. */
const maxShearDegrees = 24

/** Returns the direction, about across the bars, in which most edges run. */
function findRowDirection(edges: Edges, [x, y]: Point): Point {
  const across = Math.atan2(x, -y)
  const weights = new Float64Array(2 * maxShearDegrees + 7)
  for (let at = 0; at < edges.length; at += 5) {
    const off = (Math.atan2(edges[at + 2] ?? 0, -(edges[at + 3] ?? 0)) - across) / Math.PI
    const bin = Math.round((off - Math.round(off)) * 180) + maxShearDegrees + 3
    if (bin >= 0 && bin < weights.length) weights[bin] = (weights[bin] ?? 0) + (edges[at + 4] ?? 0)
  }
  const around = (bin: number): number =>
    weights.subarray(bin - 3, bin + 4).reduce((sum, weight, near) => sum + weight * (4 - Math.abs(near - 3)), 0)
  let best = maxShearDegrees + 3
  for (let bin = 3; bin < weights.length - 3; bin++) if (around(bin) > around(best)) best = bin
  const angle = across + ((best - maxShearDegrees - 3) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}

/**
 * Returns the map that sends both meeting points to infinity, the rows' across and the bars' down, and leaves the
 * middle unchanged.
 */
function createRectification(rows: VanishingPoint, bars: VanishingPoint): Homography {
  const [rx, ry, rw] = rows
  const [bx, by, bw] = bars
  const turn = rx * by - ry * bx
  // Along the rows, and down the bars on their right hand: nothing is mirrored.
  const across = Math.hypot(rx, ry) / turn
  const down = (Math.hypot(bx, by) * Math.sign(turn)) / turn
  const horizon = [(ry * bw - rw * by) / turn, (rw * bx - rx * bw) / turn] as const
  return [by * across, -bx * across, 0, -ry * down, rx * down, 0, ...horizon]
}

/** A field of lines that is higher than this share of its width is no card's barcode. */
const maxHeightShare = 0.8
/**
 * A tile nearer to the horizon than this, in shares of the middle's distance from it, is not part of a photographed
 * card.
 */
const minHorizonDistance = 0.25

/** Measures the place's box in its plane; null if no barcode has such a box. */
function measureBox(
  map: Homography,
  points: readonly Point[],
): Pick<BarcodePlane, 'left' | 'right' | 'top' | 'bottom'> | null {
  const flat = points.map(([x, y]) => project(map, x, y))
  const xs = flat.map(([x]) => x)
  const ys = flat.map(([, y]) => y)
  const box = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
  const isNear = points.every(([x, y]) => map[6] * x + map[7] * y + 1 >= minHorizonDistance)
  return isNear && box.bottom - box.top <= (box.right - box.left) * maxHeightShare ? box : null
}

/** Returns the plane of the barcode at a place; null if its lines are not those of a card's barcode. */
export function fitPlane(grey: GreyImage, place: BarcodeRegion): BarcodePlane | null {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = [mean(place.tiles.map(([x]) => x)), mean(place.tiles.map(([, y]) => y))] as const
  const unit = Math.max(...place.tiles.map(([x, y]) => Math.hypot(x - middle[0], y - middle[1])))
  const edges = findEdges(grey, place, middle, unit)
  const map = createRectification(
    fitVanishingPoint(edges, findRowDirection(edges, place.along)),
    fitVanishingPoint(edges, place.along),
  )
  const points = place.tiles.map(([x, y]) => [(x - middle[0]) / unit, (y - middle[1]) / unit] as const)
  const box = measureBox(map, points)
  const corners = [-0.1, 0.1].flatMap(x => [-0.1, 0.1].map(y => [x, y] as const))
  const toPicture = fitHomography(corners.map(corner => ({ from: project(map, ...corner), to: corner })))
  return box === null || toPicture === null ? null : { toPicture, middle, unit, ...box }
}

/** Margins in shares of the place's width and height, because its tiles miss the barcode's rim. */
const margin = { x: 0.08, y: 0.2, least: 0.02 } as const

const paper = 200

/** A barcode as seen straight from above. */
export interface FlatBarcode {
  readonly picture: GreyImage
  /** Returns the photo's pixel of one of the picture. */
  readonly toPhoto: (x: number, y: number) => Point
}

/** Returns the barcode as seen straight from above, `width` pixels wide with its margins, bilinear. */
export function rectifyBarcode(
  { data, width: from, height: rows }: GreyImage,
  plane: BarcodePlane,
  width: number,
): FlatBarcode {
  const { middle, unit, left, right, top, bottom } = plane
  const [a, b, c, d, e, f, g, h] = plane.toPicture
  const x0 = left - (right - left) * margin.x
  const y0 = top - (bottom - top) * margin.y - (right - left) * margin.least
  const step = ((right - left) * (1 + 2 * margin.x)) / width
  const height = Math.min(width, Math.ceil((bottom + top - 2 * y0) / step))
  const flat = new Uint8Array(width * height).fill(paper)
  for (let y = 0; y < height; y++) {
    const v = y0 + (y + 0.5) * step
    for (let x = 0; x < width; x++) {
      const u = x0 + (x + 0.5) * step
      const w = g * u + h * v + 1
      const px = ((a * u + b * v + c) / w) * unit + middle[0]
      const py = ((d * u + e * v + f) / w) * unit + middle[1]
      if (!(px >= 0 && py >= 0 && px < from - 1 && py < rows - 1)) continue
      const fx = px % 1
      const fy = py % 1
      const at = Math.floor(py) * from + Math.floor(px)
      const above = (data[at] ?? 0) * (1 - fx) + (data[at + 1] ?? 0) * fx
      const below = (data[at + from] ?? 0) * (1 - fx) + (data[at + from + 1] ?? 0) * fx
      flat[y * width + x] = above + (below - above) * fy
    }
  }
  const toPhoto = (x: number, y: number): Point => {
    const [px, py] = project(plane.toPicture, x0 + x * step, y0 + y * step)
    return [px * unit + middle[0], py * unit + middle[1]]
  }
  return { picture: { data: flat, width, height }, toPhoto }
}
