import { type DocumentOutline, findDocumentOutline } from './document_outline.ts'
import { downsample, quantileOf, type Raster } from './raster.ts'

/** The longer side, in pixels, of a picture that is measured: it shows a blur that costs a reading. */
export const measured_side = 800
/** The longer side at which a document is seen on its table. */
const coarse_side = 80

/** What is pictured; a frame of a challenge is a selfie. */
export type Subject = 'document' | 'selfie'

/** What is measured of a picture. Brightness is 0 to 255, shares are 0 to 1. */
export interface Quality {
  /** How wide its sharpest edges are, in pixels; null where it shows none. */
  readonly edge_width: number | null
  /** Its lightest and darkest tenth: of a document what lies on a plain ground, else the picture's middle. */
  readonly light: number
  readonly dark: number
  /** The share of the same that is burnt out. */
  readonly burnt: number
  /** The document on a plain ground; null where that can't be told, and for a selfie. */
  readonly thing: DocumentOutline | null
}

/** Blocks of this many pixels: a few letters, or an eye. Every other one is looked at. */
const block = 16
/** Less contrast than this is no edge. */
const least_contrast = 40
const least_edges = 4

/** A block's contrast, by every other row of it, and the place of its first pixel's red. */
interface Edge {
  readonly contrast: number
  readonly at: number
}

/** A pixel's brightness (Rec. 601); `at` is the place of its red. */
const brightnessAt = (data: Uint8Array, at: number): number =>
  (77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0)) >> 8

const contrastOf = ({ data, width }: Raster, start: number): number => {
  let [low, high] = [255, 0]
  for (let y = 0, row = start; y < block; y += 2, row += 6 * width)
    for (let at = row; at < row + 3 * block; at += 3) {
      const here = brightnessAt(data, at)
      if (here < low) low = here
      if (here > high) high = here
    }
  return high - low
}

/** How wide a block's edges are across and down: contrast over the steepest step between pixels that lie two apart. */
const widthsOf = ({ data, width }: Raster, { at: start }: Edge): readonly [across: number, down: number] => {
  let [low, high, across, down] = [255, 0, 2, 2]
  for (let y = 0, row = start; y < block; y++, row += 3 * width)
    for (let at = row; at < row + 3 * block; at += 3) {
      const here = brightnessAt(data, at)
      if (here < low) low = here
      if (here > high) high = here
      const step_across = Math.abs(here - brightnessAt(data, at - 6))
      const step_down = Math.abs(here - brightnessAt(data, at - 6 * width))
      if (step_across > across) across = step_across
      if (step_down > down) down = step_down
    }
  const contrast = 2 * (high - low)
  return [contrast / across, contrast / down]
}

const quantile = (values: number[], share: number): number =>
  values.sort((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0

/**
 * Contrast over the steepest step tells an edge's width whatever its contrast. The sharpest quarter of the strongest
 * edges counts, in the direction in which they are wider: a picture that moved stays sharp in the other.
 */
const edgeWidth = (picture: Raster): number | null => {
  const { width, height } = picture
  const edges: Edge[] = []
  for (let y = 2, odd = 0; y + block <= height; y += block, odd ^= block)
    for (let x = 2 + odd; x + block <= width; x += 2 * block) {
      const at = 3 * (y * width + x)
      const contrast = contrastOf(picture, at)
      if (contrast >= least_contrast) edges.push({ contrast, at })
    }
  if (edges.length < least_edges) return null
  const least = quantile(
    edges.map(({ contrast }) => contrast),
    0.7,
  )
  const widths = edges.filter(({ contrast }) => contrast >= least).map(edge => widthsOf(picture, edge))
  const narrow = (direction: 0 | 1): number =>
    quantile(
      widths.map(both => both[direction]),
      0.25,
    )
  return Math.max(narrow(0), narrow(1))
}

/** Brighter than this in every channel, a sensor tells nothing apart. */
const burnt_out = 245

/** The middle, where a person holds what is meant: 1 for each of its pixels. */
const middleOf = ({ width, height }: Raster): Uint8Array => {
  const mask = new Uint8Array(width * height)
  const edge = (whole: number): number => Math.round(whole * 0.2)
  for (let row = edge(height); row < height - edge(height); row++)
    mask.fill(1, row * width + edge(width), (row + 1) * width - edge(width))
  return mask
}

/** Measures a picture of `measured_side`. */
export const measureQuality = (subject: Subject, picture: Raster): Quality => {
  const coarse = downsample(picture, coarse_side)
  const thing = subject === 'document' ? findDocumentOutline(coarse) : null
  const meant = thing?.mask ?? middleOf(coarse)
  const histogram = new Uint32Array(256)
  let [count, burnt] = [0, 0]
  for (let index = 0; index < meant.length; index++) {
    if (meant[index] === 0) continue
    count++
    const at = 3 * index
    const brightness = brightnessAt(coarse.data, at)
    histogram[brightness] = (histogram[brightness] ?? 0) + 1
    if (Math.min(coarse.data[at] ?? 0, coarse.data[at + 1] ?? 0, coarse.data[at + 2] ?? 0) >= burnt_out) burnt++
  }
  return {
    edge_width: edgeWidth(picture),
    light: quantileOf(histogram, 0.9),
    dark: quantileOf(histogram, 0.1),
    burnt: burnt / Math.max(count, 1),
    thing,
  }
}
