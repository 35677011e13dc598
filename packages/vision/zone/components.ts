import { findInkByMean } from '../images/binarise.ts'
import { eachMark } from '../images/connected_pixels.ts'
import type { GreyImage } from '../images/document_picture.ts'
import { releasePixels } from '../images/release_pixels.ts'
import { halveGrey } from './cells.ts'

/** A connected dark spot: its box's centre and size, in pixels. */
export interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** More spots than a document on a busy table shows are grain, which another threshold or a smaller picture avoids. */
const maxSpots = 6000
/** Ink with fewer pixels a spot than this is grain, in which no character can be recognised. */
const grainPixels = 20
/** A speck has fewer pixels than this, and is smaller. */
const least = { pixels: 10, side: 6 } as const

/**
 * Returns the connected spots that could be characters, neither specks nor large things; none if there are too many for
 * a document.
 */
function toSpots(ink: Uint8Array, width: number, height: number): Spot[] {
  const largest = Math.max(width, height) / 14
  const spots: Spot[] = []
  let all = 0
  eachMark(ink, width, 'corner', (mark, pixels) => {
    all++
    const side = Math.max(mark.width, mark.height)
    if (pixels.length < least.pixels || side < least.side || side > largest) return
    const { left, top, width, height } = mark
    spots.push({ x: left + width / 2, y: top + height / 2, width, height })
  })
  return all * grainPixels > ink.length || spots.length > maxSpots ? [] : spots
}

/**
 * The rule for ink: a pixel is ink if it is darker than the mean of the window around it by the share `darker`.
 * `window` is half a side in pixels; `halved` asks for the picture at half its size.
 */
export interface Threshold {
  readonly window: number
  readonly darker: number
  readonly halved: boolean
}

/** Finds the spots of a picture that could be characters, in its pixels; none if there are too many for a document. */
export function findSpots(grey: GreyImage, { window, darker, halved }: Threshold): Spot[] {
  const picture = halved ? halveGrey(grey) : grey
  const ink = findInkByMean(picture, window, darker)
  const spots = toSpots(ink, picture.width, picture.height)
  releasePixels(ink)
  if (!halved) return spots
  return spots.map(({ x, y, width, height }) => ({ x: x * 2, y: y * 2, width: width * 2, height: height * 2 }))
}
