import type { Random } from './random.ts'

/** What went wrong, or not, while the photo was taken. */
export type PhotoCondition =
  | 'clean'
  | 'typical'
  | 'blurred'
  | 'tilted'
  | 'side_light'
  | 'glare'
  | 'small'
  | 'upside_down'

/** Every condition, for benches and tests. */
export const photoConditions: readonly PhotoCondition[] = [
  'clean',
  'typical',
  'blurred',
  'tilted',
  'side_light',
  'glare',
  'small',
  'upside_down',
]

/** All that a simulated camera does to a picture. */
export interface Taking {
  /** Share of the frame that the document fills. */
  readonly fill: number
  /** Degrees in the picture's plane. */
  readonly turn: number
  /** How far each corner strays, as a share of the document's width. */
  readonly perspective: number
  /** Standard deviation of the blur, as a share of the picture's width. */
  readonly blur: number
  /** How much darker the far side is, 0 to 1. */
  readonly shade: number
  /** Strength of the reflection, 0 to 1. */
  readonly glare: number
  readonly noise: number
  readonly quality: number
}

const takings: Readonly<Record<PhotoCondition, (random: Random) => Partial<Taking>>> = {
  clean: () => ({ turn: 0, perspective: 0.004, blur: 0, shade: 0.03, noise: 1.5, quality: 94 }),
  typical: () => ({}),
  blurred: random => ({ blur: random.between(0.0009, 0.0014) }),
  tilted: random => ({ turn: random.between(7, 16) * (random.next() < 0.5 ? -1 : 1), perspective: 0.07, fill: 0.76 }),
  side_light: random => ({ shade: random.between(0.45, 0.65) }),
  glare: random => ({ glare: random.between(0.35, 0.75) }),
  small: random => ({ fill: random.between(0.48, 0.58) }),
  upside_down: random => ({ turn: 180 + random.between(-4, 4) }),
}

/** How a photo in `condition` turns out. */
export const taking = (condition: PhotoCondition, random: Random): Taking => ({
  fill: random.between(0.78, 0.9),
  turn: random.between(-4, 4),
  perspective: random.between(0.01, 0.035),
  blur: random.between(0.0001, 0.0006),
  shade: random.between(0.08, 0.3),
  glare: 0,
  noise: random.between(2, 5),
  quality: Math.round(random.between(78, 92)),
  ...takings[condition](random),
})
