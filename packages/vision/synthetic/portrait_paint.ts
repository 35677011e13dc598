import { noise } from './portrait_noise.ts'
import type { Colour, Person } from './portrait_person.ts'
import type { Paint, Spot } from './portrait_raster.ts'
import { bell, mouthLine, type Pose, smooth } from './portrait_shape.ts'

/** The direction and the strength of the light. */
export interface Light {
  /** Direction of the light, from the picture's left (-1) or right (1). */
  readonly side?: number
  /** Strength of the light, 0.4 to 1.4; 1 is good indoor light. */
  readonly strength?: number
  /** Illuminance of a screen at the camera, red, green and blue, as a share of the other light's at the face. */
  readonly screen?: Colour
}

/** Adds a screen's light to a colour. Light adds up in linear values, which takes some 2.2 powers. */
export function addScreen(value: number, own: number, share: number): number {
  // Most faces have no screen before them, and two powers took half of the time to draw a face.
  if (share === 0) return value
  return ((value / 255) ** 2.2 + share * (own / 255) ** 2.2) ** (1 / 2.2) * 255
}

function blend(from: Colour, to: Colour, share: number): Colour {
  if (share <= 0) return from
  const t = Math.min(1, share)
  return [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, from[2] + (to[2] - from[2]) * t]
}

function scaled(colour: Colour, by: number): Colour {
  if (by === 1) return colour
  const [r, g, b] = colour
  return [r * by, g * by, b * by]
}

interface Lighting {
  readonly diffuse: number
  readonly gloss: number
  readonly screen: Colour
}

const noScreen: Colour = [0, 0, 0]

/** Lights a spot by Lambert's law over a soft fill, with a faint shine; a screen at the camera follows the same law. */
function lit(spot: Spot, light: Light, shine: number): Lighting {
  const side = light.side ?? -0.3
  const length = Math.sqrt(side * side + 0.55 * 0.55 + 1)
  const facing = (spot.nx * side - spot.ny * 0.55 + spot.nz) / length
  const half = Math.max(0, facing)
  return {
    diffuse: (0.42 + 0.66 * half) * (light.strength ?? 1),
    gloss: shine * half ** 24 * 255 * (light.strength ?? 1),
    screen: light.screen === undefined ? noScreen : scaled(light.screen, Math.max(0, spot.nz)),
  }
}

function write(colour: Colour, { diffuse, gloss, screen }: Lighting, into: Float32Array, at: number): void {
  for (let c = 0; c < 3; c++) {
    const own = colour[c] ?? 0
    into[at + c] = addScreen(own * diffuse + gloss, own, screen[c] ?? 0)
  }
}

/** Returns paint of one colour, for ears, neck and clothes. */
export function plainPaint(colour: Colour, light: Light): Paint {
  return (spot, into, at) => {
    write(scaled(colour, 1 + 0.03 * noise(spot.x * 14, spot.y * 14, spot.z * 14)), lit(spot, light, 0.02), into, at)
    return true
  }
}

/** Returns paint with strands of hair where there is any, and nothing elsewhere. */
export function hairPaint(who: Person, light: Light): Paint {
  return (spot, into, at) => {
    const { x, y, z } = spot
    const side = Math.abs(x)
    const line = who.hairline + 0.4 * smooth(0.45, 0.95, side) + 0.05 * noise(x * 9, 3, z * 9)
    const temple = who.hair === 'long' ? 1.2 : 0.15
    const front = z > 0.05
    const nape = who.hair === 'long' ? 2 : 0.8
    const lowest = front ? Math.max(line, side > 0.93 ? temple : line) : nape
    if (y > lowest || (front && side < 0.93 && y > line)) return false
    const strand = noise(x * 26 + y * 4, y * 3, z * 26)
    const colour =
      who.hair === 'bald' ? blend(who.skin, who.hairColour, 0.12) : scaled(who.hairColour, 1 + 0.28 * strand)
    write(colour, lit(spot, light, who.hair === 'bald' ? 0.06 : 0.1), into, at)
    return true
  }
}

