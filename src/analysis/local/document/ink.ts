import type { Grey } from './picture.ts'

/** Dark against the mean of a window around: 1 where ink may be. A shadow darkens both and changes nothing. */
export const darkerThanAround = ({ data, width, height }: Grey, window: number, darker: number): Uint8Array => {
  const stride = width + 1
  const sums = new Uint32Array(stride * (height + 1))
  for (let y = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++) {
      row += data[y * width + x] ?? 0
      sums[(y + 1) * stride + x + 1] = (sums[y * stride + x + 1] ?? 0) + row
    }
  }
  const ink = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - window) * stride
    const low = Math.min(height, y + window + 1)
    const rows = low - Math.max(0, y - window)
    for (let x = 0; x < width; x++) {
      const left = Math.max(0, x - window)
      const right = Math.min(width, x + window + 1)
      const end = low * stride
      const sum =
        (sums[end + right] ?? 0) - (sums[end + left] ?? 0) - (sums[top + right] ?? 0) + (sums[top + left] ?? 0)
      if ((data[y * width + x] ?? 0) * rows * (right - left) < sum * (1 - darker)) ink[y * width + x] = 1
    }
  }
  return ink
}

/** The darkest share of a block's pixels that counts as its ink, and the share that are brighter than its paper. */
const ink_share = 0.04
const paper_share = 0.3
/** Where ink and paper differ by less than this, there is none: grain. */
const least_contrast = 14

/** The brightness of ink and of paper in every block and those beside it, by the pixels' own order. */
const levelsOf = (
  { data, width, height }: Grey,
  block: number,
): { columns: number; cuts: Float32Array; rows: number } => {
  const [columns, rows] = [Math.ceil(width / block), Math.ceil(height / block)]
  const cuts = new Float32Array(columns * rows)
  const counts = new Uint16Array(256)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      counts.fill(0)
      const [left, right] = [Math.max(0, (column - 1) * block), Math.min(width, (column + 2) * block)]
      const [top, low] = [Math.max(0, (row - 1) * block), Math.min(height, (row + 2) * block)]
      // Every other pixel tells as much.
      let total = 0
      for (let y = top; y < low; y += 2) {
        for (let at = y * width + left; at < y * width + right; at += 2) {
          const value = data[at] ?? 0
          counts[value] = (counts[value] ?? 0) + 1
          total++
        }
      }
      cuts[row * columns + column] = cutOf(counts, total)
    }
  }
  return { columns, rows, cuts }
}

/** The brightness halfway between ink and paper; 0, below which nothing is, where they hardly differ. */
const cutOf = (counts: Uint16Array, total: number): number => {
  let [sum, ink, paper] = [0, -1, 255]
  for (let value = 0; value < 256; value++) {
    sum += counts[value] ?? 0
    if (ink < 0 && sum >= total * ink_share) ink = value
    if (sum >= total * (1 - paper_share)) {
      paper = value
      break
    }
  }
  return paper - ink < least_contrast ? 0 : (paper + ink) / 2
}

/**
 * Darker than halfway between the ink and the paper of the blocks around: a pattern under the print, paler than it,
 * is paper then. Cuts between blocks' middles are interpolated.
 */
export const darkerThanHalfway = (grey: Grey, block: number): Uint8Array => {
  const { data, width, height } = grey
  const { columns, rows, cuts } = levelsOf(grey, block)
  const ink = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / block - 0.5))
    const [above, fy] = [Math.floor(v), v % 1]
    const below = Math.min(rows - 1, above + 1)
    for (let x = 0; x < width; x++) {
      const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / block - 0.5))
      const [left, fx] = [Math.floor(u), u % 1]
      const right = Math.min(columns - 1, left + 1)
      const top = (cuts[above * columns + left] ?? 0) * (1 - fx) + (cuts[above * columns + right] ?? 0) * fx
      const low = (cuts[below * columns + left] ?? 0) * (1 - fx) + (cuts[below * columns + right] ?? 0) * fx
      if ((data[y * width + x] ?? 0) < top * (1 - fy) + low * fy) ink[y * width + x] = 1
    }
  }
  return ink
}
