import type { Random } from './random.ts'

/** Every condition of a photo, for benches and tests, with or without a fault. */
export const photoConditions = [
  'clean',
  'typical',
  'blurred',
  'motion',
  'tilted',
  'side_light',
  'shadow',
  'glare',
  'small',
  'upside_down',
  'noisy',
  'compressed',
  'busy',
  'curved',
  'low_resolution',
  'unusable',
] as const

/** One of `photoConditions`. A photo that is `unusable` may be refused, but must never be misread. */
export type PhotoCondition = (typeof photoConditions)[number]

/** Everything that a simulated camera does to a picture. */
export interface Taking {
  /** Share of the frame that the document fills. */
  readonly fill: number
  /** Distance of the document's middle from the frame's, in shares of the frame. */
  readonly offset: readonly [x: number, y: number]
  /** Angle in the picture's plane, in degrees. */
  readonly turn: number
  /** The most that each corner strays, as a share of the document's width. */
  readonly perspective: number
  /** Height of the bow in a page's middle, as a share of the page's height; a card hardly bends. */
  readonly bow: number
  /** Standard deviation of the blur, as a share of the picture's width. */
  readonly blur: number
  /** Length of the hand's movement, as a share of the picture's width. */
  readonly motion: number
  /** Darkening of the far side, 0 to 1. */
  readonly shade: number
  /** Darkness of the shadow of a hand, 0 to 1. */
  readonly shadow: number
  /** Strength of the reflection, 0 to 1, and its size. */
  readonly glare: number
  readonly glareSize: number
  readonly noise: number
  /** Quality of the JPEG, 1 to 100. */
  readonly quality: number
  /** Whether the table has a loud pattern or a printed page on it. */
  readonly busy: boolean
  /** Width of the picture in pixels, if the condition sets it. */
  readonly width: number | null
}

function side(random: Random): 1 | -1 {
  return random.next() < 0.5 ? -1 : 1
}

const unusable: readonly ((random: Random) => Partial<Taking>)[] = [
  random => ({ blur: random.between(0.0035, 0.007) }),
  random => ({ motion: random.between(0.012, 0.03) }),
  random => ({ glare: random.between(1.2, 2), glareSize: random.between(1.8, 2.6) }),
  random => ({ noise: random.between(45, 80), quality: 40 }),
  random => ({ offset: [side(random) * random.between(0.2, 0.35), 0] }),
  random => ({ offset: [0, random.between(0.15, 0.3)] }),
  random => ({ fill: random.between(0.15, 0.25), width: 1200 }),
  random => ({ bow: random.between(0.2, 0.35) }),
]

const takings: Readonly<Record<PhotoCondition, (random: Random) => Partial<Taking>>> = {
  clean: () => ({ turn: 0, perspective: 0.004, bow: 0, blur: 0, motion: 0, shade: 0.03, noise: 1.5, quality: 94 }),
  typical: () => ({}),
  blurred: random => ({ blur: random.between(0.0009, 0.0015) }),
  motion: random => ({ motion: random.between(0.002, 0.0042) }),
  tilted: random => ({ turn: random.between(7, 20) * side(random), perspective: 0.075, fill: 0.76 }),
  side_light: random => ({ shade: random.between(0.45, 0.7) }),
  shadow: random => ({ shadow: random.between(0.35, 0.65), shade: random.between(0.1, 0.4) }),
  glare: random => ({ glare: random.between(0.35, 0.8), glareSize: random.between(0.8, 1.4) }),
  small: random => ({ fill: random.between(0.42, 0.56) }),
  upside_down: random => ({ turn: 180 + random.between(-6, 6) }),
  noisy: random => ({ noise: random.between(10, 20) }),
  compressed: random => ({ quality: Math.round(random.between(35, 60)) }),
  busy: () => ({ busy: true }),
  curved: random => ({ bow: random.between(0.02, 0.05) * side(random) }),
  low_resolution: () => ({ width: 640 }),
  unusable: random => (unusable[random.below(unusable.length)] ?? unusable[0])?.(random) ?? {},
}

/** Draws the setting of a photo in `condition`. */
export function taking(condition: PhotoCondition, random: Random): Taking {
  return {
    fill: random.between(0.76, 0.9),
    offset: [random.between(-0.02, 0.02), random.between(-0.02, 0.02)],
    turn: random.between(-5, 5),
    perspective: random.between(0.01, 0.04),
    bow: random.between(-0.008, 0.008),
    blur: random.between(0.0001, 0.0007),
    motion: random.between(0, 0.0008),
    shade: random.between(0.08, 0.35),
    shadow: 0,
    glare: 0,
    glareSize: 1,
    noise: random.between(2, 7),
    quality: Math.round(random.between(70, 92)),
    busy: false,
    width: null,
    ...takings[condition](random),
  }
}
