import type { GreyImage } from './document_picture.ts'

/** Counts for each place of a line of `length` the places on the line that are within `window` of it. */
function windowSizes(length: number, window: number): Int32Array {
  return Int32Array.from({ length }, (_, at) => Math.min(length, at + window + 1) - Math.max(0, at - window))
}

/** Adds a row of a picture to the sums of its columns, or subtracts it; rows beyond the edges are ignored. */
function addRow({ data, width, height }: GreyImage, sums: Int32Array, y: number, sign: 1 | -1): void {
  if (y < 0 || y >= height) return
  for (let x = 0, at = y * width; x < width; x++, at++) sums[x] = (sums[x] ?? 0) + sign * (data[at] ?? 0)
}

/**
 * The sums of a window around each pixel of a row, and the number of pixels in each. The object is used for the next
 * row too.
 */
export interface WindowRow {
  readonly y: number
  readonly sums: Int32Array
  readonly rows: number
  readonly columns: Int32Array
}

/**
 * Calls `use` with each row's sums over all pixels within `window` of its own, clipped at the edges: every pixel is
 * added and taken out once.
 */
export function eachWindowRow(grey: GreyImage, window: number, use: (row: WindowRow) => void): void {
  const { width, height } = grey
  const across = windowSizes(width, window)
  const down = windowSizes(height, window)
  // The column sums of the surrounding rows have zeros on both sides for places beyond the edges.
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
 * Compares each pixel with the mean of the window around it: 1 means that ink may be there. A shadow darkens both and
 * so changes nothing.
 */
export function findInkByMean(grey: GreyImage, window: number, darker: number): Uint8Array {
  const { data, width, height } = grey
  const ink = new Uint8Array(width * height)
  const paper = 1 - darker
  eachWindowRow(grey, window, ({ y, sums, rows, columns }) => {
    for (let x = 0, at = y * width; x < width; x++, at++) {
      // The sign bit of a whole number decides: below 0 is ink. A branch here is unpredictable and would cost more than
      // all the rest.
      ink[at] = ((data[at] ?? 0) * rows * (columns[x] ?? 0) - Math.ceil((sums[x] ?? 0) * paper)) >>> 31
    }
  })
  return ink
}
