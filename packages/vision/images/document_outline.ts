import { leastSquares } from '../least_squares.ts'
import { eachMark, type Mark } from './connected_pixels.ts'
import { findQuantile, type RgbImage } from './raster.ts'

/** The outline of a document on a plain background, such as a table. */
export interface DocumentOutline {
  /** The longer side of its bounding box as a share of the picture's longer side. */
  readonly length: number
  /** The largest share of one of the picture's borders that it covers. */
  readonly border: number
  /** 1 for each pixel that is part of the document. */
  readonly mask: Uint8Array
  /** Number of columns of the mask. */
  readonly width: number
}

/** A point of a picture, and the value there. */
type Sample = readonly [x: number, y: number, value: number]

/**
 * Fits the least-squares plane through samples: its value at the origin, and its slopes; it is level if they lie on a
 * line.
 */
function fitPlane(samples: readonly Sample[]): readonly [middle: number, across: number, down: number] {
  const fitted = leastSquares(samples.map(([x, y, value]) => [1, x, y, value]))
  if (fitted === null) return [samples.reduce((sum, [, , value]) => sum + value, 0) / samples.length, 0, 0]
  const [middle = 0, across = 0, down = 0] = fitted
  return [middle, across, down]
}

/** Lists the indices of the outermost two rows and columns. */
function listBorder({ width, height }: RgbImage): Int32Array {
  const border: number[] = []
  for (let index = 0; index < width * height; index++) {
    const column = index % width
    const isInside = index >= 2 * width && index < (height - 2) * width && column >= 2 && column < width - 2
    if (!isInside) border.push(index)
  }
  return Int32Array.from(border)
}

/**
 * A colour that changes evenly over the picture, like a background that is lit from one side: each channel's value in
 * the middle, and its slopes across and down.
 */
type Background = Float64Array

/** Returns the middle of a pixel, from the picture's middle in shares of its size. */
function toShare(index: number, size: number): number {
  return (index + 0.5) / size - 0.5
}

/** Returns the squared distance of a pixel's colour from the background's there. */
function squaredDistance({ data, width, height }: RgbImage, background: Background, index: number): number {
  const row = Math.floor(index / width)
  const x = toShare(index - row * width, width)
  const y = toShare(row, height)
  let sum = 0
  for (let channel = 0; channel < 3; channel++) {
    const middle = background[3 * channel] ?? 0
    const slopes = (background[3 * channel + 1] ?? 0) * x + (background[3 * channel + 2] ?? 0) * y
    const off = (data[3 * index + channel] ?? 0) - middle - slopes
    sum += off * off
  }
  return sum
}

/** Fits the plane through pixels of one channel: its value in the middle, and its slopes. */
function fitChannel({ data, width, height }: RgbImage, channel: number, pixels: Int32Array): readonly number[] {
  const samples = Array.from(pixels, (index): Sample => {
    const row = Math.floor(index / width)
    return [toShare(index - row * width, width), toShare(row, height), data[3 * index + channel] ?? 0]
  })
  return fitPlane(samples)
}

/** Colours that differ by less than this, of 441 at most, are the same background. */
const maxDistance = 26
/**
 * With a smaller share of the border there is no single background: the border shows a pattern, or the document itself.
 */
const minBackgroundShare = 0.5

function findMedian({ data }: RgbImage, channel: number, pixels: Int32Array): number {
  const histogram = new Uint32Array(256)
  for (const index of pixels) {
    const value = data[3 * index + channel] ?? 0
    histogram[value] = (histogram[value] ?? 0) + 1
  }
  return findQuantile(histogram, 0.5)
}

const channels = [0, 1, 2] as const

/** Returns 1 for each pixel that differs from the border's background; null if the border shows no single one. */
function findForeground(picture: RgbImage): Uint8Array | null {
  const border = listBorder(picture)
  let background: Background = Float64Array.from(
    channels.flatMap(channel => [findMedian(picture, channel, border), 0, 0]),
  )
  for (const distance of [90, 60, 40, maxDistance]) {
    const inliers = border.filter(index => squaredDistance(picture, background, index) < distance * distance)
    if (inliers.length < border.length * minBackgroundShare) return null
    background = Float64Array.from(channels.flatMap(channel => fitChannel(picture, channel, inliers)))
  }
  const found = new Uint8Array(picture.width * picture.height)
  for (let index = 0; index < found.length; index++)
    if (squaredDistance(picture, background, index) >= maxDistance * maxDistance) found[index] = 1
  return found
}

interface Part {
  readonly box: Mark
  readonly pixels: readonly number[]
}

/** Returns the largest connected part of a foreground, which is emptied. */
function takeLargestPart(foreground: Uint8Array, width: number): Part | null {
  let largest: Part | null = null
  eachMark(foreground, width, 'side', (box, pixels) => {
    if (pixels.length > (largest?.pixels.length ?? 0)) largest = { box, pixels: [...pixels] }
  })
  return largest
}

/** Finds the outline of a document; null if the background is a pattern, or if nothing stands out of it. */
export function findDocumentOutline(picture: RgbImage): DocumentOutline | null {
  const { width, height } = picture
  const found = findForeground(picture)
  const part = found === null ? null : takeLargestPart(found, width)
  if (part === null) return null
  const mask = new Uint8Array(width * height)
  let onLeft = 0
  let onRight = 0
  let onTop = 0
  let onBottom = 0
  for (const index of part.pixels) {
    mask[index] = 1
    const x = index % width
    const y = Math.floor(index / width)
    if (x === 0) onLeft++
    if (x === width - 1) onRight++
    if (y === 0) onTop++
    if (y === height - 1) onBottom++
  }
  const length = Math.max(part.box.width, part.box.height) / Math.max(width, height)
  const border = Math.max(onLeft / height, onRight / height, onTop / width, onBottom / width)
  return { length, border, mask, width }
}
