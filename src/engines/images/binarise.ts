import type { GreyImage } from './document_picture.ts'

/** For each place of a line of `length`, how many places within `window` of it are on the line. */
function windowSizes(length: number, window: number): Int32Array {
  return Int32Array.from({ length }, (_, at) => Math.min(length, at + window + 1) - Math.max(0, at - window))
}

/** Adds a row of a picture to the sums of its columns, or subtracts it; rows beyond the edges are ignored. */
function addRow({ data, width, height }: GreyImage, sums: Int32Array, y: number, sign: 1 | -1): void {
  if (y < 0 || y >= height) return
  for (let x = 0, at = y * width; x < width; x++, at++) sums[x] = (sums[x] ?? 0) + sign * (data[at] ?? 0)
}

/** The sums of a window around each pixel of a row, and how many pixels each is of. Kept for the next row. */
export interface WindowRow {
  readonly y: number
  readonly sums: Int32Array
  readonly rows: number
  readonly columns: Int32Array
}

/** Each row's sums over all pixels within `window` of its own, clipped at the edges: every pixel is added and taken out once. */
export function eachWindowRow(grey: GreyImage, window: number, use: (row: WindowRow) => void): void {
  const { width, height } = grey
  const across = windowSizes(width, window)
  const down = windowSizes(height, window)
  // Column sums of the surrounding rows, with zeros on both sides for places beyond the edges.
  const padded = new Int32Array(width + 2 * window + 1)
  const columns = padded.subarray(window + 1, window + 1 + width)
  const sums = new Int32Array(width)
  for (let y = 0; y < window; y++) addRow(grey, columns, y, 1)
  for (let y = 0; y < height; y++) {
    addRow(grey, columns, y + window, 1)
    addRow(grey, columns, y - window - 1, -1)
    let sum = 0
    for (let at = 0; at < 2 * window + 1; at++) sum += padded[at] ?? 0
    for (let x = 0; x < width; x++) {
      sum += (padded[x + 2 * window + 1] ?? 0) - (padded[x] ?? 0)
      sums[x] = sum
    }
    use({ y, sums, rows: down[y] ?? 0, columns: across })
  }
}

/**
 * Compares each pixel with the mean of the window around it: 1 where ink may be. A shadow darkens both and so changes
 * nothing.
 */
export function findInkByMean(grey: GreyImage, window: number, darker: number): Uint8Array {
  const { data, width, height } = grey
  const ink = new Uint8Array(width * height)
  const paper = 1 - darker
  eachWindowRow(grey, window, ({ y, sums, rows, columns }) => {
    for (let x = 0, at = y * width; x < width; x++, at++) {
      // The sign bit of a whole number: below 0 is ink. A branch here is unpredictable and would cost more than all the rest.
      ink[at] = ((data[at] ?? 0) * rows * (columns[x] ?? 0) - Math.ceil((sums[x] ?? 0) * paper)) >>> 31
    }
  })
  return ink
}

/** The darkest share of a block's pixels that counts as its ink, and the share that are brighter than its paper. */
const inkShare = 0.04
const paperShare = 0.3
/** If ink and paper differ by less than this, there is only grain. */
const minContrast = 14

/** The brightness of ink and of paper in every block and those beside it, by the pixels' own order. */
function measureCuts(
  { data, width, height }: GreyImage,
  block: number,
): { columns: number; cuts: Float32Array; rows: number } {
  const columns = Math.ceil(width / block)
  const rows = Math.ceil(height / block)
  const cuts = new Float32Array(columns * rows)
  const counts = new Uint16Array(256)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      counts.fill(0)
      const left = Math.max(0, (column - 1) * block)
      const right = Math.min(width, (column + 2) * block)
      const top = Math.max(0, (row - 1) * block)
      const low = Math.min(height, (row + 2) * block)
      // Every other pixel is enough.
      let total = 0
      for (let y = top; y < low; y += 2) {
        for (let at = y * width + left; at < y * width + right; at += 2) {
          const value = data[at] ?? 0
          counts[value] = (counts[value] ?? 0) + 1
          total++
        }
      }
      cuts[row * columns + column] = findCut(counts, total)
    }
  }
  return { columns, rows, cuts }
}

/** The brightness halfway between ink and paper; 0, below which nothing is, where they hardly differ. */
function findCut(counts: Uint16Array, total: number): number {
  let sum = 0
  let ink = -1
  let paper = 255
  for (let value = 0; value < 256; value++) {
    sum += counts[value] ?? 0
    if (ink < 0 && sum >= total * inkShare) ink = value
    if (sum >= total * (1 - paperShare)) {
      paper = value
      break
    }
  }
  return paper - ink < minContrast ? 0 : (paper + ink) / 2
}

/** Between which two of so many blocks each pixel of a side lies, and how near to the second, 0 to 1. */
function interpolateBlocks(length: number, block: number, blocks: number): { first: Uint16Array; share: Float64Array } {
  const first = new Uint16Array(length)
  const share = new Float64Array(length)
  for (let at = 0; at < length; at++) {
    const place = Math.min(blocks - 1, Math.max(0, (at + 0.5) / block - 0.5))
    first[at] = Math.floor(place)
    share[at] = place % 1
  }
  return { first, share }
}

/** The cuts of a row of pixels at the blocks' middles, and how they rise from each to the next. */
interface CutRow {
  readonly line: Float64Array
  readonly rise: Float64Array
}

function mixCuts(upper: Float32Array, lower: Float32Array, share: number, { line, rise }: CutRow): void {
  for (let c = 0; c < line.length; c++) {
    line[c] = (upper[c] ?? 0) * (1 - share) + (lower[c] ?? 0) * share
    if (c > 0) rise[c - 1] = (line[c] ?? 0) - (line[c - 1] ?? 0)
  }
}

/**
 * Ink is darker than halfway between the ink and the paper of the surrounding blocks. A pattern under the print that is
 * paler than it then counts as paper. Cuts between blocks' middles are interpolated.
 */
export function findInkByBlocks(grey: GreyImage, block: number): Uint8Array {
  const { data, width, height } = grey
  const { columns, rows, cuts } = measureCuts(grey, block)
  const ink = new Uint8Array(width * height)
  const across = interpolateBlocks(width, block, columns)
  const down = interpolateBlocks(height, block, rows)
  const line = new Float64Array(columns)
  const rise = new Float64Array(columns)
  const rowOf = (row: number): Float32Array => cuts.subarray(row * columns, (row + 1) * columns)
  for (let y = 0; y < height; y++) {
    const above = down.first[y] ?? 0
    const upper = rowOf(above)
    mixCuts(upper, above + 1 < rows ? rowOf(above + 1) : upper, down.share[y] ?? 0, { line, rise })
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const left = across.first[x] ?? 0
      if ((data[at] ?? 0) < (line[left] ?? 0) + (rise[left] ?? 0) * (across.share[x] ?? 0)) ink[at] = 1
    }
  }
  return ink
}
