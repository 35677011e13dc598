import { seeded } from './random.ts'

/** An RGB colour, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number]

/**
 * The shape and the colours by which a head is that person's. Lengths are in half head widths (about 7.5 cm), measured
 * from the middle between the eyes: x to the picture's right, y downwards, z towards the viewer.
 */
export interface Person {
  readonly seed: number
  readonly headHeight: number
  readonly jaw: number
  readonly chin: number
  readonly cheeks: number
  readonly eyeDistance: number
  readonly eyeWidth: number
  readonly eyeHeight: number
  readonly eyeSlant: number
  readonly browHeight: number
  readonly browThickness: number
  readonly browArch: number
  readonly noseLength: number
  readonly noseWidth: number
  readonly noseDepth: number
  readonly noseBridge: number
  readonly mouthHeight: number
  readonly mouthWidth: number
  readonly upperLip: number
  readonly lowerLip: number
  readonly hairline: number
  readonly hair: 'bald' | 'short' | 'full' | 'long'
  readonly beard: number
  readonly moustache: number
  readonly age: number
  readonly freckles: number
  /** Thickness of the frames of the glasses; 0 for none. */
  readonly glasses: number
  readonly skin: Colour
  readonly hairColour: Colour
  readonly lipColour: Colour
  readonly eyeColour: Colour
  readonly clothes: Colour
}

const skins: readonly Colour[] = [
  [250, 218, 200],
  [232, 190, 160],
  [216, 168, 134],
  [190, 138, 102],
  [150, 102, 74],
  [112, 74, 56],
  [78, 50, 40],
]
const darkHair: readonly Colour[] = [
  [28, 22, 20],
  [52, 36, 28],
]
const anyHair: readonly Colour[] = [
  ...darkHair,
  [104, 68, 40],
  [150, 84, 44],
  [196, 158, 100],
  [168, 164, 160],
  [216, 212, 206],
]
const irises: readonly Colour[] = [
  [84, 54, 32],
  [58, 38, 26],
  [92, 116, 134],
  [96, 112, 72],
]
const garments: readonly Colour[] = [
  [46, 58, 84],
  [122, 44, 48],
  [60, 96, 82],
  [198, 196, 190],
  [44, 44, 48],
]

/**
 * Invents a person. Everything about them follows from `seed`, any integer. Two seeds at random often look alike to the
 * models (61 % of pairs lie within 0.6 of each other): use `personSeeds` if people must differ.
 */
export function person(seed: number): Person {
  const { next, between, below } = seeded(seed)
  const one = <T>(list: readonly [T, ...T[]] | readonly T[], fallback: T): T => list[below(list.length)] ?? fallback
  const tone = below(skins.length)
  const skin = skins[tone] ?? [216, 168, 134]
  const male = next() < 0.5
  const hair = male
    ? one(['bald', 'short', 'short', 'full'] as const, 'short')
    : one(['full', 'long', 'long'] as const, 'long')
  const hairs = tone < 3 ? anyHair : darkHair
  return {
    seed,
    headHeight: between(1.2, 1.7),
    jaw: between(0, 0.48),
    chin: between(0, 0.3),
    cheeks: between(-0.06, 0.18),
    eyeDistance: between(0.33, 0.5),
    eyeWidth: between(0.13, 0.25),
    eyeHeight: between(0.045, 0.13),
    eyeSlant: between(-0.28, 0.28),
    browHeight: between(0.15, 0.37),
    browThickness: male ? between(0.035, 0.11) : between(0.012, 0.05),
    browArch: between(-0.03, 0.12),
    noseLength: between(0.38, 0.76),
    noseWidth: between(0.08, 0.27),
    noseDepth: between(0.22, 0.52),
    noseBridge: between(0, 0.24),
    mouthHeight: between(0.2, 0.42),
    mouthWidth: between(0.22, 0.48),
    upperLip: between(0.015, 0.13),
    lowerLip: between(0.03, 0.17),
    hairline: between(-1.05, -0.55),
    hair,
    beard: male && next() < 0.5 ? between(0.35, 1) : 0,
    moustache: male && next() < 0.4 ? between(0.4, 0.95) : 0,
    age: next(),
    freckles: tone < 3 && next() < 0.25 ? next() : 0,
    glasses: next() < 0.25 ? between(0.4, 1) : 0,
    skin,
    hairColour: one(hairs, [52, 36, 28]),
    lipColour: [skin[0] * between(0.68, 0.95), skin[1] * between(0.3, 0.75), skin[2] * between(0.35, 0.78)],
    eyeColour: tone < 3 ? one(irises, [84, 54, 32]) : [58, 38, 26],
    clothes: one(garments, [46, 58, 84]),
  }
}

/**
 * Seeds of people whom the embedding keeps apart: every two of them lie more than 0.6 from each other, so that each of
 * them is another person to the analysis too (measured by packages/vision/test/synthetic/portrait.long.ts).
 */
export const personSeeds: readonly number[] = [15, 18, 52, 341, 196, 372]
