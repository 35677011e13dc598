import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { LivenessAction } from '../src/decision/findings.ts'
import { decodeImage } from '../src/engines/images/decode_image.ts'
import { checkQuality } from '../src/engines/local/face/quality.ts'
import { readFace } from '../src/engines/local/face/read_face.ts'
import type { Models } from '../src/engines/local/models.ts'
import type { Raster } from '../synthetic/camera.ts'
import { photographFace } from '../synthetic/photo.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { createFaceRenderer, type MeshReach, type RenderedPose } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/engines/face_mesh.ts'

/** The longer side of an attacker's picture. */
export const side = 640

const poses: Readonly<Record<LivenessAction, (random: Random) => RenderedPose>> = {
  TURN_LEFT: random => ({ yaw: random.between(32, 50) }),
  TURN_RIGHT: random => ({ yaw: -random.between(32, 50) }),
  BLINK: random => ({ shutEyes: true, yaw: random.between(-3, 3) }),
  OPEN_MOUTH: random => ({ mouthOpen: random.between(0.8, 1), yaw: random.between(-3, 3) }),
  LOOK_UP: random => ({ pitch: random.between(14, 22), yaw: random.between(-3, 3) }),
}
const turns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']

/** The default sets of actions. */
export const challenges: readonly (readonly LivenessAction[])[] = [
  [...turns, 'BLINK', 'OPEN_MOUTH'],
  [...turns, 'BLINK', 'LOOK_UP'],
  [...turns, 'OPEN_MOUTH', 'LOOK_UP'],
]

export function encode({ data, width, height }: Raster): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

/** A picture of a person. */
export interface Picture {
  readonly file: string
  readonly person: string
  readonly split: string
}

/** The pictures of a folder that `bench/pictures/collect.ts` filled, by their persons. */
export function readPeople(folder: string): ReadonlyMap<string, readonly Picture[]> {
  const { selfies } = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as { selfies: readonly Picture[] }
  return Map.groupBy(selfies, ({ person }) => person)
}

/** A picture as it is held to be attacked with, upright and no larger than needed. */
export function readPicture(folder: string, { file }: Picture): Promise<Buffer> {
  return sharp(readFileSync(join(folder, file)))
    .rotate()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 90 })
    .toBuffer()
}

/** How the attacker's pictures reach the service: as rendered, or photographed once more. */
export type Way = 'injected' | 'photographed'

export interface Attack {
  readonly selfie: Buffer
  /** Draws the frame that answers an action. */
  readonly frame: (action: LivenessAction, reach: MeshReach) => Promise<Buffer>
}

/** Makes a picture follow any challenge; null where it is no selfie that is accepted. */
export async function prepareAttack(
  models: Models,
  original: Buffer,
  { way, seed }: { readonly way: Way; readonly seed: number },
): Promise<Attack | null> {
  const random = seeded(seed * 7 + 3)
  let taken = 0
  const take = async (image: Buffer): Promise<Buffer> =>
    way === 'photographed' ? photographFace(image, seed * 100 + taken++) : image
  const face = await readFace(models, original)
  const selfie = await take(original)
  const seen = await readFace(models, selfie)
  if (!face || !seen || face.persons > 1 || !checkQuality(seen).every(({ passed }) => passed)) return null
  const photo = await decodeImage(original, side)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, face.face.landmarks))
  return { selfie, frame: async (action, reach) => take(await encode(await render(poses[action](random), reach))) }
}
