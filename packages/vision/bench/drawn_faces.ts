import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { photographFace } from '../synthetic/photo.ts'
import { type PortraitPose, person, renderPortrait } from '../synthetic/portrait.ts'
import { type Random, seeded } from '../synthetic/random.ts'

/** Nobody holds quite still, looks quite ahead, or has the light of a studio. */
function restless(random: Random): PortraitPose {
  return {
    turn: random.between(-0.12, 0.12),
    lookUp: random.between(-0.12, 0.12),
    tilt: random.between(-0.15, 0.15),
    blink: random.between(0, 0.12),
    mouthOpen: random.between(0, 0.06),
    light: { side: random.between(-0.7, 0.7), strength: random.between(0.7, 1.15) },
    headWidth: random.between(0.42, 0.58),
    distance: random.between(2.6, 4),
  }
}

function slight(random: Random): number {
  return random.between(-0.05, 0.05)
}

const poses = {
  selfie: () => ({}),
  second: () => ({}),
  portrait: random => ({
    distance: 8,
    headWidth: 0.6,
    turn: slight(random),
    tilt: slight(random),
    lookUp: slight(random),
  }),
  left: random => ({ turn: random.between(0.45, 0.6) }),
  right: random => ({ turn: -random.between(0.45, 0.6) }),
  blink: random => ({ blink: random.between(0.9, 1) }),
  mouth: random => ({ mouthOpen: random.between(0.7, 1) }),
  up: random => ({ lookUp: random.between(0.5, 0.9) }),
  neutral: () => ({}),
} as const satisfies Readonly<Record<string, (random: Random) => PortraitPose>>

/** The name of a head's pose in a picture. */
export type PictureKind = keyof typeof poses

const folder = process.env.PICTURES

async function kept(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  if (folder === undefined) return make()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.jpg`)
  if (!existsSync(file)) writeFileSync(file, await make())
  return readFileSync(file)
}

/**
 * Draws a photo of the head of a seed, 480 by 640 but for portraits; `held` goes beyond the kind's own pose, and needs
 * a name of its own. `PICTURES=DIR` keeps it for the next run.
 */
export function picture(
  seed: number,
  kind: PictureKind,
  held: { readonly name: string; readonly pose: PortraitPose } = { name: '', pose: {} },
): Promise<Buffer> {
  return kept(`${seed}_${kind}${held.name}`, async () => {
    const k = Object.keys(poses).indexOf(kind)
    const random = seeded(seed * 100 + k)
    const pose = { ...restless(random), ...poses[kind](random), ...held.pose }
    const size = kind === 'portrait' ? { width: 280, height: 360 } : { width: 480, height: 640 }
    return photographFace(await renderPortrait(person(seed), pose, size), seed * 100 + k)
  })
}
