import type { Point } from '../geometry/pixels.ts'
import { black, type Colour, readColour, toBrightness, type UprightFace, uprightSide } from './upright.ts'

/**
 * FaceMesh's indices around the area that a lens covers below each eye: from the outer corner of the eye over the cheek
 * to the inner one. Above them, deep eyes and brows may be as dark as a lens.
 */
const lensOutlines = [
  [33, 226, 35, 111, 117, 118, 119, 120, 121, 128, 244, 133],
  [263, 446, 265, 340, 346, 347, 348, 349, 350, 357, 464, 362],
] as const
/** Cheeks, nose, forehead, jaw: skin in more than one light. */
const skin = [50, 280, 205, 425, 4, 151, 108, 337, 10, 69, 299, 9, 187, 411, 195] as const
/**
 * A lens is bluer than skin by more than this, times its brightness in that of the skin. So the darker a lens is, the
 * less blue it needs, and a blue reflection on clear glasses, through which skin shines, is not enough.
 */
const bluer = 0.12

function measureBlueness([r, g, b]: Colour): number {
  return (b + black) / (r + g + b + black)
}

function findMedian(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** Returns the places at which a row of pixels enters and leaves an outline, alternately. */
function findCrossings(outline: readonly Point[], y: number): number[] {
  return outline
    .flatMap(([ax, ay], i) => {
      const [bx, by] = outline[(i + 1) % outline.length] ?? [ax, ay]
      return ay > y === by > y ? [] : [ax + ((bx - ax) * (y - ay)) / (by - ay)]
    })
    .sort((one, other) => one - other)
}

/** Reads the pixels within an outline. */
function readColours({ rgb }: UprightFace, outline: readonly Point[]): Colour[] {
  const found: Colour[] = []
  for (let y = 0; y < uprightSide; y++) {
    const crossings = findCrossings(outline, y)
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const end = Math.min(uprightSide, crossings[i + 1] ?? 0)
      for (let x = Math.max(0, Math.ceil(crossings[i] ?? 0)); x < end; x++) {
        const at = 3 * (y * uprightSide + x)
        found.push([rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0])
      }
    }
  }
  return found
}

/** Returns the share of the skin behind a glass that has the colour of a lens, 0 to 1, at the eye where it is less. */
export function measureLensColour(face: UprightFace): number {
  const bare = skin.map(index => readColour(face, index))
  const blueness = findMedian(bare.map(measureBlueness))
  const brightness = findMedian(bare.map(toBrightness))
  const isLens = (colour: Colour): boolean =>
    measureBlueness(colour) - blueness > (bluer * toBrightness(colour)) / brightness
  const shares = lensOutlines.map(outline => {
    const colours = readColours(
      face,
      outline.map(index => face.points[index] ?? [0, 0]),
    )
    return colours.filter(isLens).length / (colours.length || 1)
  })
  return Math.min(...shares)
}
