import sharp from 'sharp'
import type { Chance } from './random.ts'

/** A picture with its rows from the top; a scene has three channels or, of a camera without colour, one. */
export interface Picture {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: number
}

/** Shares of red, green and blue in brightness (ITU-R BT.709). */
export const brightness = [0.2126, 0.7152, 0.0722] as const

type Shade = (u: number, v: number) => number

/** Returns noise of several sizes: hashed corners, smooth between them. */
function fractal(random: Chance, octaves: number): Shade {
  const size = 64
  const corners = Float32Array.from({ length: size * size }, () => random.next() - 0.5)
  const smooth = (t: number): number => t * t * (3 - 2 * t)
  const single = (x: number, y: number): number => {
    const left = Math.floor(x)
    const top = Math.floor(y)
    const fx = smooth(x - left)
    const fy = smooth(y - top)
    const at = (dx: number, dy: number): number => corners[((top + dy) & 63) * size + ((left + dx) & 63)] ?? 0
    return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy
  }
  return (u, v) => {
    let sum = 0
    for (let octave = 0, reach = 1; octave < octaves; octave++, reach *= 2) sum += single(u * reach, v * reach) / reach
    return sum
  }
}

const surfaces: readonly [(random: Chance) => Shade, ...((random: Chance) => Shade)[]] = [
  // Boards: rings stretched along the grain.
  random => {
    const noise = fractal(random, 3)
    const rings = random.between(5, 12)
    return (u, v) => 34 * Math.sin((noise(u * 2, v * 14) * 2 + v) * rings * 6.28) * 0.5 + 30 * noise(u * 30, v * 160)
  },
  // Cloth: two threads over and under each other.
  random => {
    const threads = random.between(60, 160)
    const noise = fractal(random, 3)
    return (u, v) => 14 * Math.sin(u * threads * 6.28) * Math.sin(v * threads * 6.28) + 30 * noise(u * 5, v * 5)
  },
  // Stone or a painted desk.
  random => {
    const noise = fractal(random, 4)
    const strength = random.between(10, 60)
    return (u, v) => strength * noise(u * 6, v * 6)
  },
]

const loud: readonly [(random: Chance) => Shade, ...((random: Chance) => Shade)[]] = [
  // A printed page: words of uneven length in rows.
  random => {
    const rows = random.between(18, 44)
    const slope = random.between(-0.15, 0.15)
    const words = fractal(random, 1)
    return (u, v) => {
      const y = (v + slope * u) * rows
      const row = Math.floor(y)
      const ink = y - row > 0.4 && y - row < 0.8 && words(u * rows * 1.1, row * 7.3) > -0.12
      return ink && words(u * rows * 6, row * 3.1) > -0.1 ? -110 : 50
    }
  },
  // Keys of a keyboard.
  random => {
    const keys = random.between(8, 18)
    return (u, v) => ((u * keys) % 1 < 0.12 || (v * keys) % 1 < 0.14 ? -70 : 20)
  },
  // A checked cloth.
  random => {
    const checks = random.between(8, 26)
    return (u, v) => (((Math.floor(u * checks) + Math.floor(v * checks)) & 1) === 0 ? -60 : 60)
  },
]

/** Draws the table under a document, at a third of the size, a quiet one at a sixth: a table is never as sharp. */
export async function tableOf(
  size: { width: number; height: number },
  { busy, channels }: { readonly busy: boolean; readonly channels: 1 | 3 },
  random: Chance,
): Promise<Picture> {
  const coarse = channels === 1 && !busy ? 6 : 3
  const width = Math.ceil(size.width / coarse)
  const height = Math.ceil(size.height / coarse)
  const shade = random.pick(busy ? loud : surfaces)(random)
  const grey = random.between(40, 205)
  const colour = [grey + random.between(-10, 35), grey, grey - random.between(-15, 45)] as const
  const base = channels === 3 ? colour : [colour.reduce((sum, value, at) => sum + value * (brightness[at] ?? 0), 0)]
  const data = new Uint8Array(width * height * channels)
  const long = Math.max(width, height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = shade(x / long, y / long)
      const at = (y * width + x) * channels
      for (let channel = 0; channel < channels; channel++)
        data[at + channel] = Math.max(0, Math.min(255, (base[channel] ?? 0) + value))
    }
  }
  const grown = await sharp(data, { raw: { width, height, channels } })
    .resize(size.width, size.height, { fit: 'fill', kernel: 'cubic' })
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer()
  return { data: grown, ...size, channels }
}
