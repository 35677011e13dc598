import { type DocumentOutline, findDocumentOutline } from './document_outline.ts'
import { downsample, findQuantile, type RgbImage } from './raster.ts'

/** The longer side of a picture that is measured, in pixels: enough to show a blur that makes text illegible. */
export const maxMeasuredSide = 800
/** The longer side at which a document's outline on its table is found. */
const outlineSide = 80

/** The subject that an image should show. A frame of a challenge is a selfie. */
export type Subject = 'document' | 'selfie'

/** Measurements of a picture. Brightness is 0 to 255, shares are 0 to 1. */
export interface Quality {
  /** Width of the sharpest edges in pixels; null if the picture shows none. */
  readonly edgeWidth: number | null
  /**
   * The brightness that a tenth of the pixels exceeds, and the one that nine tenths exceed: within the document's
   * outline, or without one in the picture's middle.
   */
  readonly light: number
  readonly dark: number
  /** The share of the same area that is burnt out. */
  readonly burnt: number
  /** Null for a selfie, and if no outline is found. */
  readonly outline: DocumentOutline | null
}

/** Side of a block in pixels: a few letters, or an eye. Every other one is measured. */
const blockSide = 16
/** A smaller contrast is no edge. */
const minContrast = 40
const minEdges = 4

/** A block with an edge: its contrast, measured on every other row, and the index of its first byte. */
interface Edge {
  readonly contrast: number
  readonly at: number
}

/** Returns a pixel's brightness (Rec. 601); `at` is the index of its red. */
function brightnessAt(data: Uint8Array, at: number): number {
  return (77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0)) >> 8
}

function measureContrast({ data, width }: RgbImage, start: number): number {
  let low = 255
  let high = 0
  for (let y = 0, row = start; y < blockSide; y += 2, row += 6 * width)
    for (let at = row; at < row + 3 * blockSide; at += 3) {
      const here = brightnessAt(data, at)
      if (here < low) low = here
      if (here > high) high = here
    }
  return high - low
}

/**
 * Measures the width of a block's edges across and down: the contrast over the steepest step between pixels that lie
 * two apart.
 */
function measureEdgeWidths({ data, width }: RgbImage, { at: start }: Edge): readonly [across: number, down: number] {
  let low = 255
  let high = 0
  let across = 2
  let down = 2
  for (let y = 0, row = start; y < blockSide; y++, row += 3 * width)
    for (let at = row; at < row + 3 * blockSide; at += 3) {
      const here = brightnessAt(data, at)
      if (here < low) low = here
      if (here > high) high = here
      const stepAcross = Math.abs(here - brightnessAt(data, at - 6))
      const stepDown = Math.abs(here - brightnessAt(data, at - 6 * width))
      if (stepAcross > across) across = stepAcross
      if (stepDown > down) down = stepDown
    }
  const contrast = 2 * (high - low)
  return [contrast / across, contrast / down]
}

function quantile(values: number[], share: number): number {
  return values.sort((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0
}

/**
 * Measures the width of edges: contrast divided by the steepest step, so that it holds for any contrast. The sharpest
 * quarter of the strongest edges counts, in the direction in which they are wider: motion blurs one direction and
 * leaves the other sharp.
 */
function measureEdgeWidth(picture: RgbImage): number | null {
  const { width, height } = picture
  const edges: Edge[] = []
  for (let y = 2, odd = 0; y + blockSide <= height; y += blockSide, odd ^= blockSide)
    for (let x = 2 + odd; x + blockSide <= width; x += 2 * blockSide) {
      const at = 3 * (y * width + x)
      const contrast = measureContrast(picture, at)
      if (contrast >= minContrast) edges.push({ contrast, at })
    }
  if (edges.length < minEdges) return null
  const least = quantile(
    edges.map(({ contrast }) => contrast),
    0.7,
  )
  const widths = edges.filter(({ contrast }) => contrast >= least).map(edge => measureEdgeWidths(picture, edge))
  const narrow = (direction: 0 | 1): number =>
    quantile(
      widths.map(both => both[direction]),
      0.25,
    )
  return Math.max(narrow(0), narrow(1))
}

/** A pixel that is brighter than this in every channel is burnt out. */
const burntOut = 245

/** Returns 1 for each pixel in the middle of a picture, where people hold the things that they photograph. */
function createMiddleMask({ width, height }: RgbImage): Uint8Array {
  const mask = new Uint8Array(width * height)
  const edge = (whole: number): number => Math.round(whole * 0.2)
  for (let row = edge(height); row < height - edge(height); row++)
    mask.fill(1, row * width + edge(width), (row + 1) * width - edge(width))
  return mask
}

/** Measures a picture of at most `maxMeasuredSide`. */
export function measureQuality(subject: Subject, picture: RgbImage): Quality {
  const coarse = downsample(picture, outlineSide)
  const outline = subject === 'document' ? findDocumentOutline(coarse) : null
  const mask = outline?.mask ?? createMiddleMask(coarse)
  const histogram = new Uint32Array(256)
  let count = 0
  let burnt = 0
  for (let index = 0; index < mask.length; index++) {
    if (mask[index] === 0) continue
    count++
    const at = 3 * index
    const brightness = brightnessAt(coarse.data, at)
    histogram[brightness] = (histogram[brightness] ?? 0) + 1
    if (Math.min(coarse.data[at] ?? 0, coarse.data[at + 1] ?? 0, coarse.data[at + 2] ?? 0) >= burntOut) burnt++
  }
  return {
    edgeWidth: measureEdgeWidth(picture),
    light: findQuantile(histogram, 0.9),
    dark: findQuantile(histogram, 0.1),
    burnt: burnt / Math.max(count, 1),
    outline,
  }
}
