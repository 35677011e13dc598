import type { GreyImage } from './document_picture.ts'

/** Counts for each place of a line of `length` the places on the line that are within `window` of it. */
function windowSizes(length: number, window: number): Int32Array {
  return Int32Array.from({ length }, (_, at) => Math.min(length, at + window + 1) - Math.max(0, at - window))
}

/**
 * Compares each pixel with the mean of all pixels within `window` of it, clipped at the edges: ink is darker by the
 * share `darker`. A shadow darkens both and so changes nothing. Calls `use` with each row, in which ink is 1, until it
 * returns false; the row is good until the next call.
 */
export function eachInkRow(
  grey: GreyImage,
  { window, darker }: { readonly window: number; readonly darker: number },
  use: (ink: Uint8Array) => boolean,
): void {
  const { data, width, height } = grey
  const across = windowSizes(width, window)
  const down = windowSizes(height, window)
  const paper = 1 - darker
  // The column sums of the surrounding rows have zeros on both sides for places beyond the edges.
  const padded = new Int32Array(width + 2 * window + 1)
  const columns = padded.subarray(window + 1, window + 1 + width)
  const ink = new Uint8Array(width)
  const beyond = new Uint8Array(width)
  const rowAt = (y: number): Uint8Array => (y < 0 || y >= height ? beyond : data.subarray(y * width, (y + 1) * width))
  const moveColumns = (added: Uint8Array, taken: Uint8Array): void => {
    for (let x = 0; x < width; x++) columns[x] = (columns[x] as number) + (added[x] as number) - (taken[x] as number)
  }
  for (let y = 0; y < window; y++) moveColumns(rowAt(y), beyond)
  for (let y = 0; y < height; y++) {
    moveColumns(rowAt(y + window), rowAt(y - window - 1))
    const rows = down[y] as number
    let sum = 0
    for (let at = 0; at < 2 * window + 1; at++) sum += padded[at] as number
    for (let x = 0, at = y * width; x < width; x++, at++) {
      sum += (padded[x + 2 * window + 1] as number) - (padded[x] as number)
      // The sign bit of a whole number decides: below 0 is ink. A branch here is unpredictable and would cost more than
      // all the rest.
      ink[x] = ((data[at] as number) * rows * (across[x] as number) - Math.ceil(sum * paper)) >>> 31
    }
    if (!use(ink)) return
  }
}
