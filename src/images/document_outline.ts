import { quantileOf, type Raster } from './raster.ts'

/** Something that lies on a plain ground, such as a document on a table. */
export interface DocumentOutline {
  /** The longer side of the upright box around it, as a share of the picture's longer side. */
  readonly length: number
  /** The largest share of one of the picture's borders that it covers, 0 to 1. */
  readonly border: number
  /** 1 for each pixel that is part of it. */
  readonly mask: Uint8Array
}

/** The indices of the outermost two rows and columns. */
const borderOf = ({ width, height }: Raster): Int32Array => {
  const border: number[] = []
  for (let index = 0; index < width * height; index++) {
    const column = index % width
    const is_inside = index >= 2 * width && index < (height - 2) * width && column >= 2 && column < width - 2
    if (!is_inside) border.push(index)
  }
  return Int32Array.from(border)
}

/**
 * A colour that changes evenly over the picture, as a ground that is lit from one side: each channel's value in the
 * middle, and its slopes across and down.
 */
type Ground = Float64Array

/** Where the middle of a pixel is, counted from the picture's middle in shares of its size. */
const shareOf = (index: number, size: number): number => (index + 0.5) / size - 0.5

/** The squared distance of a pixel's colour from the ground's at its place. */
const squaredDistance = ({ data, width, height }: Raster, ground: Ground, index: number): number => {
  const row = Math.floor(index / width)
  const [x, y] = [shareOf(index - row * width, width), shareOf(row, height)]
  let sum = 0
  for (let channel = 0; channel < 3; channel++) {
    const middle = ground[3 * channel] ?? 0
    const slopes = (ground[3 * channel + 1] ?? 0) * x + (ground[3 * channel + 2] ?? 0) * y
    const off = (data[3 * index + channel] ?? 0) - middle - slopes
    sum += off * off
  }
  return sum
}

/** Least squares of a plane through some pixels of one channel: its value in the middle, and its slopes. */
const planeThrough = ({ data, width, height }: Raster, channel: number, pixels: Int32Array): readonly number[] => {
  let [mx, my, mv, xx, yy, xy, xv, yv] = [0, 0, 0, 0, 0, 0, 0, 0]
  const share = 1 / pixels.length
  for (const index of pixels) {
    const row = Math.floor(index / width)
    const [x, y] = [shareOf(index - row * width, width), shareOf(row, height)]
    const value = data[3 * index + channel] ?? 0
    mx += x * share
    my += y * share
    mv += value * share
    xx += x * x * share
    yy += y * y * share
    xy += x * y * share
    xv += x * value * share
    yv += y * value * share
  }
  const [vx, vy, cxy, cxv, cyv] = [xx - mx * mx, yy - my * my, xy - mx * my, xv - mx * mv, yv - my * mv]
  const determinant = vx * vy - cxy * cxy
  if (!(determinant > 1e-6)) return [mv, 0, 0]
  const [across, down] = [(cxv * vy - cyv * cxy) / determinant, (cyv * vx - cxv * cxy) / determinant]
  return [mv - across * mx - down * my, across, down]
}

/** Colours this near to each other, of 441 that are possible, are the same ground. */
const near = 26
/** Where less of the border than this is one ground, there is none to be told: a loud pattern, or the thing itself. */
const least_ground = 0.5

const medianOf = ({ data }: Raster, channel: number, pixels: Int32Array): number => {
  const histogram = new Uint32Array(256)
  for (const index of pixels) {
    const value = data[3 * index + channel] ?? 0
    histogram[value] = (histogram[value] ?? 0) + 1
  }
  return quantileOf(histogram, 0.5)
}

const channels = [0, 1, 2] as const

/** 1 for each pixel that is not of the ground that the border shows; null where the border shows no one ground. */
const notGround = (picture: Raster): Uint8Array | null => {
  const border = borderOf(picture)
  let ground: Ground = Float64Array.from(channels.flatMap(channel => [medianOf(picture, channel, border), 0, 0]))
  for (const reach of [90, 60, 40, near]) {
    const within = border.filter(index => squaredDistance(picture, ground, index) < reach * reach)
    if (within.length < border.length * least_ground) return null
    ground = Float64Array.from(channels.flatMap(channel => planeThrough(picture, channel, within)))
  }
  const found = new Uint8Array(picture.width * picture.height)
  for (let index = 0; index < found.length; index++)
    if (squaredDistance(picture, ground, index) >= near * near) found[index] = 1
  return found
}

/** The largest connected part of what is not ground, as indices. Empties `left`. */
const largestPart = (left: Uint8Array, width: number): Int32Array => {
  const part = new Int32Array(left.length)
  let largest = new Int32Array(0)
  let size = 0
  const take = (index: number): void => {
    if (left[index] !== 1) return
    left[index] = 0
    part[size++] = index
  }
  for (let start = 0; start < left.length; start++) {
    if (left[start] === 0) continue
    size = 0
    take(start)
    for (let next = 0; next < size; next++) {
      const here = part[next] ?? 0
      const column = here % width
      take(here - width)
      take(here + width)
      if (column > 0) take(here - 1)
      if (column < width - 1) take(here + 1)
    }
    if (size > largest.length) largest = part.slice(0, size)
  }
  return largest
}

/** What lies on the ground; null where the ground is too loud to tell, or nothing lies there. */
export const findDocumentOutline = (picture: Raster): DocumentOutline | null => {
  const { width, height } = picture
  const found = notGround(picture)
  const part = found === null ? [] : largestPart(found, width)
  if (part.length === 0) return null
  const mask = new Uint8Array(width * height)
  let [left, right, top, bottom] = [width, 0, height, 0]
  let [on_left, on_right, on_top, on_bottom] = [0, 0, 0, 0]
  for (const index of part) {
    mask[index] = 1
    const [x, y] = [index % width, Math.floor(index / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    if (x === 0) on_left++
    if (x === width - 1) on_right++
    if (y === 0) on_top++
    if (y === height - 1) on_bottom++
  }
  const length = (Math.max(right - left, bottom - top) + 1) / Math.max(width, height)
  return { length, border: Math.max(on_left / height, on_right / height, on_top / width, on_bottom / width), mask }
}
