import sharp from 'sharp'
import { type PortraitPose, person, renderPortrait } from '../../synthetic/portrait.ts'
import { type Condition, type Taking, takingOf } from './conditions.ts'
import { illuminate, lightOf, tintOf } from './light.ts'
import { type Chance, chance } from './random.ts'
import { expose } from './sensor.ts'

/**
 * Heads that differ as people do: of 320 from the seed 1,000,000 on, these ten lie more than 0.6 from each other in the
 * embedding, in a plain picture. Drawn heads are far more alike than people (24 % of all pairs lie within 0.5), so that
 * without this choice a count of false matches would be one of the drawing. With it, the count shows the effect of
 * light, blur, print and camera on faces that differ; it shows nothing about look-alikes.
 */
export const headSeeds: readonly [number, ...number[]] = [
  1_000_055, 1_000_064, 1_000_107, 1_000_178, 1_000_179, 1_000_193, 1_000_222, 1_000_236, 1_000_240, 1_000_299,
]

/** Returns the head of a case. */
export function headOf(at: number): number {
  return headSeeds[at % headSeeds.length] ?? headSeeds[0]
}

type Colour = readonly [red: number, green: number, blue: number]

const backgrounds: readonly [Colour, ...Colour[]] = [
  [206, 212, 216],
  [170, 150, 130],
  [120, 140, 120],
  [228, 224, 214],
  [96, 104, 124],
]

/** Draws the picture that an issuer prints, PNG: from far, evenly lit, at rest. */
export function issuedPortrait(head: number, seed: number): Promise<Buffer> {
  const random = chance(seed, 'issued')
  const pose: PortraitPose = {
    distance: random.between(6, 10),
    headWidth: random.between(0.55, 0.66),
    turn: random.between(-0.05, 0.05),
    light: { side: random.between(-0.15, 0.15), strength: random.between(0.9, 1.1) },
  }
  return renderPortrait(person(head), pose, { width: 420, height: 540 })
}

/** Size of a selfie, in pixels. */
const size = { width: 540, height: 720 }

/** Share of the width that the head takes, if a condition sets it. */
const headWidths: Readonly<Partial<Record<Condition, readonly [number, number]>>> = {
  small: [0.24, 0.3],
  tiny: [0.12, 0.14],
}

/** The conditions that a selfie shares with a document's photo: nobody holds a face upside down on a table. */
export const faceConditions: readonly Condition[] = [
  'clean',
  'typical',
  'blurred',
  'motion',
  'side_light',
  'shadow',
  'noisy',
  'compressed',
  'small',
]

/**
 * Develops a picture that already shows the scene. A face's "pitch", by which blur counts, is a twentieth of its width.
 */
export async function takeFace(picture: Uint8Array, how: Taking, share: number, random: Chance): Promise<Buffer> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const scene = { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 }
  illuminate(scene, lightOf(scene, how, { x: 0, y: 0, reach: 1 }, random), tintOf(random))
  return expose(scene, how, (share * info.width) / 20, random)
}

/** Takes a selfie of a head, as JPEG; the case's condition and seed set light, distance and sharpness. */
export async function selfieOf(
  head: number,
  pose: PortraitPose,
  { condition, seed }: { readonly condition: Condition; readonly seed: number },
): Promise<Buffer> {
  const random = chance(seed, 'selfie')
  const [low, high] = headWidths[condition] ?? [0.42, 0.56]
  const share = random.between(low, high)
  const taken: PortraitPose = {
    headWidth: share,
    distance: random.between(2.6, 4),
    tilt: random.between(-0.2, 0.2),
    turn: random.between(-0.1, 0.1),
    lookUp: random.between(-0.08, 0.08),
    light: { side: random.between(-0.4, 0.4), strength: random.between(0.8, 1.15) },
    background: random.pick(backgrounds),
    ...pose,
  }
  const how = { ...takingOf(condition, seed), glare: 0 }
  return takeFace(await renderPortrait(person(head), taken, size), how, share, random)
}
