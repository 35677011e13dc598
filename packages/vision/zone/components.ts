import { eachInkRow } from '../images/binarise.ts'
import type { GreyImage } from '../images/document_picture.ts'
import { createRowMarks } from '../images/row_marks.ts'
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
 * The rule for ink: a pixel is ink if it is darker than the mean of the window around it by the share `darker`.
 * `window` is half a side in pixels; `halved` asks for the picture at half its size.
 */
export interface Threshold {
  readonly window: number
  readonly darker: number
  readonly halved: boolean
}

/**
 * Finds the connected spots of a picture that could be characters, neither specks nor large things, in its pixels; none
 * if there are too many for a document, which ends the search at once.
 */
export function findSpots(grey: GreyImage, { halved, ...ink }: Threshold): Spot[] {
  const picture = halved ? halveGrey(grey) : grey
  const scale = halved ? 2 : 1
  const largest = Math.max(picture.width, picture.height) / 14
  const maxMarks = picture.data.length / grainPixels
  const spots: (Spot & { readonly first: number })[] = []
  let marks = 0
  const found = createRowMarks(picture.width, ({ left, top, width, height, pixels, first }) => {
    marks++
    const side = Math.max(width, height)
    if (pixels < least.pixels || side < least.side || side > largest) return
    const [x, y] = [(left + width / 2) * scale, (top + height / 2) * scale]
    spots.push({ x, y, width: width * scale, height: height * scale, first })
  })
  const isGrain = (): boolean => marks > maxMarks || spots.length > maxSpots
  eachInkRow(picture, ink, row => {
    found.addRow(row)
    return !isGrain()
  })
  found.end()
  return isGrain() ? [] : spots.sort((one, other) => one.first - other.first)
}