/** Returns the paint of the face: skin, eyes, brows, nostrils, lips, beard, lines. */
export function facePaint(who: Person, pose: Pose, light: Light): Paint {
  return (spot, into, at) => {
    let colour = skinAt(who, spot)
    if (spot.z > 0.1) {
      colour = beardAt(who, spot, colour)
      colour = mouthAt(who, spot, { colour, open: pose.mouthOpen ?? 0 })
      colour = browAt(who, spot, colour)
      colour = eyeAt(who, spot, { colour, blink: pose.blink ?? 0 })
      colour = noseAt(who, spot, colour)
      colour = glassesAt(who, spot, colour)
    }
    write(colour, lit(spot, light, 0.05), into, at)
    return true
  }
}

function skinAt(who: Person, { x, y, z }: Spot): Colour {
  const side = Math.abs(x)
  const grain = 0.035 * noise(x * 30, y * 30, z * 30) + 0.03 * noise(x * 5 + who.seed, y * 5, z * 5)
  const flush =
    0.5 * bell(side, 0.55, 0.25) * bell(y, 0.42, 0.22) + 0.4 * bell(x, 0, 0.14) * bell(y, who.noseLength * 0.9, 0.12)
  const skin: Colour = [
    who.skin[0] * (1 + grain),
    who.skin[1] * (1 + grain - 0.1 * flush),
    who.skin[2] * (1 + grain - 0.1 * flush),
  ]
  const socket = 0.2 * bell(side, who.eyeDistance * 0.9, 0.2) * bell(y, 0.09, 0.09) * (0.5 + who.age)
  const fold =
    0.26 * who.age * bell(side - 0.16 - 0.3 * (y - who.noseLength), 0.06, 0.035) * bell(y, who.noseLength + 0.15, 0.17)
  const brow = 0.16 * who.age * bell(Math.sin(y * 34), 1, 0.35) * smooth(-0.35, -0.45, y) * smooth(0.6, 0.3, side)
  const freckle =
    who.freckles && 0.3 * who.freckles * smooth(0.25, 0.6, noise(x * 22, y * 22, 7 + z * 22)) * bell(y, 0.3, 0.35)
  return scaled(skin, 1 - socket - fold - brow - freckle)
}

function beardAt(who: Person, { x, y, z }: Spot, colour: Colour): Colour {
  if (who.beard === 0 && who.moustache === 0) return colour
  const mouth = mouthLine(who)
  const side = Math.abs(x)
  const rough = 0.75 + 0.25 * noise(x * 40, y * 40, z * 40)
  const jaw = Math.max(smooth(mouth + 0.08, mouth + 0.2, y), smooth(0.62, 0.75, side) * smooth(0.25, 0.5, y))
  const lip = bell(y, mouth - who.upperLip - 0.07, 0.06) * smooth(who.mouthWidth * 1.15, who.mouthWidth * 0.85, side)
  return blend(blend(colour, who.hairColour, who.beard * jaw * rough), who.hairColour, who.moustache * lip * rough)
}

function mouthAt(who: Person, { x, y }: Spot, { colour, open }: { colour: Colour; open: number }): Colour {
  const t = Math.abs(x) / who.mouthWidth
  if (t > 1.1) return colour
  const mouth = mouthLine(who)
  const arc = Math.sqrt(Math.max(0, 1 - t ** 2.2))
  const upper = who.upperLip * arc * (1 - 0.25 * bell(t, 0, 0.16))
  const lower = who.lowerLip * arc
  const bottom = mouth + 0.05 * Math.min(1, open * 4)
  // No part of the mouth is so far from its line.
  if (y < mouth - upper - 0.1 || y > bottom + lower + 0.1) return colour
  const inLips =
    smooth(mouth - upper - 0.012, mouth - upper + 0.012, y) * smooth(bottom + lower + 0.012, bottom + lower - 0.012, y)
  const lips = blend(colour, scaled(who.lipColour, y < mouth ? 0.9 : 1.05), inLips)
  if (open > 0.05 && t < 1 && y > mouth && y < bottom)
    return y < mouth + 0.015 && t < 0.7 ? [206, 198, 188] : [58, 20, 20]
  const line = bell(y, mouth, 0.013) * smooth(1.08, 0.95, t)
  return blend(lips, scaled(who.lipColour, 0.35), 0.85 * line)
}

