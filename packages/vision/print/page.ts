import { halvePicture, type Point } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'

/** A part of a picture that is read as if it lay level: a page above a zone, or all of the picture. */
export interface Page {
  readonly picture: RgbImage
  /** Size in units of the page's own. */
  readonly width: number
  readonly height: number
  /** Replaces places of the page, x and y by turns, by their pixels. */
  readonly locate: (places: Float64Array) => void
}

/** Returns all of a picture as a page, in its pixels. */
export function viewPicture(picture: RgbImage): Page {
  return { picture, width: picture.width, height: picture.height, locate: () => {} }
}

/** Returns the pixel of one place of a page. */
export function locatePoint({ locate }: Page, x: number, y: number): Point {
  const place = Float64Array.of(x, y)
  locate(place)
  return [place[0] as number, place[1] as number]
}

/** Returns the page turned clockwise by quarters. */
export function turnPage(page: Page, quarters: number): Page {
  if (quarters === 0) return page
  const { picture, width, height, locate } = page
  const turned: Page = {
    picture,
    width: height,
    height: width,
    locate: places => {
      for (let n = 0; n < places.length; n += 2) {
        const x = places[n] as number
        places[n] = places[n + 1] as number
        places[n + 1] = height - x
      }
      locate(places)
    },
  }
  return turnPage(turned, quarters - 1)
}

/** The rectangle of a line, in units of its page. */
export interface Box {
  /** The middle of the rectangle. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Direction in which the line is read: a vector of length one. */
  readonly along: readonly [number, number]
}

/** Four corners in shares of a picture's width and height, clockwise from the one where reading begins. */
export type Corners = readonly [Point, Point, Point, Point]

/** Returns the corners of a box in its page's picture. */
export function locateCorners(page: Page, { x, y, width, height, along: [ux, uy] }: Box): Corners {
  const at = (right: number, down: number): Point => {
    const [px, py] = locatePoint(page, x + right * ux - down * uy, y + right * uy + down * ux)
    return [px / page.picture.width, py / page.picture.height]
  }
  const [right, down] = [width / 2, height / 2]
  return [at(-right, -down), at(right, -down), at(right, down), at(-right, down)]
}

/** The scale of a network's input: (value − mean) / deviation for each channel, in grey levels. */
export interface Scale {
  readonly mean: readonly [number, number, number]
  readonly deviation: readonly [number, number, number]
}

/** The part of a network's input that is written: its planes are `stride` wide, and as high as the written part. */
export interface Target {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
  readonly stride: number
}

/**
 * Fills one row, bilinear; beyond the picture it repeats the edge. It is a function of its own because V8 would box the
 * numbers of a loop within a loop.
 */
function sampleRow({ data, width, height }: RgbImage, places: Float64Array, to: Target, start: number, scale: Scale) {
  const mostX = width - 1.001
  const mostY = height - 1.001
  const [m0, m1, m2] = scale.mean
  const [d0, d1, d2] = scale.deviation
  const out = to.data
  const plane = to.stride * to.height
  for (let x = 0; x < to.width; x++) {
    const px = Math.min(mostX, Math.max(0, (places[2 * x] as number) - 0.5))
    const py = Math.min(mostY, Math.max(0, (places[2 * x + 1] as number) - 0.5))
    const left = Math.floor(px)
    const upper = Math.floor(py)
    const fx = px - left
    const fy = py - upper
    const a = (1 - fx) * (1 - fy)
    const b = fx * (1 - fy)
    const c = (1 - fx) * fy
    const d = fx * fy
    const at = (upper * width + left) * 3
    const under = at + width * 3
    for (let channel = 0; channel < 3; channel++) {
      const value =
        (data[at + channel] as number) * a +
        (data[at + channel + 3] as number) * b +
        (data[under + channel] as number) * c +
        (data[under + channel + 3] as number) * d
      const mean = channel === 0 ? m0 : channel === 1 ? m1 : m2
      const deviation = channel === 0 ? d0 : channel === 1 ? d1 : d2
      out[start + channel * plane + x] = (value - mean) / deviation
    }
  }
}

/**
 * Reads a box of a page as the planes of a network's input. If it shrinks, it reads from the picture halved often
 * enough.
 */
export function samplePage(page: Page, { x, y, width, height, along: [ux, uy] }: Box, to: Target, scale: Scale): void {
  const stepX = width / to.width
  const stepY = height / to.height
  const places = new Float64Array(2 * to.width)
  const locateRow = (row: number): void => {
    const down = (row + 0.5) * stepY - height / 2
    for (let n = 0; n < to.width; n++) {
      const right = (n + 0.5) * stepX - width / 2
      places[2 * n] = x + right * ux - down * uy
      places[2 * n + 1] = y + right * uy + down * ux
    }
    page.locate(places)
  }
  locateRow(to.height >> 1)
  const spread = Math.hypot(
    (places[2 * to.width - 2] as number) - (places[0] as number),
    (places[2 * to.width - 1] as number) - (places[1] as number),
  )
  let picture = page.picture
  let by = 1
  while (spread / by / to.width > 1.5 && Math.min(picture.width, picture.height) > 64) {
    picture = halvePicture(picture)
    by *= 2
  }
  for (let row = 0; row < to.height; row++) {
    locateRow(row)
    if (by > 1) for (let n = 0; n < places.length; n++) places[n] = (places[n] as number) / by
    sampleRow(picture, places, to, row * to.stride, scale)
  }
}
