import { type Coarse, findThing, type Thing } from './thing.ts'

/** A picture made small twice: its brightness, to see edges, and its colours, to see where things are. */
export interface Probe {
  readonly grey: { readonly data: Uint8Array; readonly width: number; readonly height: number }
  readonly coarse: Coarse
}

/** Longer sides of a probe in pixels: the first shows a blur that costs a reading, the second a document on a table. */
export const probe_sides = { grey: 800, coarse: 80 } as const

/** What is pictured; a frame of a challenge is a selfie. */
export type Subject = 'document' | 'selfie'

/** What is measured of a picture. Brightness is 0 to 255, shares are 0 to 1. */
export interface Quality {
  /** How wide its sharpest edges are, in pixels of the grey probe; null where it shows none. */
  readonly edge_width: number | null
  /** Its lightest and darkest tenth: of a document what lies on a plain ground, else the picture's middle. */
  readonly light: number
  readonly dark: number
  /** The share of the same that is burnt out. */
  readonly burnt: number
  /** The document on a plain ground; null where that can't be told, and for a selfie. */
  readonly thing: Thing | null
}

/** Blocks of this many pixels: a few letters, or an eye. Every other one is looked at. */
const block = 16
/** Less contrast than this is no edge. */
const least_contrast = 40
const least_edges = 4

/** One block's contrast, and its steepest steps across and down, a pixel apart. */
type Steps = readonly [contrast: number, across: number, down: number]

const stepsOf = ({ data, width }: Probe['grey'], left: number, top: number): Steps => {
  let [low, high, across, down] = [255, 0, 0, 0]
  for (let y = top; y < top + block; y++) {
    for (let at = y * width + left; at < y * width + left + block; at++) {
      const here = data[at] ?? 0
      if (here < low) low = here
      if (here > high) high = here
      across = Math.max(across, Math.abs(here - (data[at - 2] ?? 0)))
      down = Math.max(down, Math.abs(here - (data[at - 2 * width] ?? 0)))
    }
  }
  return [high - low, across / 2, down / 2]
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

/**
 * Contrast over the steepest step tells an edge's width whatever its contrast. The sharpest quarter of the strongest
 * edges counts, in the direction in which they are wider: a picture that moved stays sharp in the other.
 */
const edgeWidth = (grey: Probe['grey']): number | null => {
  const edges: Steps[] = []
  for (let y = 2, odd = 0; y + block <= grey.height; y += block, odd ^= block)
    for (let x = 2 + odd; x + block <= grey.width; x += 2 * block) {
      const steps = stepsOf(grey, x, y)
      if (steps[0] >= least_contrast) edges.push(steps)
    }
  if (edges.length < least_edges) return null
  const least = quantile(
    edges.map(([contrast]) => contrast),
    0.7,
  )
  const strong = edges.filter(([contrast]) => contrast >= least)
  const width = (direction: 1 | 2): number =>
    quantile(
      strong.map(steps => steps[0] / Math.max(steps[direction], 1)),
      0.25,
    )
  return Math.max(width(1), width(2))
}

/** Brighter than this in every channel, a sensor tells nothing apart. */
const burnt_out = 245

/** The middle, where a person holds what is meant. */
const isMiddle = ({ width, height }: Coarse, index: number): boolean =>
  Math.abs(((index % width) + 0.5) / width - 0.5) < 0.3 && Math.abs((index / width + 0.5) / height - 0.5) < 0.3

/** Measures a probe: about three milliseconds, whatever the picture. */
export const measureQuality = (subject: Subject, { grey, coarse }: Probe): Quality => {
  const thing = subject === 'document' ? findThing(coarse) : null
  const brightness: number[] = []
  let burnt = 0
  for (let index = 0; index < coarse.width * coarse.height; index++) {
    if (thing === null ? !isMiddle(coarse, index) : thing.mask[index] === 0) continue
    const [red, green, blue] = [
      coarse.data[index * 3] ?? 0,
      coarse.data[index * 3 + 1] ?? 0,
      coarse.data[index * 3 + 2] ?? 0,
    ]
    brightness.push(0.3 * red + 0.59 * green + 0.11 * blue)
    if (Math.min(red, green, blue) >= burnt_out) burnt++
  }
  return {
    edge_width: edgeWidth(grey),
    light: quantile(brightness, 0.9),
    dark: quantile(brightness, 0.1),
    burnt: burnt / Math.max(brightness.length, 1),
    thing,
  }
}
