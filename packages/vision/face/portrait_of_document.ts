import { findDocumentOutline } from '../images/document_outline.ts'
import { downsample, type RgbImage } from '../images/raster.ts'
import type { EncodedImage } from '../port.ts'
import { readSideZone } from '../zone/side_zone.ts'
import type { Face } from './faces.ts'

/**
 * A wider face, beside its picture's shorter side, is a person's, and nothing is sought around it. Tuned: of 106 faces
 * on pictures of real documents 100 are narrower, of 1,259 faces of people 42.
 */
const maxPortraitShare = 0.28
/** The longer side of the picture in which a document is sought, in pixels. */
const outlineSide = 160
/**
 * Least share of the box around a document that it fills. Tuned: people fill at most 0.66 of theirs, except one whose
 * body fills the lower edge; drawn documents at least 0.9.
 */
const minFilled = 0.75
/** Largest share of a document's longer side that its portrait's face takes. Tuned: 0.19 of real ones, 0.24 of people. */
const maxPart = 0.22
/** Largest share of the picture's lower edge that a document covers. Tuned: a person's body covers 0.27 and more. */
const maxBelow = 0.2

/** Measures the extent of points along an axis. */
function measureSpan(values: Float64Array): number {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return most - least + 1
}

/** The box around a foreground, along its own axes: its longer side in pixels, and the share that is foreground. */
function measureBox(xs: Float64Array, ys: Float64Array): { readonly length: number; readonly filled: number } {
  const count = xs.length
  const mean = (of: (x: number, y: number) => number): number =>
    xs.reduce((sum, x, n) => sum + of(x, ys[n] as number), 0) / count
  const [cx, cy] = [mean(x => x), mean((_, y) => y)]
  const spread = mean((x, y) => (x - cx) ** 2 - (y - cy) ** 2)
  const turn = Math.atan2(2 * mean((x, y) => (x - cx) * (y - cy)), spread) / 2
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const long = measureSpan(xs.map((x, n) => x * cos + (ys[n] as number) * sin))
  const short = measureSpan(xs.map((x, n) => (ys[n] as number) * cos - x * sin))
  return { length: Math.max(long, short), filled: count / (long * short) }
}

/** Returns whether the face is a small part of a card or a page that lies on a plain ground. */
function isOnCard(picture: RgbImage, faceWidth: number): boolean {
  const outline = findDocumentOutline(downsample(picture, outlineSide))
  if (outline === null) return false
  const { mask, width } = outline
  const below = mask.subarray(-width).reduce((sum, marked) => sum + marked, 0)
  if (below > maxBelow * width) return false
  const marked = Float64Array.from(mask.keys()).filter(at => mask[at] === 1)
  const { length, filled } = measureBox(
    marked.map(at => at % width),
    marked.map(at => Math.floor(at / width)),
  )
  return filled >= minFilled && (faceWidth * width) / picture.width <= maxPart * length
}

/**
 * Returns whether the widest face of an upright picture is a document's portrait: far smaller than a person's, and on a
 * card or a page, or beside a machine-readable zone.
 */
export async function isPortraitOfDocument(image: EncodedImage, picture: RgbImage, { width }: Face): Promise<boolean> {
  if (width >= maxPortraitShare * Math.min(picture.width, picture.height)) return false
  return isOnCard(picture, width) || (await readSideZone(image)).side.mrz !== null
}
