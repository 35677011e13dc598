import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LivenessAction } from '@attestor/rules'
import sharp from 'sharp'
import type { Face } from '../face/faces.ts'
import { getPoint } from '../face/landmarks.ts'
import { checkQuality } from '../face/quality.ts'
import { readFace } from '../face/read_face.ts'
import { ovalHeight, uprightSide } from '../face/upright.ts'
import { decodeImage } from '../images/decode_image.ts'
import type { Models } from '../models.ts'
import type { Raster } from '../synthetic/camera.ts'
import { photographFace } from '../synthetic/photo.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { createFaceRenderer, type Lamp, type MeshReach, type RenderedPose } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/face_mesh.ts'

/** The longer side of an attacker's picture, in pixels. */
export const side = 640

const poses: Readonly<Record<LivenessAction, (random: Random) => RenderedPose>> = {
  TURN_LEFT: random => ({ yaw: random.between(26, 40) }),
  TURN_RIGHT: random => ({ yaw: -random.between(26, 40) }),
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

/** Reads the pictures of a folder that `packages/vision/bench/pictures/collect.ts` filled, by their persons. */
export function readPeople(folder: string): ReadonlyMap<string, readonly Picture[]> {
  const { selfies } = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as { selfies: readonly Picture[] }
  return Map.groupBy(selfies, ({ person }) => person)
}

/** Reads a picture to attack with, upright and no larger than needed. */
export function readPicture(folder: string, { file }: Picture): Promise<Buffer> {
  return sharp(readFileSync(join(folder, file)))
    .rotate()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 90 })
    .toBuffer()
}

/**
 * The light that an attacker adds: a slope that follows the head, laid over each frame; a smooth field, another one in
 * each frame; or a lamp in the renderer.
 */
export type AddedLight = 'slope' | 'field' | 'lamp'

/** Draws a lamp in front of the head, as rooms and screens light a face. */
function drawLamp(random: Random): Lamp {
  return { towards: [random.between(-0.5, 0.5), random.between(-0.6, 0), 1], ambient: random.between(0.3, 0.6) }
}

/**
 * Darkens the side that is turned away, by `slope`, in natural logarithms, from the middle of the face to the edge of
 * the square in which the light is measured. The background beyond that edge keeps the edge's light.
 */
function laySlope({ data, width, height }: Raster, slope: number, { landmarks }: Face): Raster {
  const x = (getPoint(landmarks, 'forehead')[0] + getPoint(landmarks, 'chin')[0]) / 2
  const [top, bottom] = [getPoint(landmarks, 'forehead')[1], getPoint(landmarks, 'chin')[1]]
  const half = ((bottom - top) / ovalHeight) * (uprightSide / 2)
  const lit = Uint8Array.from(data, (value, i) => {
    const across = Math.max(-1, Math.min(1, ((Math.floor(i / 3) % width) - x) / half))
    return Math.min(255, value * Math.exp(-slope * across))
  })
  return { data: lit, width, height }
}

/** Points of a field of light, across and down, and its spread in natural logarithms. */
const field = { across: 4, down: 5, spread: 0.2 } as const

/** Multiplies a frame by a smooth random field of light. */
function layField({ data, width, height }: Raster, random: Random): Raster {
  const points = Array.from({ length: field.across * field.down }, () => random.between(-field.spread, field.spread))
  const lit = Uint8Array.from(data, (value, i) => {
    const x = ((Math.floor(i / 3) % width) / width) * (field.across - 1)
    const y = (Math.floor(i / (3 * width)) / height) * (field.down - 1)
    const [left, top] = [Math.floor(x), Math.floor(y)]
    const at = (column: number, row: number): number => points[row * field.across + column] ?? 0
    const upper = at(left, top) + (x - left) * (at(left + 1, top) - at(left, top))
    const lower = at(left, top + 1) + (x - left) * (at(left + 1, top + 1) - at(left, top + 1))
    return Math.min(255, value * Math.exp(upper + (y - top) * (lower - upper)))
  })
  return { data: lit, width, height }
}

/** The way of the attacker's pictures to the service: as rendered, or photographed once more. */
export type Way = 'injected' | 'photographed'

export interface Attack {
  readonly selfie: Buffer
  /** Draws the frame that answers an action. */
  readonly frame: (action: LivenessAction, reach: MeshReach) => Promise<Buffer>
}

/** Makes a picture follow any challenge; null if the gates refuse it as a selfie. */
export async function prepareAttack(
  models: Models,
  original: Buffer,
  { way, seed, light = null }: { readonly way: Way; readonly seed: number; readonly light?: AddedLight | null },
): Promise<Attack | null> {
  const random = seeded(seed * 7 + 3)
  const lights = seeded(seed * 19 + 7)
  // The slope of the middle half of people's heads.
  const slope = light === 'slope' ? lights.between(0.35, 0.8) : 0
  const lamp = light === 'lamp' ? drawLamp(lights) : undefined
  let taken = 0
  const take = async (image: Buffer): Promise<Buffer> =>
    way === 'photographed' ? photographFace(image, seed * 100 + taken++) : image
  const face = await readFace(models, original)
  const selfie = await take(original)
  const seen = await readFace(models, selfie)
  if (!face || !seen || face.persons > 1 || !checkQuality(seen).every(({ passed }) => passed)) return null
  const photo = await decodeImage(original, side)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, face.face.landmarks))
  const draw = async (pose: RenderedPose, reach: MeshReach): Promise<Raster> => {
    const drawn = await render(lamp ? { ...pose, lamp } : pose, reach)
    if (light === 'field') return layField(drawn, lights)
    // An attacker who knows the rule measures the yaw as it does.
    const turned = slope ? await readFace(models, await encode(drawn), 'OPEN_MOUTH') : null
    return turned ? laySlope(drawn, slope * turned.expression.yaw, turned.face) : drawn
  }
  return { selfie, frame: async (action, reach) => take(await encode(await draw(poses[action](random), reach))) }
}
