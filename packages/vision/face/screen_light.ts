import type { Measured, ScreenColour } from '@attestor/rules'
import type { Point } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import type { Landmarks } from './landmarks.ts'
import { reportedThreshold } from './thresholds.ts'

/** The logarithms of red and of blue over green. */
export type Tint = readonly [red: number, blue: number]

/** sRGB's values in linear light (IEC 61966-2-1): there, the light of a lamp and that of a screen add up. */
const linear = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
})

/** Landmarks of the forehead and of both cheeks. */
const skin = [
  [151, 9, 108, 337, 69, 299, 67, 297, 107, 336],
  [50, 205, 36, 117, 118, 101, 123, 187],
  [280, 425, 266, 346, 347, 330, 352, 411],
] as const

/** Beyond these, a channel is cut off or mostly noise. */
const darkest = 10
const brightest = 250
/**
 * Half a patch of skin, in widths of the face, and the distances from its middle and above it at which the background
 * begins.
 */
const patchReach = 0.035
const aside = 1
const above = 0.6
/** Number of places of the background across the picture, and the least that must be seen. */
const columns = 96
const minPlaces = 50

/** Byte offsets of the sampled pixels. */
type Offsets = readonly number[]

/** Returns the mean colour of the sampled pixels, in linear light; null if too few are neither dark nor burnt out. */
function readTint({ data }: RgbImage, places: Offsets, least: number): Tint | null {
  let [seen, red, green, blue] = [0, 0, 0, 0]
  for (let n = 0; n < places.length; n++) {
    const at = places[n] as number
    const r = data[at] as number
    const g = data[at + 1] as number
    const b = data[at + 2] as number
    const most = Math.max(r, g, b)
    if (most < darkest || most >= brightest) continue
    red += linear[r] as number
    green += linear[g] as number
    blue += linear[b] as number
    seen++
  }
  return seen < least || Math.min(red, green, blue) <= 0 ? null : [Math.log(red / green), Math.log(blue / green)]
}

function listBackground({ width, height }: RgbImage, points: readonly Point[]): Offsets {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  // A turn narrows a face, and leaves its height.
  const face = Math.max(right - left, 0.75 * (bottom - top))
  const step = Math.max(1, Math.round(width / columns))
  const places: number[] = []
  for (let y = 0; y < height; y += step)
    for (let x = 0; x < width; x += step)
      if (y < top - above * face || (Math.abs(x - (left + right) / 2) > aside * face && y < bottom))
        places.push(3 * (y * width + x))
  return places
}

/** Lists the offsets of the square around a landmark, as far as it lies in the picture. */
function listAround({ width, height }: RgbImage, [px, py]: Point, reach: number): Offsets {
  const [left, right] = [Math.round(px) - reach, Math.round(px) + reach]
  const [top, bottom] = [Math.round(py) - reach, Math.round(py) + reach]
  const places: number[] = []
  for (let y = Math.max(0, top); y <= Math.min(height - 1, bottom); y++)
    for (let x = Math.max(0, left); x <= Math.min(width - 1, right); x++) places.push(3 * (y * width + x))
  return places
}

/**
 * Measures the colour of forehead and cheeks, each as much as the others, over that of the background: a camera's
 * exposure and white balance change both. Null if there is no background, or no skin, that is neither dark nor burnt
 * out.
 */
export function measureTint(pixels: RgbImage, { points }: Pick<Landmarks, 'points'>): Tint | null {
  const ys = points.map(([, y]) => y)
  const reach = Math.max(1, Math.round(patchReach * 0.75 * (Math.max(...ys) - Math.min(...ys))))
  const tints = skin.map(spots =>
    readTint(
      pixels,
      spots.flatMap(spot => listAround(pixels, points[spot] ?? [0, 0], reach)),
      1,
    ),
  )
  const behind = readTint(pixels, listBackground(pixels, points), minPlaces)
  if (behind === null || tints.includes(null)) return null
  const mean = (axis: 0 | 1): number => tints.reduce((sum, tint) => sum + (tint?.[axis] ?? 0), 0) / tints.length
  return [mean(0) - behind[0], mean(1) - behind[1]]
}

/**
 * The direction in which each colour changes the skin: a screen that shows cyan adds green and blue to the other light.
 */
const directions: Readonly<Record<ScreenColour, Tint>> = { CYAN: [-1, 0], MAGENTA: [1, 1], YELLOW: [0, -1] }

/** Fewer frames follow some order by chance. */
const minFrames = 4
/**
 * The least correlation with the order that the skin follows best, and the least change in logarithms. Below either of
 * them the light can't be distinguished from noise.
 */
const minFit = 0.93
const minShift = 0.08

function centre(tints: readonly Tint[]): readonly number[] {
  return ([0, 1] as const).flatMap(axis => {
    const mean = tints.reduce((sum, tint) => sum + tint[axis], 0) / tints.length
    return tints.map(tint => tint[axis] - mean)
  })
}

function multiply(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
}

/** Lists every order of colours that a challenge may have. */
function listOrders(count: number): readonly (readonly ScreenColour[])[] {
  if (count === 0) return [[]]
  const colours = Object.keys(directions) as ScreenColour[]
  return listOrders(count - 1).flatMap(order =>
    colours.filter(colour => colour !== order.at(-1)).map(colour => [...order, colour]),
  )
}

/** Compares the skin's changes with an order of colours: returns the correlation, and the change in logarithms. */
function follow(changes: readonly number[], order: readonly ScreenColour[]): { fit: number; shift: number } {
  const expected = centre(order.map(colour => directions[colour]))
  const both = multiply(changes, expected)
  const square = multiply(expected, expected)
  return { fit: both / Math.sqrt(multiply(changes, changes) * square), shift: both / square }
}

/** A frame, with the colour that its screen showed. */
export interface LitFrame {
  readonly tint: Tint | null
  readonly colour: ScreenColour | null
}

/**
 * Returns the correlation of the skin's colour with the colours that the screen showed. Null if a frame has no colour,
 * or if the skin follows no order well: other light outshines the screen, or the frames were not taken before one.
 */
export function measureScreenLight(frames: readonly LitFrame[]): Measured | null {
  const tints = frames.flatMap(({ tint }) => (tint ? [tint] : []))
  const shown = frames.flatMap(({ colour }) => colour ?? [])
  if (frames.length < minFrames || tints.length < frames.length || shown.length < frames.length) return null
  const changes = centre(tints)
  const [best] = listOrders(frames.length)
    .map(order => follow(changes, order))
    .sort((one, other) => other.fit - one.fit)
  if (best === undefined || !(best.fit >= minFit && best.shift >= minShift)) return null
  return { score: follow(changes, shown).fit, threshold: reportedThreshold.screenLight }
}
