import { eachWindowRow } from '../../images/binarise.ts'
import type { GreyImage } from '../../images/document_picture.ts'
import { eachMark, type Mark } from '../../images/marks.ts'

/** How print is distinguished from paper: `paper` is darker than its surroundings by this share at most, `ink` by at least. */
export interface Contrast {
  readonly paper: number
  readonly ink: number
}

/** Evens out light, shadow and pale patterns: replaces each pixel by how much darker it is than the mean around it. */
export function clearPaper(picture: GreyImage, radius: number, { paper, ink }: Contrast): GreyImage {
  const { data, width, height } = picture
  const cleared = new Uint8Array(data.length)
  eachWindowRow(picture, radius, ({ y, sums, rows, columns }) => {
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const mean = Math.max(1, (sums[x] ?? 0) / (rows * (columns[x] ?? 0)))
      const darkness = (1 - (data[at] ?? 0) / mean - paper) / (ink - paper)
      cleared[at] = 255 * (1 - Math.min(1, Math.max(0, darkness)))
    }
  })
  return { data: cleared, width, height }
}

const maxDarkLevel = 128

/** The level that parts a picture's histogram best in two (Otsu 1979): Tesseract takes what is darker for print. */
function findInkLevel({ data }: GreyImage): number {
  const counts = new Float64Array(256)
  // By index: an iterator makes an object for each of a million pixels.
  for (let at = 0; at < data.length; at++) (counts[data[at] as number] as number)++
  const total = counts.reduce((sum, count, level) => sum + count * level, 0)
  let [best, found, below, sum] = [-1, maxDarkLevel, 0, 0]
  for (let level = 0; level < 255; level++) {
    below += counts[level] ?? 0
    sum += (counts[level] ?? 0) * level
    const above = data.length - below
    if (below === 0 || above === 0) continue
    const between = below * above * (sum / below - (total - sum) / above) ** 2
    if (between > best) [best, found] = [between, level + 1]
  }
  return found
}

/**
 * Erases marks larger than letters, in place: the table around a card, a portrait's hair, frames. They would spoil the
 * layout of the text beside them. Sizes in pixels. Returns the marks that are left.
 */
export function eraseLarge(
  picture: GreyImage,
  most: { readonly width: number; readonly height: number },
): readonly Mark[] {
  const { data, width } = picture
  const left: Mark[] = []
  // `Uint8Array.from` takes twenty times as long: it iterates over a million pixels.
  const dark = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at++) dark[at] = (data[at] as number) < maxDarkLevel ? 1 : 0
  eachMark(dark, width, 'side', (mark, pixels) => {
    if (mark.width <= most.width && mark.height <= most.height) {
      left.push(mark)
      return
    }
    // The soft edge is erased too.
    for (const at of pixels)
      for (const around of [at, at - 1, at + 1, at - width, at + width])
        if (around >= 0 && around < data.length) data[around] = 255
  })
  return left
}

export function blank({ width, height }: GreyImage): GreyImage {
  return { data: new Uint8Array(width * height).fill(255), width, height }
}

/** A picture of these marks alone, each with its soft edge and whatever else is in its rectangle. */
export function copyMarks(picture: GreyImage, marks: readonly Mark[]): GreyImage {
  const { data, width, height } = picture
  const copy = blank(picture)
  for (const mark of marks) {
    const from = Math.max(0, mark.left - 1)
    const to = Math.min(width, mark.left + mark.width + 1)
    for (let y = Math.max(0, mark.top - 1); y < Math.min(height, mark.top + mark.height + 1); y++)
      copy.data.set(data.subarray(y * width + from, y * width + to), y * width + from)
  }
  return copy
}

/**
 * How many upper left corners there are of what Tesseract takes for print. Each mark has one at least, and a letter a few.
 */
export function countCorners(picture: GreyImage): number {
  const { data, width } = picture
  const level = findInkLevel(picture)
  let count = 0
  for (let at = 0; at < data.length; at++) {
    if ((data[at] ?? 0) < level && (data[at - 1] ?? 255) >= level && (data[at - width] ?? 255) >= level) count++
  }
  return count
}

/** How much of a picture, scaled around its middle, has marks that cost no more than this together: 1 for all of it. */
export function findReadableShare(
  { width, height }: GreyImage,
  marks: readonly Mark[],
  { costOf, most }: { readonly costOf: (mark: Mark) => number; readonly most: number },
): number {
  const measureAway = (mark: Mark): number =>
    Math.max(Math.abs((2 * mark.left + mark.width) / width - 1), Math.abs((2 * mark.top + mark.height) / height - 1))
  const outwards = marks
    .map(mark => ({ away: measureAway(mark), cost: costOf(mark) }))
    .sort((one, other) => one.away - other.away)
  let sum = 0
  for (const { away, cost } of outwards) {
    sum += cost
    if (sum > most) return away
  }
  return 1
}

/** The middle of a picture: of its width and of its height this share. */
export function cutMiddle(picture: GreyImage, share: number): GreyImage {
  const width = Math.max(1, Math.floor(picture.width * share))
  const height = Math.max(1, Math.floor(picture.height * share))
  const left = Math.floor((picture.width - width) / 2)
  const top = Math.floor((picture.height - height) / 2)
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const from = (top + y) * picture.width + left
    data.set(picture.data.subarray(from, from + width), y * width)
  }
  return { data, width, height }
}
