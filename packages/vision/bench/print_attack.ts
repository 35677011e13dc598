import sharp from 'sharp'
import type { SeenFace } from '../face/read_face.ts'
import { type Print, photographPrint } from '../synthetic/flat_photo.ts'
import { photographFace } from '../synthetic/photo.ts'
import { type Random, seeded } from '../synthetic/random.ts'

/** The shapes of a picture before the camera: paper flat, bent round, hollow or folded along the nose, or a screen. */
export const shapes = ['flat', 'bent', 'hollow', 'folded', 'screen'] as const

/** One of `shapes`. */
export type Shape = (typeof shapes)[number]

const bends: Readonly<Record<Shape, (random: Random) => Pick<Print, 'arc' | 'fold'>>> = {
  flat: () => ({}),
  bent: random => ({ arc: random.between(40, 200) }),
  hollow: random => ({ arc: -random.between(30, 120) }),
  folded: random => ({ fold: random.between(12, 60) }),
  screen: () => ({}),
}

/** Cuts the print to the face, which bends it more. */
function cutToFace(selfie: Buffer, { face }: SeenFace): Promise<Buffer> {
  const [xs, ys] = [0, 1].map(axis => face.landmarks.points.map(point => point[axis as 0 | 1])) as [number[], number[]]
  const width = Math.round((Math.max(...xs) - Math.min(...xs)) * 1.25)
  const height = Math.min(640, Math.round((width * 4) / 3))
  const left = Math.max(0, Math.min(480 - width, Math.round((Math.max(...xs) + Math.min(...xs) - width) / 2)))
  const top = Math.max(0, Math.min(640 - height, Math.round((Math.max(...ys) + Math.min(...ys) - height) / 2)))
  return sharp(selfie).extract({ left, top, width, height }).toBuffer()
}

/** Shows the picture on a screen, which shines, and shows its rows. */
async function onScreen(image: Buffer, random: Random): Promise<Buffer> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  const rows = random.between(2.1, 5)
  const depth = random.between(0.02, 0.08)
  const out = data.map((value, i) => {
    const y = Math.floor(i / (info.width * 3))
    return Math.min(255, value * 1.08 * (1 + depth * Math.sin((y * 2 * Math.PI) / rows)))
  })
  return sharp(out, { raw: { width: info.width, height: info.height, channels: 3 } })
    .png()
    .toBuffer()
}

/**
 * Photos of a picture that is held before the camera, turned both ways, and tipped, which narrows eyes and mouth. Each
 * is made when it is wanted.
 */
export interface PrintAttack {
  readonly shape: Shape
  /** Half of the attackers take their selfie of the print as well, held straight; null for the others. */
  readonly selfie: () => Promise<Buffer | null>
  readonly left: () => Promise<Buffer>
  readonly right: () => Promise<Buffer>
  readonly tipped: () => Promise<Buffer>
}

/** Creates the attack of a seed with the print of a selfie; half of the prints are cut to the face. */
export async function printAttack(seed: number, selfie: Buffer, seen: SeenFace): Promise<PrintAttack> {
  const random = seeded(seed * 13 + 5)
  const shape = shapes[seed % shapes.length] ?? 'flat'
  const cut = random.next() < 0.5 ? await cutToFace(selfie, seen) : selfie
  const print = shape === 'screen' ? await onScreen(cut, random) : cut
  const how = {
    pitch: random.between(-8, 8),
    roll: random.between(-8, 8),
    distance: random.between(1.1, 3),
    ...bends[shape](random),
  }
  const yaw = random.between(18, how.arc || how.fold ? 55 : 75)
  const tip = random.between(15, 60) * (random.next() < 0.5 ? 1 : -1)
  const straight = random.next() < 0.5
  const hold = async (n: number, held: Partial<Print>): Promise<Buffer> =>
    photographFace(await photographPrint(print, { ...how, yaw: 0, ...held }), seed * 4 + n)
  return {
    shape,
    selfie: async () => (straight ? hold(3, { arc: 0, fold: 0, pitch: 0 }) : null),
    left: () => hold(0, { yaw: -yaw }),
    right: () => hold(1, { yaw }),
    tipped: () => hold(2, { pitch: tip }),
  }
}
