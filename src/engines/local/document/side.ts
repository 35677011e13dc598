import { releaseBuffer } from '../../../base/release_buffer.ts'
import type { Budget } from './cell_reader.ts'
import { findSpots, type Spot, type Threshold } from './components.ts'
import { decodeGrey, enlargeGrey, type GreyImage, loadDocumentPicture } from './picture.ts'
import { isClear, readZone, type ZoneText } from './read_zone.ts'
import { findZones } from './zone.ts'

/** Degrees clockwise. */
export type Rotation = 0 | 90 | 180 | 270

/** What one side of a document shows. */
export interface SideScan {
  /** The clear text of the zone. */
  readonly text: ZoneText | null
  /** The clearest text seen, too doubtful to be used or not: for the trace. */
  readonly bestText: ZoneText | null
  /** How to turn the EXIF-upright picture for the zone to stand upright; null where no zone was read. */
  readonly rotation: Rotation | null
  /** The picture that `text.grid` maps to: turned by 0 or 90 degrees. */
  readonly grey: GreyImage
  /** Whether `grey` is the picture turned by 90 degrees clockwise. */
  readonly isTurned: boolean
}

/** So many columns are turned at a time: the rows that they become lie in the processor's cache together. */
const columnsAtOnce = 64

const rotateClockwise = ({ data, width, height }: GreyImage): GreyImage => {
  const turned = new Uint8Array(data.length)
  for (let left = 0; left < width; left += columnsAtOnce) {
    const right = Math.min(width, left + columnsAtOnce)
    for (let y = 0; y < height; y++) {
      for (let x = left; x < right; x++) turned[x * height + (height - 1 - y)] = data[y * width + x] ?? 0
    }
  }
  return { data: turned, width: height, height: width }
}

/** In the order of what they cost and read: most photos need the first alone. */
const thresholds: readonly Threshold[] = [
  { window: 14, darker: 0.13, halved: true },
  { window: 24, darker: 0.14, halved: false },
  { window: 12, darker: null, halved: true },
  { window: 14, darker: 0.08, halved: false },
  { window: 20, darker: null, halved: false },
  { window: 40, darker: 0.22, halved: false },
]

/** A closer look: the longer side in pixels, and the thresholds to try on it. */
const closerPass = { longest: 3600, thresholds: thresholds.slice(1, 3) } as const

/**
 * A small picture enlarged: its characters are too few pixels high to stand apart, or to be told from specks. Below so
 * many pixels of the longer side, to so many, and by so many times at most.
 */
const enlargedPass = { below: 1000, longest: 1600, most: 3, thresholds: thresholds.slice(0, 3) } as const

const toRotation = (isTurned: boolean, flipped: boolean): Rotation =>
  isTurned ? (flipped ? 270 : 90) : flipped ? 180 : 0

/**
 * So many cells of a photo are looked at: a document needs some hundred, a mesh would have no end. With half as many two of
 * 600 documents of the bench of truth, a busy one and a tiny one, would not be read.
 */
const maxCells = 2500

const isComplete = (text: ZoneText): boolean => text.passed === text.checks.length

const isBetter = (scan: SideScan, best: SideScan): boolean => {
  if (scan.text === null) return best.text === null && (scan.bestText?.quality ?? 0) > (best.bestText?.quality ?? 0)
  if (best.text === null) return true
  const [one, other] = [scan.text, best.text]
  return one.passed / one.checks.length - other.passed / other.checks.length + (one.quality - other.quality) * 0.5 > 0
}

/** A photo as it lies and turned by 90 degrees clockwise: the latter is made when a zone in it is to be read. */
interface Orientations {
  readonly upright: GreyImage
  readonly rotated: () => GreyImage
}

const createOrientations = (upright: GreyImage): Orientations => {
  let rotated: GreyImage | null = null
  return {
    upright,
    rotated: () => {
      rotated ??= rotateClockwise(upright)
      return rotated
    },
  }
}

const rotateSpots = (spots: readonly Spot[], height: number): Spot[] =>
  spots.map(spot => ({ x: height - spot.y, y: spot.x, width: spot.height, height: spot.width }))

const createEmptyScan = (grey: GreyImage): SideScan => ({
  text: null,
  bestText: null,
  rotation: null,
  grey,
  isTurned: false,
})

/** The best that one way of finding ink gives, in the picture as it lies or turned. */
const scanSpots = (pictures: Orientations, isTurned: boolean, spots: readonly Spot[], budget: Budget): SideScan => {
  const { upright } = pictures
  const oriented = isTurned ? rotateSpots(spots, upright.height) : spots
  let best = createEmptyScan(upright)
  for (const zone of findZones(oriented, Math.max(upright.width, upright.height))) {
    if (budget.cells <= 0) break
    const grey = isTurned ? pictures.rotated() : upright
    const bestText = readZone(grey, zone, budget)
    const text = bestText !== null && isClear(bestText) ? bestText : null
    const rotation = text === null ? null : toRotation(isTurned, text.flipped)
    const scan = { text, bestText, rotation, grey, isTurned }
    if (isBetter(scan, best)) best = scan
    if (best.text !== null && isComplete(best.text)) return best
  }
  return best
}

/** A zone whose characters are this sure needs no closer look, even where its check digits disagree. */
const sureQuality = 0.97

const isEnough = ({ text }: SideScan): boolean => text !== null && (isComplete(text) || text.quality > sureQuality)

/** One way of finding ink after the other, until one gives a zone that agrees with itself. */
const scanThresholds = (grey: GreyImage, thresholds: readonly Threshold[], budget: Budget): SideScan => {
  const pictures = createOrientations(grey)
  let best = createEmptyScan(grey)
  let found = 0
  for (const threshold of thresholds) {
    const spots = findSpots(grey, threshold)
    for (const isTurned of [false, true]) {
      const scan = scanSpots(pictures, isTurned, spots, budget)
      if (isBetter(scan, best)) best = scan
      if (best.text !== null && isComplete(best.text)) return best
    }
    // A zone found twice lies where it was found: other ways of finding ink would not make it clearer.
    if (best.bestText !== null && isComplete(best.bestText)) found++
    if (isEnough(best) || found > 1 || budget.cells <= 0) return best
  }
  return best
}

/** The picture as a second look wants it, and the ways of finding ink in it; null where it would show no more. */
const prepareSecondPass = async (
  image: Uint8Array,
  grey: GreyImage,
): Promise<[GreyImage, readonly Threshold[]] | null> => {
  const longest = Math.max(grey.width, grey.height)
  if (longest < enlargedPass.below) {
    const times = Math.min(enlargedPass.most, enlargedPass.longest / longest)
    return [await enlargeGrey(grey, times), enlargedPass.thresholds]
  }
  const larger = await decodeGrey(image, closerPass.longest)
  return larger.data.length > grey.data.length * 1.2 ? [larger, closerPass.thresholds] : null
}

/** Finds and reads the zone of one side, in any of four orientations. Throws `UnreadableImage`. */
export const scanSide = async (image: Uint8Array): Promise<SideScan> => {
  const budget = { cells: maxCells }
  const { grey } = await loadDocumentPicture(image)
  const scan = scanThresholds(grey, thresholds, budget)
  if (isEnough(scan) || budget.cells <= 0) return scan
  const second = await prepareSecondPass(image, grey)
  if (second === null) return scan
  const [larger, ways] = second
  const closer = scanThresholds(larger, ways, budget)
  if (isBetter(closer, scan)) return closer
  releaseBuffer(larger.data)
  return scan
}
