import sharp from 'sharp'
import { addScreen, facePaint, hairPaint, type Light, plainPaint } from './portrait_paint.ts'
import { type Colour, type Person, person, personSeeds } from './portrait_person.ts'
import { type Camera, type Canvas, canvas, drawSurface } from './portrait_raster.ts'
import { bodySurfaces, earSurfaces, fallingHair, hairSurface, headSurface, type Pose } from './portrait_shape.ts'

export type { Light, Person, Pose }
export { person, personSeeds }

/** The pose and the setting of a portrait. */
export interface PortraitPose extends Pose {
  readonly light?: Light
  /** Colour of the background at the top; it darkens downwards. */
  readonly background?: Colour
  /** Share of the picture's width that the head takes, 0 to 1. A selfie fills 0.5, a passport portrait 0.6. */
  readonly headWidth?: number
  /** Distance of the camera, in head widths; a selfie is taken from 3, a portrait from 8. */
  readonly distance?: number
}

/** Size in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Share of the screen's light that reaches the background: it is four times as far away as the face and gets a
 * sixteenth.
 */
const behind = 1 / 16

function paintBackground({ width, height, colour }: Canvas, wall: Colour, screen: Colour): void {
  for (let y = 0; y < height; y++) {
    const shade = 1.04 - (0.16 * y) / height
    const [r, g, b] = wall.map((own, c) => addScreen(own * shade, own, behind * (screen[c] ?? 0)))
    for (let i = 3 * y * width; i < 3 * (y + 1) * width; i += 3) {
      colour[i] = r ?? 0
      colour[i + 1] = g ?? 0
      colour[i + 2] = b ?? 0
    }
  }
}

function scene(who: Person, pose: PortraitPose, { width, height }: Size): Canvas {
  const target = canvas(width, height)
  const light = pose.light ?? {}
  const camera: Camera = {
    distance: (pose.distance ?? 3) * 2,
    scale: ((pose.headWidth ?? 0.5) * width) / 2,
    centre: [width / 2, height * 0.46],
  }
  paintBackground(target, pose.background ?? [206, 212, 216], light.screen ?? [0, 0, 0])
  const { neck, shoulders } = bodySurfaces()
  const skin = plainPaint(who.skin, light)
  drawSurface(target, headSurface(who, pose), camera, facePaint(who, pose, light))
  for (const ear of earSurfaces(pose)) drawSurface(target, ear, camera, skin)
  drawSurface(target, neck, camera, skin)
  drawSurface(target, shoulders, camera, plainPaint(who.clothes, light))
  drawSurface(target, hairSurface(who, pose), camera, hairPaint(who, light))
  if (who.hair === 'long') drawSurface(target, fallingHair(pose), camera, plainPaint(who.hairColour, light))
  return target
}

/**
 * Renders a portrait of a person who does not exist, as PNG. The head is a solid one: if it turns, its features move by
 * their depth, as those of a real head do and those of a picture do not. The same person, pose and size give the same
 * bytes.
 */
export async function renderPortrait(who: Person, pose: PortraitPose, size: Size): Promise<Buffer> {
  // The head is drawn larger and shrunk, for smooth edges.
  const drawn = { width: Math.round(size.width * 1.5), height: Math.round(size.height * 1.5) }
  const { colour } = scene(who, pose, drawn)
  const bytes = Buffer.from(new Uint8ClampedArray(colour).buffer)
  return sharp(bytes, { raw: { ...drawn, channels: 3 } })
    .resize({ ...size, fit: 'fill' })
    .png()
    .toBuffer()
}
