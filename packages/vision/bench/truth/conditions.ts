import { type Chance, chance } from './random.ts'

/** A range from which a case draws. */
type Range = readonly [low: number, high: number]

/**
 * The faults that a phone, a hand and the light around give a photo. Lengths of blur are in character pitches of the
 * zone (2.54 mm on the document), so that a condition means the same at every resolution.
 */
export interface Taking {
  /** Pixels from one character to the next, in the part of the document that is nearest to the middle. */
  readonly pitch: number
  /** Share of the frame that the document fills. */
  readonly fill: number
  /** Turn in the picture's plane, and tilts about the document's long and short axis, in degrees. */
  readonly roll: number
  readonly tip: number
  readonly swing: number
  /** Height of the page's bow, as a share of its width. */
  readonly bow: number
  /** Radius of the defocus disc, and length of the hand's path, in pitches. */
  readonly defocus: number
  readonly motion: number
  /** Darkening of the far side, and darkness of a hard-edged shadow; 0 to 1. */
  readonly falloff: number
  readonly shadow: number
  /** Strength of a reflection (1 burns out), and its share of the zone's width; 0 to 1. */
  readonly glare: number
  readonly glare_size: number
  /** Whether the reflection lies on the zone; otherwise it is anywhere on the document. */
  readonly glare_on_zone: boolean
  /** Noise of a middle grey in grey levels (Poisson, with coarser noise of colour). */
  readonly noise: number
  /** Strength of the phone's own sharpening, which leaves halos; 0 for none. */
  readonly sharpening: number
  /** Quality of the JPEG, 1 to 100. */
  readonly quality: number
  /** Share of the zone's width that lies outside the frame. */
  readonly cut: number
  readonly busy: boolean
  readonly bad_print: boolean
}

type Ranges = { readonly [Key in keyof Taking]?: Taking[Key] extends boolean ? true : Range }

const typical = {
  pitch: [18, 44],
  fill: [0.62, 0.94],
  roll: [-6, 6],
  tip: [-9, 9],
  swing: [-9, 9],
  bow: [0, 0.008],
  defocus: [0, 0.06],
  motion: [0, 0.05],
  falloff: [0.05, 0.35],
  shadow: [0, 0],
  glare: [0, 0],
  glare_size: [0, 0],
  noise: [1, 6],
  sharpening: [0, 1.2],
  quality: [72, 92],
  cut: [0, 0],
} as const satisfies Ranges

/** Ranges by condition; those that one leaves out are as in `typical`. */
export const conditionRanges = {
  clean: {
    roll: [-1, 1],
    tip: [-2, 2],
    swing: [-2, 2],
    bow: [0, 0],
    defocus: [0, 0.02],
    motion: [0, 0],
    falloff: [0, 0.08],
    noise: [0.5, 2],
    quality: [88, 95],
  },
  typical: {},
  blurred: { defocus: [0.12, 0.2] },
  motion: { motion: [0.16, 0.34] },
  tilted: { tip: [14, 27], swing: [12, 24], roll: [-22, 22], fill: [0.55, 0.75] },
  side_light: { falloff: [0.5, 0.75] },
  shadow: { shadow: [0.35, 0.65] },
  glare: { glare: [0.35, 0.75], glare_size: [0.1, 0.3], glare_on_zone: true },
  small: { pitch: [13, 17], fill: [0.3, 0.6] },
  tiny: { pitch: [9.5, 12.5], fill: [0.6, 0.94], defocus: [0, 0.03], motion: [0, 0.03] },
  upside_down: { roll: [170, 190] },
  sideways: { roll: [82, 98] },
  curved: { bow: [0.015, 0.035] },
  noisy: { noise: [11, 20], falloff: [0.2, 0.5] },
  compressed: { quality: [45, 60] },
  busy: { busy: true },
  bad_print: { bad_print: true },
  large: { pitch: [58, 88], quality: [80, 92] },
} as const satisfies Readonly<Record<string, Ranges>>

/** A condition in which an honest reader should succeed. */
export type UsableCondition = keyof typeof conditionRanges

/** A condition by name. `unusable` may be refused and must not be misread. */
export type Condition = UsableCondition | 'unusable'

/** Photos that are beyond reading, defined by their parameters and not by a reader's failure. */
export const unusableRanges: readonly [Ranges, ...Ranges[]] = [
  { pitch: [3, 5.5] },
  { defocus: [0.5, 0.9] },
  { motion: [0.9, 1.8] },
  { glare: [1.3, 2.2], glare_size: [0.3, 0.6], glare_on_zone: true },
  { cut: [0.08, 0.35] },
  { noise: [60, 90], quality: [40, 55] },
]

/** Every condition, in the order of the tables. */
export const conditions: readonly Condition[] = [...(Object.keys(conditionRanges) as UsableCondition[]), 'unusable']

const either = new Set(['tip', 'swing'])

/** Draws the photo of a case from the condition's ranges by the seed. */
export function takingOf(condition: Condition, seed: number): Taking {
  const random: Chance = chance(seed, `taking ${condition}`)
  const own: Ranges = condition === 'unusable' ? random.pick(unusableRanges) : conditionRanges[condition]
  const draw = (key: keyof typeof typical): number => {
    const [low, high] = own[key] ?? typical[key]
    const value = random.between(low, high)
    return either.has(key) && random.happens(0.5) ? -value : value
  }
  return {
    pitch: draw('pitch'),
    fill: draw('fill'),
    roll: draw('roll'),
    tip: draw('tip'),
    swing: draw('swing'),
    bow: draw('bow'),
    defocus: draw('defocus'),
    motion: draw('motion'),
    falloff: draw('falloff'),
    shadow: draw('shadow'),
    glare: draw('glare'),
    glare_size: draw('glare_size'),
    glare_on_zone: own.glare_on_zone ?? false,
    noise: draw('noise'),
    sharpening: draw('sharpening'),
    quality: Math.round(draw('quality')),
    cut: draw('cut'),
    busy: own.busy ?? random.happens(0.06),
    bad_print: own.bad_print ?? false,
  }
}
