import type { Grey } from './picture.ts'

/** Flatter steps are noise. */
const least_step = 24

/** Half-degree bins of all directions of a line. */
const bins = 360

/** How a picture's bars lean, and the rows that they stand in, in degrees clockwise from upright and from level. */
export interface Skew {
  readonly bars: number
  readonly rows: number
}

/** A photo taken askew shows rows and bars at other angles than a right one, but hardly at more than this. */
const most_shear = 14

/** How strong the edges in each direction are. */
const directions = ({ data, width, height }: Grey): Float64Array => {
  const weights = new Float64Array(bins)
  for (let y = 1; y < height - 1; y++) {
    for (let at = y * width + 1; at < y * width + width - 1; at++) {
      const across = (data[at + 1] ?? 0) - (data[at - 1] ?? 0)
      const down = (data[at + width] ?? 0) - (data[at - width] ?? 0)
      const strength = across * across + down * down
      if (strength < least_step ** 2) continue
      const bin = Math.floor(((Math.atan2(down, across) / Math.PI + 1) % 1) * bins)
      weights[bin] = (weights[bin] ?? 0) + strength
    }
  }
  return weights
}

/**
 * A barcode's bars outnumber all else that is printed on a card: they are the peak among the directions of edges, and
 * its rows and borders the peak among those about across.
 */
export const skewOf = (picture: Grey): Skew => {
  const weights = directions(picture)
  const spread = (bin: number): number => {
    let sum = 0
    for (let near = -3; near <= 3; near++) sum += (weights[(bin + near + 2 * bins) % bins] ?? 0) * (4 - Math.abs(near))
    return sum
  }
  const peak = (from: number, to: number): number => {
    let best = from
    for (let bin = from + 1; bin < to; bin++) if (spread(bin) > spread(best)) best = bin
    return best
  }
  const degrees = (bin: number): number => ((bin + 0.5) * 180) / bins
  const bars = peak(0, bins)
  const shear = (most_shear * bins) / 180
  const rows = peak(bars + bins / 2 - shear, bars + bins / 2 + shear + 1)
  const turn = bars > bins / 2 ? 180 : 0
  return { bars: degrees(bars) - turn, rows: degrees(rows) - 90 - turn }
}
