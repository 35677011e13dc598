import type { LivenessAction } from '@attestor/rules'
import { type PortraitPose, person, personSeeds } from '@attestor/vision/synthetic'
import sharp, { type Sharp } from 'sharp'
import { photographFace, renderPortrait } from '../../vision/test/drawn.ts'

/** The camera that films the faces. */
export const faceCamera = { width: 720, height: 960 }
const turn = 0.5

const who = person(personSeeds[0] ?? 0)

/** A camera that lies on its side. The person is found tilted by 19.3° in its frames and by 20.7° in their pictures. */
export const wideCamera = { width: 1280, height: 720 }
const tilted = person(personSeeds[2] ?? 0)

export async function drawTilted(degrees: number): Promise<Buffer> {
  const drawn = await renderPortrait(tilted, { headWidth: 0.24, distance: 3, tilt: degrees / 30 }, wideCamera)
  return sharp(drawn).png().toBuffer()
}

/** A person who does not exist, as a phone films them. */
async function film(pose: PortraitPose): Promise<Buffer> {
  const drawn = await renderPortrait(who, { headWidth: 0.5, distance: 3, ...pose }, faceCamera)
  return sharp(await photographFace(drawn, 7))
    .png()
    .toBuffer()
}

async function spoil(picture: Buffer, how: (picture: Sharp) => Sharp): Promise<Buffer> {
  return how(sharp(picture)).png().toBuffer()
}

export type FaceScene =
  | 'rest'
  | 'absent'
  | 'far'
  | 'aside'
  | 'two'
  | 'turned'
  | 'half'
  | 'shut'
  | 'dark'
  | 'blurred'
  | 'covered'
  | LivenessAction

/** Those of a test alone: each takes a second. */
export async function drawFaceScenes<Name extends FaceScene>(
  names: readonly Name[],
): Promise<Readonly<Record<Name, Buffer>>> {
  const rest = await film({})
  const { width, height } = faceCamera
  const half = await sharp(rest).extract({ left: 170, top: 60, width: 360, height: 800 }).png().toBuffer()
  const wall = sharp({ create: { ...faceCamera, channels: 3, background: '#b9bec4' } })
  const scarf = `<svg width="${width}" height="${height}"><rect x="230" y="500" width="260" height="230" rx="60" fill="#2f4fa5"/></svg>`
  const scenes: Readonly<Record<FaceScene, () => Promise<Buffer>>> = {
    rest: async () => rest,
    absent: () => wall.clone().png().toBuffer(),
    far: () => film({ headWidth: 0.2 }),
    aside: () =>
      spoil(rest, picture =>
        picture.extract({ left: 240, top: 0, width: 480, height }).extend({ right: 240, background: '#cfd0c8' }),
      ),
    two: () =>
      wall
        .clone()
        .composite([
          { input: half, left: 0, top: 60 },
          { input: half, left: 360, top: 60 },
        ])
        .png()
        .toBuffer(),
    turned: () => film({ turn: 0.4 }),
    half: () => film({ blink: 0.5 }),
    shut: () => film({ blink: 1 }),
    dark: () => spoil(rest, picture => picture.linear(0.15)),
    blurred: () => spoil(rest, picture => picture.blur(12)),
    covered: () => spoil(rest, picture => picture.composite([{ input: Buffer.from(scarf) }])),
    TURN_LEFT: () => film({ turn }),
    TURN_RIGHT: () => film({ turn: -turn }),
    BLINK: () => film({ blink: 1 }),
    OPEN_MOUTH: () => film({ mouthOpen: 0.9 }),
    LOOK_UP: () => film({ lookUp: 0.7 }),
  }
  const drawn = await Promise.all(names.map(async name => [name, await scenes[name]()] as const))
  return Object.fromEntries(drawn) as Record<Name, Buffer>
}
