import type { Taking } from './conditions.ts'
import type { Chance } from './random.ts'
import type { Picture } from './table.ts'

/** The light at a place of the picture: a gain, and shine that is added in grey levels. */
export interface Light {
  readonly gain: (x: number, y: number) => number
  /** Whether the gain has a hard edge, which only a shadow has. */
  readonly sharp: boolean
  /** Null if nothing shines. */
  readonly shine: ((x: number, y: number) => number) | null
}

/**
 * Grey levels that a reflection of strength 1 adds at its middle: it burns out ink too (20 and brighter), and so hides
 * more than the reflections that the engine is tuned with (`packages/vision/synthetic/camera.ts`, which says why
 * neither is measured).
 */
const shineLevels = 235

/**
 * Draws a light from one side, a vignette, the hard edge of a shadow and a lamp's reflection around `mirror` (pixels).
 */
export function lightOf(
  { width, height }: { readonly width: number; readonly height: number },
  how: Taking,
  mirror: { readonly x: number; readonly y: number; readonly reach: number },
  random: Chance,
): Light {
  const angle = random.between(0, 6.28)
  const dx = Math.cos(angle)
  const dy = Math.sin(angle)
  const exposure = random.between(0.8, 1.08)
  const vignette = random.between(0.05, 0.3)
  const half = Math.hypot(width, height) / 2
  const edge = random.between(0, 6.28)
  const ex = Math.cos(edge)
  const ey = Math.sin(edge)
  const where = random.between(-0.35, 0.35) * width
  const soft = Math.max(2, random.between(0.002, 0.02) * width)
  const turn = random.between(0, 3.14)
  const gx = Math.cos(turn)
  const gy = Math.sin(turn)
  const flat = random.between(1.5, 4)
  const gain = (x: number, y: number): number => {
    const cx = (x - width / 2) / half
    const cy = (y - height / 2) / half
    const side = 1 - how.falloff * (0.5 + 0.5 * Math.max(-1, Math.min(1, (cx * dx + cy * dy) * 1.3)))
    const lit = exposure * side * (1 - vignette * (cx * cx + cy * cy))
    if (how.shadow === 0) return lit
    const along = ((x - width / 2) * ex + (y - height / 2) * ey - where) / soft
    return lit * (1 - how.shadow * Math.max(0, Math.min(1, along + 0.5)))
  }
  const shine = (x: number, y: number): number => {
    const rx = x - mirror.x
    const ry = y - mirror.y
    const away = ((rx * gx + ry * gy) / mirror.reach) ** 2 + (((ry * gx - rx * gy) * flat) / mirror.reach) ** 2
    return away > 12 ? 0 : how.glare * shineLevels * Math.exp(-away)
  }
  return { gain, sharp: how.shadow > 0, shine: how.glare === 0 ? null : shine }
}

/** Draws a camera's white balance, which is never quite right: a gain for each colour. */
export function tintOf(random: Chance): readonly number[] {
  return [random.between(0.9, 1.06), 1, random.between(0.86, 1.08)]
}

/** Distance in pixels over which a gain without a shadow's edge is as good as straight. */
const stride = 16

/** Returns the gain along a row: at every pixel, or at some and straight between them. */
function gainsOf(width: number, { gain, sharp }: Light): (y: number) => Float32Array {
  const gains = new Float32Array(width)
  const every = sharp ? 1 : stride
  return y => {
    let next = gain(0, y)
    for (let left = 0; left < width; left += every) {
      const from = next
      next = gain(left + every, y)
      for (let x = left, end = Math.min(width, left + every); x < end; x++) {
        gains[x] = from + ((next - from) * (x - left)) / every
      }
    }
    return gains
  }
}

/** Lights a picture, in place; `tint` is a gain for each of its channels. */
export function illuminate({ data, width, height, channels }: Picture, light: Light, tint: readonly number[]): void {
  const gainsAt = gainsOf(width, light)
  for (let y = 0; y < height; y++) {
    const gains = gainsAt(y)
    for (let x = 0; x < width; x++) {
      const gain = gains[x] ?? 0
      const shine = light.shine === null ? 0 : light.shine(x, y)
      const at = (y * width + x) * channels
      for (let channel = 0; channel < channels; channel++)
        data[at + channel] = Math.max(0, Math.min(255, (data[at + channel] ?? 0) * gain * (tint[channel] ?? 1) + shine))
    }
  }
}
