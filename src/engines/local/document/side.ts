import { releaseBuffer } from '../../../base/release_buffer.ts'
import type { Budget } from './cell_reader.ts'
import { findSpots, type Spot, type Threshold } from './components.ts'
import { decodeGrey, documentPicture, enlargeGrey, type Grey } from './picture.ts'
import { isClear, readZone, type ZoneText } from './read_zone.ts'
import { findZones } from './zone.ts'

/** Degrees clockwise. */
export type Turn = 0 | 90 | 180 | 270

/** What one side of a document shows. */
export interface SideSight {
  /** The clear text of the zone. */
  readonly text: ZoneText | null
  /** The clearest text seen, too doubtful to be used or not: for the trace. */
  readonly seen: ZoneText | null
  /** How to turn the EXIF-upright picture for the zone to stand upright; null where no zone was read. */
  readonly rotation: Turn | null
  /** The picture that `text.grid` maps to: turned by 0 or 90 degrees. */
  readonly grey: Grey
  /** Whether `grey` is the picture turned by 90 degrees clockwise. */
  readonly turned: boolean
}

/** So many columns are turned at a time: the rows that they become lie in the processor's cache together. */
const turned_at_once = 64

const turnClockwise = ({ data, width, height }: Grey): Grey => {
  const turned = new Uint8Array(data.length)
  for (let left = 0; left < width; left += turned_at_once) {
    const right = Math.min(width, left + turned_at_once)
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
const closer_look = { longest: 3600, thresholds: thresholds.slice(1, 3) } as const

/**
 * A small picture enlarged: its characters are too few pixels high to stand apart, or to be told from specks. Below so
 * many pixels of the longer side, to so many, and by so many times at most.
 */
const enlarged_look = { below: 1000, longest: 1600, most: 3, thresholds: thresholds.slice(0, 3) } as const

const rotationOf = (turned: boolean, flipped: boolean): Turn => (turned ? (flipped ? 270 : 90) : flipped ? 180 : 0)

/**
 * So many cells of a photo are looked at: a document needs some hundred, a mesh would have no end. With half as many two of
 * 600 documents of the bench of truth, a busy one and a tiny one, would not be read.
 */
const most_cells = 2500

const isComplete = (text: ZoneText): boolean => text.passed === text.checks.length

const isBetter = (sight: SideSight, best: SideSight): boolean => {
  if (sight.text === null) return best.text === null && (sight.seen?.quality ?? 0) > (best.seen?.quality ?? 0)
  if (best.text === null) return true
  const [one, other] = [sight.text, best.text]
  return one.passed / one.checks.length - other.passed / other.checks.length + (one.quality - other.quality) * 0.5 > 0
}

/** A photo as it lies and turned by 90 degrees clockwise: the latter is made when a zone in it is to be read. */
interface Pictures {
  readonly upright: Grey
  readonly turned: () => Grey
}

const picturesOf = (upright: Grey): Pictures => {
  let turned: Grey | null = null
  return {
    upright,
    turned: () => {
      turned ??= turnClockwise(upright)
      return turned
    },
  }
}

const turnSpots = (spots: readonly Spot[], height: number): Spot[] =>
  spots.map(spot => ({ x: height - spot.y, y: spot.x, width: spot.height, height: spot.width }))

const nothing = (grey: Grey): SideSight => ({ text: null, seen: null, rotation: null, grey, turned: false })

/** The best that one way of finding ink gives, in the picture as it lies or turned. */
const look = (pictures: Pictures, turned: boolean, spots: readonly Spot[], budget: Budget): SideSight => {
  const { upright } = pictures
  const lying = turned ? turnSpots(spots, upright.height) : spots
  let best = nothing(upright)
  for (const zone of findZones(lying, Math.max(upright.width, upright.height))) {
    if (budget.cells <= 0) break
    const grey = turned ? pictures.turned() : upright
    const seen = readZone(grey, zone, budget)
    const text = seen !== null && isClear(seen) ? seen : null
    const sight = { text, seen, rotation: text === null ? null : rotationOf(turned, text.flipped), grey, turned }
    if (isBetter(sight, best)) best = sight
    if (best.text !== null && isComplete(best.text)) return best
  }
  return best
}

/** A zone whose characters are this sure needs no closer look, even where its check digits disagree. */
const sure_quality = 0.97

const isEnough = ({ text }: SideSight): boolean => text !== null && (isComplete(text) || text.quality > sure_quality)

/** One way of finding ink after the other, until one gives a zone that agrees with itself. */
const lookAround = (grey: Grey, thresholds: readonly Threshold[], budget: Budget): SideSight => {
  const pictures = picturesOf(grey)
  let best = nothing(grey)
  let found = 0
  for (const threshold of thresholds) {
    const spots = findSpots(grey, threshold)
    for (const turned of [false, true]) {
      const sight = look(pictures, turned, spots, budget)
      if (isBetter(sight, best)) best = sight
      if (best.text !== null && isComplete(best.text)) return best
    }
    // A zone found twice lies where it was found: other ways of finding ink would not make it clearer.
    if (best.seen !== null && isComplete(best.seen)) found++
    if (isEnough(best) || found > 1 || budget.cells <= 0) return best
  }
  return best
}

/** The picture as a second look wants it, and the ways of finding ink in it; null where it would show no more. */
const closerOf = async (image: Uint8Array, grey: Grey): Promise<[Grey, readonly Threshold[]] | null> => {
  const longest = Math.max(grey.width, grey.height)
  if (longest < enlarged_look.below) {
    const times = Math.min(enlarged_look.most, enlarged_look.longest / longest)
    return [await enlargeGrey(grey, times), enlarged_look.thresholds]
  }
  const larger = await decodeGrey(image, closer_look.longest)
  return larger.data.length > grey.data.length * 1.2 ? [larger, closer_look.thresholds] : null
}

/** Finds and reads the zone of one side, in any of four orientations. Throws `UnreadableImage`. */
export const readSide = async (image: Uint8Array): Promise<SideSight> => {
  const budget = { cells: most_cells }
  const { grey } = await documentPicture(image)
  const sight = lookAround(grey, thresholds, budget)
  if (isEnough(sight) || budget.cells <= 0) return sight
  const second = await closerOf(image, grey)
  if (second === null) return sight
  const [larger, ways] = second
  const closer = lookAround(larger, ways, budget)
  if (isBetter(closer, sight)) return closer
  releaseBuffer(larger.data)
  return sight
}