function browAt(who: Person, { x, y, z }: Spot, colour: Colour): Colour {
  const t = (Math.abs(x) - who.eyeDistance) / (who.eyeWidth * 1.45)
  if (Math.abs(t) > 1.1) return colour
  const middle = -who.browHeight - who.browArch * (1 - t * t) - who.eyeSlant * 0.25 * t
  const half = who.browThickness * (1 - 0.45 * smooth(-0.2, 1, t))
  if (Math.abs(y - middle) >= half) return colour
  const share = smooth(half, half * 0.4, Math.abs(y - middle)) * smooth(1.08, 0.85, Math.abs(t))
  return blend(colour, scaled(who.hairColour, 0.8), share * (0.8 + 0.2 * noise(x * 60, y * 30, z * 60)))
}

function eyeAt(who: Person, { x, y }: Spot, { colour, blink }: { colour: Colour; blink: number }): Colour {
  const t = (Math.abs(x) - who.eyeDistance) / who.eyeWidth
  if (Math.abs(t) > 1.25) return colour
  // Shut lids meet in a fine line, less slanted than the open eye.
  const dy = y + who.eyeSlant * t * (0.35 - 0.2 * blink)
  const arc = Math.max(0, 1 - t * t)
  const lid = who.eyeHeight * (0.55 + 0.25 * blink) * arc
  const top = -who.eyeHeight * arc * (1 - blink) + lid * blink
  const crease = 0.35 * (1 - blink) * bell(dy, -who.eyeHeight * arc - 0.045, 0.014) * smooth(1.15, 0.8, Math.abs(t))
  const lash = (0.9 - 0.2 * blink) * bell(dy, top, 0.02 - 0.006 * blink) * smooth(1.15, 0.95, Math.abs(t))
  const rim = 0.3 * (1 - blink) * bell(dy, lid, 0.012) * smooth(1.1, 0.9, Math.abs(t))
  const around = blend(blend(colour, scaled(who.skin, 0.5), crease + rim), [24, 16, 14], lash)
  if (Math.abs(t) >= 1 || dy <= top || dy >= lid) return around
  const r = Math.hypot(Math.abs(x) - who.eyeDistance, dy + who.eyeHeight * 0.2)
  const iris = who.eyeHeight * 0.95
  const shade = 0.72 + 0.28 * smooth(top, top + 0.05, dy)
  const ball = blend([238, 234, 230], [206, 178, 168], t * t * 0.7)
  const coloured = blend(ball, scaled(who.eyeColour, 0.55 + (0.45 * r) / iris), smooth(iris, iris - 0.015, r))
  const seen = blend(scaled(coloured, shade), [10, 8, 8], smooth(iris * 0.45, iris * 0.38, r))
  const glint = Math.hypot(x - Math.sign(x) * who.eyeDistance + 0.03, dy + who.eyeHeight * 0.45)
  return blend(blend(seen, [255, 255, 255], smooth(0.026, 0.014, glint)), [24, 16, 14], lash)
}

function noseAt(who: Person, { x, y }: Spot, colour: Colour): Colour {
  const side = Math.abs(x)
  const base = who.noseLength
  const nostril = bell(side, who.noseWidth * 0.62, who.noseWidth * 0.28) * bell(y, base + 0.015, 0.03)
  const under = 0.3 * bell(x, 0, who.noseWidth * 1.3) * bell(y, base + 0.06, 0.045)
  const wing = 0.3 * bell(side, who.noseWidth * 1.55, 0.025) * bell(y, base * 0.93, 0.07)
  return blend(scaled(colour, 1 - under - wing), [36, 16, 12], 0.85 * nostril)
}

/** Draws the frames of glasses on the skin: two rounded squares and a bridge. */
function glassesAt(who: Person, { x, y }: Spot, colour: Colour): Colour {
  if (who.glasses === 0) return colour
  const side = Math.abs(x)
  const edge = (((side - who.eyeDistance) / 0.31) ** 4 + ((y - 0.04) / 0.25) ** 4) ** 0.25
  const half = 0.05 + 0.09 * who.glasses
  const rim = smooth(half, half * 0.6, Math.abs(edge - 1))
  const bridge = bell(y, -0.03, 0.03) * smooth(who.eyeDistance - 0.3, who.eyeDistance - 0.34, side)
  const temple = bell(y, -0.04, 0.035) * smooth(who.eyeDistance + 0.3, who.eyeDistance + 0.33, side)
  return blend(colour, [30, 26, 30], Math.max(rim, bridge, temple))
}
