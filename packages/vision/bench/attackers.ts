import type { LivenessAction } from '@attestor/rules'
import sharp from 'sharp'
import { measureFaceDistance } from '../face/embedding.ts'
import type { Expression } from '../face/expression.ts'
import { showsAction } from '../face/liveness.ts'
import { measureFlatResidual } from '../face/planarity.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { decodeImage } from '../images/decode_image.ts'
import type { Models } from '../models.ts'
import { type MeshedFace, swapFace } from '../synthetic/face_swap.ts'
import { type Print, photographPrint } from '../synthetic/flat_photo.ts'
import { photographFace } from '../synthetic/photo.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { type MeshReach, meshReaches, outline } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/face_mesh.ts'
import { type PictureKind, picture } from './drawn_faces.ts'
import { type AddedLight, encode, prepareAttack, side, type Way } from './rendered_attack.ts'

/** The pictures that the service is shown. */
export interface Shown {
  readonly selfie: Buffer
  readonly frame: (action: LivenessAction) => Promise<Buffer>
}

/** A victim's picture, or the number of a drawn head of which the attacker has a video. */
export interface Victim {
  readonly models: Models
  readonly original: Buffer
  readonly seed: number
}

/** Makes a victim's picture answer a challenge; null if the gates refuse it as a selfie. */
type Attacker = (victim: Victim) => Promise<Shown | null>

const kinds: Readonly<Record<LivenessAction, PictureKind>> = {
  TURN_LEFT: 'left',
  TURN_RIGHT: 'right',
  BLINK: 'blink',
  OPEN_MOUTH: 'mouth',
  LOOK_UP: 'up',
}

async function mesh({ models }: Victim, image: Buffer): Promise<MeshedFace | null> {
  const face = await readFace(models, image)
  if (!face) return null
  const photo = await decodeImage(image, side)
  return { photo, mesh: await findFaceMesh(models, photo, face.face.landmarks) }
}

function renders(way: Way, reachOf: (seed: number) => MeshReach, light: AddedLight | null = null): Attacker {
  return async ({ models, original, seed }) => {
    const prepared = await prepareAttack(models, original, { way, seed, light })
    return prepared && { ...prepared, frame: action => prepared.frame(action, reachOf(seed)) }
  }
}

/** This many renderings are tried for one frame. */
const looks = 8

/**
 * Returns an attacker who has read the rules and runs them: a mesh that takes the hair along, and for each action the
 * first rendering that shows it and is as near to the selfie as a frame must be.
 */
function choosesByRules(way: Way): Attacker {
  return async ({ models, original, seed }) => {
    const prepared = await prepareAttack(models, original, { way, seed })
    const selfie = prepared && (await readFace(models, prepared.selfie))
    if (!prepared || !selfie) return null
    let mouth: Expression | null = null
    const reach = seed % 2 === 0 ? 'head' : 'warp'
    const isTaken = (action: LivenessAction, face: ComparedFace | null): boolean => {
      if (!face) return false
      const residual = measureFlatResidual(selfie.face.landmarks, face.face.landmarks)
      const shown = showsAction(action, face.expression, { selfie: selfie.expression, mouth, residual })
      return (
        shown === true &&
        measureFaceDistance(selfie.template, face.template) <= models.embedding.model.limits.continuity
      )
    }
    return {
      selfie: prepared.selfie,
      frame: async action => {
        let frame = await prepared.frame(action, reach)
        for (let n = 1; n < looks; n++) {
          const face = await readFace(models, frame, action)
          if (isTaken(action, face)) {
            if (action === 'OPEN_MOUTH') mouth = face?.expression ?? null
            break
          }
          frame = await prepared.frame(action, reach)
        }
        return frame
      },
    }
  }
}

/** Cuts each picture out of a larger one at another place, by up to so many hundredths of its width. */
function shakes(attacker: Attacker): Attacker {
  return async victim => {
    const shown = await attacker(victim)
    const random = seeded(victim.seed * 11 + 1)
    const shake = async (image: Buffer): Promise<Buffer> => {
      const { width, height } = await sharp(image).metadata()
      const margin = Math.round(width * 0.04)
      const place = (): number => Math.round(random.between(0, 2 * margin))
      const region = { left: place(), top: place(), width: width - 2 * margin, height: height - 2 * margin }
      return sharp(image).extract(region).jpeg({ quality: 90 }).toBuffer()
    }
    return shown && { selfie: await shake(shown.selfie), frame: async action => shake(await shown.frame(action)) }
  }
}

