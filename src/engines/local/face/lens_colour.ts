import type { Point } from '../geometry/pixels.ts'
import { readColour, type UprightFace, uprightSide } from './upright.ts'

/** FaceMesh's indices around the area that a lens covers, from below the brow to the upper cheek, for each eye. */
const lensOutlines = [
  [225, 224, 223, 222, 221, 189, 244, 128, 121, 120, 119, 118, 117, 111, 35, 226],
  [445, 444, 443, 442, 441, 413, 464, 357, 350, 349, 348, 347, 346, 340, 265, 446],
] as const
/** Cheeks, nose, forehead, jaw: skin in more than one light. */
const skin = [50, 280, 205, 425, 4, 151, 108, 337, 10, 69, 299, 9, 187, 411, 195] as const
/** Skin below the eyes is at most this much bluer than elsewhere; a lens is bluer, unless it is tinted red or mirrors skin. */
const bluer = 0.03
/** Added to a pixel's sum: otherwise noise would dominate the shares of a nearly black picture. */
const black = 12

function measureBlueness(r: number, g: number, b: number): number {
  return (b + black) / (r + g + b + black)
}

function findMedian(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** Where a row of pixels enters and leaves an outline, alternately. */
function findCrossings(outline: readonly Point[], y: number): number[] {
  return outline
    .flatMap(([ax, ay], i) => {
      const [bx, by] = outline[(i + 1) % outline.length] ?? [ax, ay]
      return ay > y === by > y ? [] : [ax + ((bx - ax) * (y - ay)) / (by - ay)]
    })
    .sort((one, other) => one - other)
}

/** Blueness of each pixel within an outline. */
function readBlueness({ rgb }: UprightFace, outline: readonly Point[]): number[] {
  const found: number[] = []
  for (let y = 0; y < uprightSide; y++) {
    const crossings = findCrossings(outline, y)
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const end = Math.min(uprightSide, crossings[i + 1] ?? 0)
      for (let x = Math.max(0, Math.ceil(crossings[i] ?? 0)); x < end; x++) {
        const at = 3 * (y * uprightSide + x)
        found.push(measureBlueness(rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0))
      }
    }
  }
  return found
}

/** How much of what glasses would cover is bluer than the person's skin, 0 to 1: dark and mirrored lenses are. */
export function measureLensColour(face: UprightFace): number {
  const limit = findMedian(skin.map(index => measureBlueness(...readColour(face, index)))) + bluer
  const pixels = lensOutlines.flatMap(outline =>
    readBlueness(
      face,
      outline.map(index => face.points[index] ?? [0, 0]),
    ),
  )
  return pixels.filter(blueness => blueness > limit).length / (pixels.length || 1)
}
