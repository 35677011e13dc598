import type { Measured } from '@attestor/rules'
import type { RgbImage } from '../images/raster.ts'
import { leastSquares } from '../least_squares.ts'

/**
 * Number of samples across and down a page: each is the mean of a few pixels, so that a sensor's noise and a JPEG's
 * blocks fade.
 */
const lattice = { columns: 48, rows: 32 } as const
/** Range of a sample in grey levels: a darker pixel's hue is noise; a brighter one's channels are clipped. */
const range = { darkest: 48, brightest: 250 } as const
/** With fewer samples than this share of the lattice nothing is measured. */
const minShare = 0.3
/** The percentile of the samples that is the score: a portrait or a stamp covers about a tenth of a page. */
const percentile = 0.9
/** Below this a page shows only the colour of its light. */
const minColour = 0.043

/**
 * A sample. `by` may explain a change of its hue by the light: its place, -1 to 1, and the logarithm of its brightness
 * with its square. The logarithms of red to green and of blue to green follow, which the light shifts equally
 * everywhere.
 */
interface Sample {
  readonly by: readonly number[]
  readonly red: number
  readonly blue: number
}

/**
 * Reads the mean colour of a square of `reach` pixels to each side; null if it is not all inside, or too dark or too
 * bright.
 */
function readMeanColour(
  { data, width, height }: RgbImage,
  px: number,
  py: number,
  reach: number,
): readonly number[] | null {
  const x = Math.round(px)
  const y = Math.round(py)
  if (x < reach || y < reach || x >= width - reach || y >= height - reach) return null
  const sums = [0, 0, 0]
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const at = ((y + dy) * width + x + dx) * 3
      for (const channel of [0, 1, 2]) sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0)
    }
  }
  const mean = sums.map(sum => sum / (2 * reach + 1) ** 2)
  return Math.min(...mean) < range.darkest || Math.max(...mean) > range.brightest ? null : mean
}

/**
 * Returns the part of a hue that its place and brightness do not explain, by least squares. Light, a veil and a
 * camera's curves change the hue of a grey page too, but only gradually across the page, or equally for equal
 * brightness.
 */
function findResiduals(samples: readonly Sample[], of: (sample: Sample) => number): number[] {
  const shares = leastSquares(samples.map(sample => [...sample.by, of(sample)])) ?? []
  return samples.map(sample => of(sample) - sample.by.reduce((sum, value, at) => sum + value * (shares[at] ?? 0), 0))
}

/**
 * Measures the difference between the colours of a page. `at` returns the pixel of a place in shares of the page,
 * `pitch` is the zone's in pixels. A black and white copy has one hue everywhere, that of its paper in its light. Null
 * if too little of the page is in the picture.
 */
export function measureColour(
  pixels: RgbImage,
  at: (x: number, y: number) => readonly [number, number],
  pitch: number,
): Measured | null {
  const reach = Math.max(1, Math.min(6, Math.round(pitch / 4)))
  const samples: Sample[] = []
  for (let row = 0; row < lattice.rows; row++) {
    for (let column = 0; column < lattice.columns; column++) {
      const x = (column + 0.5) / lattice.columns
      const y = (row + 0.5) / lattice.rows
      const [red = 0, green = 0, blue = 0] = readMeanColour(pixels, ...at(x, y), reach) ?? []
      if (green === 0) continue
      const u = x * 2 - 1
      const v = y * 2 - 1
      const light = Math.log(green / 128)
      const by = [1, u, v, light, light * light]
      samples.push({ by, red: Math.log(red / green), blue: Math.log(blue / green) })
    }
  }
  if (samples.length < minShare * lattice.columns * lattice.rows) return null
  const reds = findResiduals(samples, ({ red }) => red)
  const blues = findResiduals(samples, ({ blue }) => blue)
  const away = reds.map((red, n) => Math.hypot(red, blues[n] ?? 0)).sort((one, other) => one - other)
  return { score: Math.min(1, away[Math.floor(away.length * percentile)] ?? 0), threshold: minColour }
}
