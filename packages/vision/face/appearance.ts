import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import { landmarkIndex } from './landmarks.ts'
import { measureLensColour } from './lens_colour.ts'
import { black, type Colour, readBrightness, readColour, toBrightness, type UprightFace } from './upright.ts'

/**
 * The look of the parts of a face, in units of the skin's own brightness, so that light and complexion hardly matter.
 */
export interface Appearance {
  /** Brightness below the eyes plus twice their contrast, each at the better eye; both are low behind a dark lens. */
  readonly eyesSeen: number
  /** The share of the cheeks below the eyes that is bluer for its brightness than the person's skin, 0 to 1. */
  readonly lensColour: number
  /** The largest distance of the lips' chromaticity from that around them. A hand or a mask hides the lips. */
  readonly lipColour: number
  /** Spread of brightness from the nose's base over the lips to the chin. */
  readonly mouthContrast: number
  /** Mean difference of the colour channels divided by their sum: 0 for a picture without colour. */
  readonly colourfulness: number
}

/** FaceMesh's indices of bare skin: forehead, both upper cheeks; and around the mouth: lip, chin, both corners. */
const upperSkin = [151, 108, 337, 50, 280] as const
const aroundMouth = [164, 199, 212, 432] as const
const lipLine = [164, 18] as const
const lips = [0, 17, 37, 267, 84, 314, 181, 405] as const
const belowEyes = [
  [229, 230, 231],
  [449, 450, 451],
] as const
/** Cheeks and the nose's tip, which no glasses cover. */
const bareSkin = [50, 280, 205, 425, 4] as const
function averageColours(colours: readonly Colour[]): Colour {
  const mean = (c: 0 | 1 | 2): number => colours.reduce((sum, colour) => sum + colour[c], 0) / colours.length
  return [mean(0), mean(1), mean(2)]
}

function toChromaticity([r, g, b]: Colour): Point {
  const sum = r + g + b + black
  return [r / sum, g / sum]
}

function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

/** Returns the mean brightness of strips across a line, from `start` to `end` of its way. */
function readProfile(
  face: UprightFace,
  [[ax, ay], [bx, by]]: readonly [Point, Point],
  { start, end, steps }: { readonly start: number; readonly end: number; readonly steps: number },
  across: readonly number[],
): number[] {
  const length = Math.hypot(bx - ax, by - ay) || 1
  const nx = -(by - ay) / length
  const ny = (bx - ax) / length
  return Array.from({ length: steps }, (_, i) => {
    const t = start + ((end - start) * i) / (steps - 1)
    const x = ax + (bx - ax) * t
    const y = ay + (by - ay) * t
    return (
      across.reduce((sum, by_) => sum + readBrightness(face, [x + nx * by_ * length, y + ny * by_ * length]), 0) /
      across.length
    )
  })
}

const eyeLine = { start: 0.15, end: 0.85, steps: 15 }
const mouthLine = { start: 0, end: 1, steps: 24 }

function measureColourfulness({ rgb }: UprightFace): number {
  let sum = 0
  for (let at = 0; at < rgb.length; at += 3) {
    const r = rgb[at] ?? 0
    const g = rgb[at + 1] ?? 0
    const b = rgb[at + 2] ?? 0
    sum += (Math.abs(r - g) + Math.abs(g - b)) / (r + g + b + black)
  }
  return sum / (rgb.length / 3)
}

/** Measures the look of a face. */
export function measureAppearance(face: UprightFace): Appearance {
  const point = (index: number): Point => face.points[index] ?? [0, 0]
  const meanAt = (indices: readonly number[]): Colour => averageColours(indices.map(index => readColour(face, index)))
  const lower = meanAt(aroundMouth)
  const skin = toBrightness(meanAt(upperSkin))
  const bare = toBrightness(meanAt(bareSkin))
  const eye = (outer: number, inner: number): number =>
    standardDeviation(readProfile(face, [point(outer), point(inner)], eyeLine, [-0.06, -0.03, 0, 0.03, 0.06])) / skin
  const farthest = (indices: readonly number[], from: Colour): number =>
    Math.max(...indices.map(index => measureDistance(toChromaticity(readColour(face, index, 1)), toChromaticity(from))))
  const mouth = readProfile(face, [point(lipLine[0]), point(lipLine[1])], mouthLine, [-0.15, -0.05, 0.05, 0.15])
  return {
    eyesSeen:
      Math.max(...belowEyes.map(indices => toBrightness(meanAt(indices)) / bare)) +
      2 *
        Math.max(
          eye(landmarkIndex.left_eye_outer, landmarkIndex.left_eye_inner),
          eye(landmarkIndex.right_eye_outer, landmarkIndex.right_eye_inner),
        ),
    lensColour: measureLensColour(face),
    lipColour: farthest(lips, lower),
    mouthContrast: standardDeviation(mouth) / skin,
    colourfulness: measureColourfulness(face),
  }
}
