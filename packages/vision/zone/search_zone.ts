import { decodeDocument, decodeGrey, enlargeGrey, type GreyImage } from '../images/document_picture.ts'
import { releasePixels } from '../images/release_pixels.ts'
import type { Budget } from './cell_reader.ts'
import { findSpots, type Spot, type Threshold } from './components.ts'
import { findZones } from './find_zones.ts'
import { isClear, readZoneText, type ZoneText } from './zone_text.ts'

/** A rotation in clockwise degrees. */
export type Rotation = 0 | 90 | 180 | 270

export interface FoundZone {
  /** The clear text of the zone. */
  readonly text: ZoneText | null
  /** The clearest text, even if it is too doubtful to be used; for the trace. */
  readonly bestText: ZoneText | null
  /** The rotation of the EXIF-upright picture that makes the zone upright; null if no zone was read. */
  readonly rotation: Rotation | null
  /** The picture that `text.grid` maps to. */
  readonly grey: GreyImage
  /** Whether `grey` is rotated clockwise by 90 degrees. */
  readonly isTurned: boolean
}

/** This many columns are rotated at a time: the rows that they become fit into the processor's cache together. */
const columnsAtOnce = 64

function rotateClockwise({ data, width, height }: GreyImage): GreyImage {
  const turned = new Uint8Array(data.length)
  for (let left = 0; left < width; left += columnsAtOnce) {
    const right = Math.min(width, left + columnsAtOnce)
    for (let y = 0; y < height; y++) {
      for (let x = left; x < right; x++) turned[x * height + (height - 1 - y)] = data[y * width + x] ?? 0
    }
  }
  return { data: turned, width: height, height: width }
}

/** The thresholds in the order of their cost and success: most images need only the first. */
const thresholds: readonly Threshold[] = [
  { window: 14, darker: 0.13, halved: true },
  { window: 24, darker: 0.14, halved: false },
  { window: 14, darker: 0.08, halved: false },
  { window: 40, darker: 0.22, halved: false },
]

/**
 * A second pass: the longer side in pixels, and the thresholds to try. Of 24 drawn photos of documents, set
 * into 8 to 19 % of the width of a picture of 12 megapixels, it reads 13, and without it none is read.
 */
const closerPass = { longest: 3600, thresholds: thresholds.slice(1, 2) } as const

/**
 * Enlarges a small picture, whose characters have too few pixels to be apart from each other, or to be distinguished
 * from specks. `below` and `longest` are the longer side before and after, `most` the largest factor.
 */
const enlargedPass = { below: 1000, longest: 1600, most: 3, thresholds: thresholds.slice(0, 2) } as const

function toRotation(isTurned: boolean, flipped: boolean): Rotation {
  return isTurned ? (flipped ? 270 : 90) : flipped ? 180 : 0
}

/**
 * The most cells that are classified in one image: a document needs some hundred, a mesh pattern would need far more.
 * With half as many, two of 600 documents of `packages/vision/bench/truth` were not read.
 */
const maxCells = 2500

function isComplete(text: ZoneText): boolean {
  return text.passed === text.checks.length
}

function isBetter(found: FoundZone, best: FoundZone): boolean {
  if (found.text === null) return best.text === null && (found.bestText?.quality ?? 0) > (best.bestText?.quality ?? 0)
  if (best.text === null) return true
  const one = found.text
  const other = best.text
  return one.passed / one.checks.length - other.passed / other.checks.length + (one.quality - other.quality) * 0.5 > 0
}

/** A picture, and the same rotated clockwise by 90 degrees, which is created when a zone in it is read. */
interface Orientations {
  readonly upright: GreyImage
  readonly rotated: () => GreyImage
}

function createOrientations(upright: GreyImage): Orientations {
  let rotated: GreyImage | null = null
  return {
    upright,
    rotated: () => {
      rotated ??= rotateClockwise(upright)
      return rotated
    },
  }
}

function rotateSpots(spots: readonly Spot[], height: number): Spot[] {
  return spots.map(spot => ({ x: height - spot.y, y: spot.x, width: spot.height, height: spot.width }))
}

function createEmptyZone(grey: GreyImage): FoundZone {
  return {
    text: null,
    bestText: null,
    rotation: null,
    grey,
    isTurned: false,
  }
}

/** Returns the best zone among some spots. */
function searchSpots(pictures: Orientations, isTurned: boolean, spots: readonly Spot[], budget: Budget): FoundZone {
  const { upright } = pictures
  const oriented = isTurned ? rotateSpots(spots, upright.height) : spots
  let best = createEmptyZone(upright)
  for (const zone of findZones(oriented, Math.max(upright.width, upright.height))) {
    if (budget.cells <= 0) break
    const grey = isTurned ? pictures.rotated() : upright
    const bestText = readZoneText(grey, zone, budget)
    const text = bestText !== null && isClear(bestText) ? bestText : null
    const rotation = text === null ? null : toRotation(isTurned, text.flipped)
    const found = { text, bestText, rotation, grey, isTurned }
    if (isBetter(found, best)) best = found
    if (best.text !== null && isComplete(best.text)) return best
  }
  return best
}

/** A zone of this quality needs no second pass, even if its check digits disagree. */
const sureQuality = 0.97

function isEnough({ text }: FoundZone): boolean {
  return text !== null && (isComplete(text) || text.quality > sureQuality)
}

/** Tries one threshold after the other, until a zone's check digits agree. */
function tryThresholds(grey: GreyImage, thresholds: readonly Threshold[], budget: Budget): FoundZone {
  const pictures = createOrientations(grey)
  let best = createEmptyZone(grey)
  let completed = 0
  for (const threshold of thresholds) {
    const spots = findSpots(grey, threshold)
    for (const isTurned of [false, true]) {
      const found = searchSpots(pictures, isTurned, spots, budget)
      if (isBetter(found, best)) best = found
      if (best.text !== null && isComplete(best.text)) return best
    }
    // A zone that was read twice does not become clearer by another threshold.
    if (best.bestText !== null && isComplete(best.bestText)) completed++
    if (isEnough(best) || completed > 1 || budget.cells <= 0) return best
  }
  return best
}

/** Returns the picture and the thresholds of a second pass; null if it would show no more. */
async function prepareSecondPass(
  image: Uint8Array,
  grey: GreyImage,
): Promise<[GreyImage, readonly Threshold[]] | null> {
  const longest = Math.max(grey.width, grey.height)
  if (longest < enlargedPass.below) {
    const times = Math.min(enlargedPass.most, enlargedPass.longest / longest)
    return [await enlargeGrey(grey, times), enlargedPass.thresholds]
  }
  const larger = await decodeGrey(image, closerPass.longest)
  return larger.data.length > grey.data.length * 1.2 ? [larger, closerPass.thresholds] : null
}

/** Finds and reads the zone of one side, in any of four orientations. Throws `UnreadableImageError`. */
export async function searchZone(image: Uint8Array): Promise<FoundZone> {
  const budget = { cells: maxCells }
  const { grey } = await decodeDocument(image)
  const found = tryThresholds(grey, thresholds, budget)
  if (isEnough(found) || budget.cells <= 0) return found
  const second = await prepareSecondPass(image, grey)
  if (second === null) return found
  const [larger, ways] = second
  const closer = tryThresholds(larger, ways, budget)
  if (isBetter(closer, found)) return closer
  releasePixels(larger.data)
  return found
}
