import { decodeGrey, type Grey } from './picture.ts'
import { isClear, readZone, type ZoneText } from './read_zone.ts'
import { findZones, type Threshold } from './zone.ts'

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

const turnClockwise = ({ data, width, height }: Grey): Grey => {
  const turned = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) turned[x * height + (height - 1 - y)] = data[y * width + x] ?? 0
  }
  return { data: turned, width: height, height: width }
}

/** In the order of what they read: most photos need the first alone, grainy ones the second. */
const thresholds: readonly Threshold[] = [
  { window: 24, darker: 0.14, halved: false },
  { window: 14, darker: 0.13, halved: true },
  { window: 14, darker: 0.08, halved: false },
  { window: 40, darker: 0.22, halved: false },
]

/** Longest sides in pixels, and the thresholds to try on each. */
const passes = [
  { longest: 2000, thresholds },
  { longest: 3600, thresholds: thresholds.slice(0, 1) },
] as const

const rotationOf = (turned: boolean, flipped: boolean): Turn => (turned ? (flipped ? 270 : 90) : flipped ? 180 : 0)

const isComplete = (text: ZoneText): boolean => text.passed === text.checks.length

const isBetter = (sight: SideSight, best: SideSight): boolean => {
  if (sight.text === null) return best.text === null && (sight.seen?.quality ?? 0) > (best.seen?.quality ?? 0)
  if (best.text === null) return true
  const [one, other] = [sight.text, best.text]
  return one.passed / one.checks.length - other.passed / other.checks.length + (one.quality - other.quality) * 0.5 > 0
}

/** Zones still to be looked at: a picture of a mesh holds any number of them, a document a few at each threshold. */
interface Patience {
  zones: number
}

const most_zones = 60

const look = (grey: Grey, turned: boolean, by: Threshold, patience: Patience): SideSight => {
  let best: SideSight = { text: null, seen: null, rotation: null, grey, turned }
  for (const zone of findZones(grey, by)) {
    if (patience.zones-- <= 0) break
    const seen = readZone(grey, zone)
    const text = seen !== null && isClear(seen) ? seen : null
    const sight = { text, seen, rotation: text === null ? null : rotationOf(turned, text.flipped), grey, turned }
    if (isBetter(sight, best)) best = sight
    if (best.text !== null && isComplete(best.text)) return best
  }
  return best
}

/** Every threshold on a picture as it lies and turned by 90 degrees, until one gives a zone that agrees with itself. */
const lookAround = (grey: Grey, thresholds: readonly Threshold[], patience: Patience): SideSight => {
  const pictures = [grey, turnClockwise(grey)] as const
  let best: SideSight = { text: null, seen: null, rotation: null, grey, turned: false }
  for (const parameters of thresholds) {
    for (const [at, picture] of pictures.entries()) {
      const sight = look(picture, at === 1, parameters, patience)
      if (isBetter(sight, best)) best = sight
      if (best.text !== null && isComplete(best.text)) return best
    }
  }
  return best
}

/** A zone whose characters are this sure needs no closer look, even where its check digits disagree. */
const sure_quality = 0.97

/** Finds and reads the zone of one side, in any of four orientations. Throws `UnreadableImage`. */
export const readSide = async (image: Uint8Array): Promise<SideSight> => {
  const [first, second] = passes
  const patience = { zones: most_zones }
  const grey = await decodeGrey(image, first.longest)
  const sight = lookAround(grey, first.thresholds, patience)
  if (sight.text !== null && (isComplete(sight.text) || sight.text.quality > sure_quality)) return sight
  const larger = await decodeGrey(image, second.longest)
  // A second look needs more pixels than the first had.
  if (larger.data.length <= grey.data.length * 1.2) return sight
  const closer = lookAround(larger, second.thresholds, patience)
  return isBetter(closer, sight) ? closer : sight
}