/** Cuts the face out, with some hair. */
async function cutOut(victim: Victim): Promise<Buffer | null> {
  const found = await mesh(victim, victim.original)
  if (!found) return null
  const { photo, mesh: points } = found
  const corners = outline.map(index => points[index] ?? [0, 0, 0])
  const middle = [0, 1].map(axis => corners.reduce((sum, corner) => sum + (corner[axis] ?? 0), 0) / corners.length)
  const path = corners.map(corner =>
    [0, 1].map(axis => (middle[axis] ?? 0) + 1.25 * ((corner[axis] ?? 0) - (middle[axis] ?? 0))),
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${photo.width}" height="${photo.height}"><polygon points="${path.join(' ')}"/></svg>`
  const { data, width, height } = photo
  const cut = await sharp(data, { raw: { width, height, channels: 3 } })
    .ensureAlpha()
    .composite([{ input: Buffer.from(svg), blend: 'dest-in' }])
    .png()
    .toBuffer()
  return sharp(cut).trim().png().toBuffer()
}

/** Adds a screen's black frame of some hundredths of the picture's width. */
function frameScreen(image: Buffer): Promise<Buffer> {
  return sharp(image).extend({ top: 30, bottom: 30, left: 14, right: 14, background: '#0b0b0c' }).png().toBuffer()
}

/**
 * Width in pixels of a screen that shows a picture upright: a phone's whole width (1080 and 1170 are the usual ones),
 * or a part of a laptop's or a monitor's 1080 rows.
 */
const screenWidths = [1080, 1170, 760, 608] as const

/** Holds a flat thing before a camera, turns it both ways, and tips it for the other actions. */
function holds(make: (victim: Victim) => Promise<Buffer | null>, bend: (random: Random) => Partial<Print>): Attacker {
  return async victim => {
    const thing = await make(victim)
    if (!thing) return null
    const random = seeded(victim.seed * 13 + 5)
    const how: Print = {
      yaw: 0,
      roll: random.between(-6, 6),
      distance: random.between(1.2, 3),
      width: side,
      ...bend(random),
    }
    const yaw = random.between(18, how.arc ? 55 : 70)
    const tip = random.between(15, 50) * (random.next() < 0.5 ? 1 : -1)
    let taken = 0
    const take = async (held: Partial<Print>): Promise<Buffer> =>
      photographFace(await photographPrint(thing, { ...how, ...held }), victim.seed * 100 + taken++)
    return {
      selfie: await take({}),
      frame: action =>
        take(action === 'TURN_LEFT' ? { yaw: -yaw } : action === 'TURN_RIGHT' ? { yaw } : { pitch: tip }),
    }
  }
}

/**
 * Compresses a frame as a video call does, at its size and a bit rate that shows: a WebP is a key frame of VP8 (RFC
 * 6386).
 */
async function compress(frame: Buffer, random: Random): Promise<Buffer> {
  const quality = Math.round(random.between(15, 60))
  const key = await sharp(frame).resize(360).webp({ quality }).toBuffer()
  return sharp(key).resize(480).jpeg({ quality: 90 }).toBuffer()
}

/** Replays a drawn person's video, in which they do what is asked. */
function replays(show: (frame: Buffer, n: number) => Promise<Buffer>): Attacker {
  return async ({ seed }) => {
    const random = seeded(seed * 17 + 3)
    let taken = 0
    const replay = async (kind: PictureKind): Promise<Buffer> =>
      show(await compress(await picture(seed, kind), random), seed * 100 + taken++)
    return { selfie: await replay('selfie'), frame: action => replay(kinds[action]) }
  }
}

async function onScreen(frame: Buffer, n: number): Promise<Buffer> {
  const random = seeded(n)
  const how = { yaw: random.between(-4, 4), distance: 1.6, width: side, screenPixels: screenWidths[n % 4] ?? 1080 }
  return photographFace(await photographPrint(await frameScreen(frame), how), n)
}

/** Puts the victim's face on a drawn head that does what is asked. */
function swaps(way: Way): Attacker {
  return async victim => {
    const face = await mesh(victim, victim.original)
    if (!face) return null
    let taken = 0
    const wear = async (kind: PictureKind, action: LivenessAction | null): Promise<Buffer> => {
      const own = await picture(3001 + victim.seed, kind)
      const wearer = await mesh(victim, own)
      if (!wearer) return own
      const swapped = await encode(
        await swapFace(face, wearer, { blinks: action === 'BLINK', opensMouth: action === 'OPEN_MOUTH' }),
      )
      return way === 'photographed' ? photographFace(swapped, victim.seed * 100 + taken++) : swapped
    }
    return { selfie: await wear('selfie', null), frame: action => wear(kinds[action], action) }
  }
}

function byTurns(seed: number): MeshReach {
  return meshReaches[(seed >> 1) % meshReaches.length] ?? 'head'
}

async function original(victim: Victim): Promise<Buffer> {
  return victim.original
}

/** Every attacker, named after its attack. Those of `drawn` have the video of a person, who is drawn. */
export const attackers = {
  'rendered, injected': renders('injected', byTurns),
  'rendered, photographed': renders('photographed', byTurns),
  'rendered mask, the whole photo shaken, injected': shakes(renders('injected', () => 'mask')),
  'rendered mask, the whole photo shaken, photographed': shakes(renders('photographed', () => 'mask')),
  'slope of light that follows the head, injected': renders('injected', byTurns, 'slope'),
  'slope of light that follows the head, photographed': renders('photographed', byTurns, 'slope'),
  'field of light in each frame, injected': renders('injected', byTurns, 'field'),
  'rendered, chosen by the rules, injected': choosesByRules('injected'),
  'lamp in the renderer, injected': renders('injected', byTurns, 'lamp'),
  'lamp in the renderer, photographed': renders('photographed', byTurns, 'lamp'),
  'face swap, injected': swaps('injected'),
  'face swap, photographed': swaps('photographed'),
  'print, flat': holds(original, () => ({})),
  'print, cut out and bent': holds(cutOut, random => ({ arc: random.between(40, 200) })),
  'screen with a picture': holds(
    async victim => frameScreen(victim.original),
    random => ({ screenPixels: screenWidths[random.below(4)] ?? 1080 }),
  ),
} as const satisfies Readonly<Record<string, Attacker>>

/** Attackers with a person's video. */
export const replayers = {
  'video of the person, injected': replays(async frame => frame),
  'video of the person, on a screen': replays(onScreen),
} as const satisfies Readonly<Record<string, Attacker>>
