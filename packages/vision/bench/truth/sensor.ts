import sharp, { type Sharp } from 'sharp'
import type { Taking } from './conditions.ts'
import type { Chance } from './random.ts'
import type { Picture } from './table.ts'

/** Returns how much of each cell of a grid a shape covers, in samples: nine by nine a cell. */
function coverage(size: number, covers: (x: number, y: number) => boolean): number[] {
  const kernel: number[] = []
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let inside = 0
      for (let at = 0; at < 81; at++) {
        const x = column + ((at % 9) + 0.5) / 9 - size / 2
        const y = row + (Math.floor(at / 9) + 0.5) / 9 - size / 2
        if (covers(x, y)) inside++
      }
      kernel.push(inside)
    }
  }
  return kernel
}

function convolve(image: Sharp, size: number, kernel: number[]): Sharp {
  return image.convolve({ width: size, height: size, kernel, scale: kernel.reduce((sum, part) => sum + part, 0) })
}

function rawOf({ width, height, channels }: Picture) {
  return { width, height, channels: channels === 1 ? 1 : 3 } as const
}

/** Returns the bytes of a picture without a change: sharp would make three channels of one. */
function bytesOf(image: Sharp, channels: number): Promise<Uint8Array> {
  return (channels === 1 ? image.toColourspace('b-w') : image).raw().toBuffer()
}

/**
 * Blurs a scene: a lens out of focus spreads a point to a disc; a hand that moves, to a line as wide as a pixel.
 * Lengths are in pixels.
 */
async function blurred(scene: Picture, disc: number, path: number, angle: number): Promise<Uint8Array> {
  const raw = rawOf(scene)
  let data: Uint8Array = scene.data
  if (disc >= 0.35) {
    const size = Math.ceil(disc) * 2 + 1
    const round = coverage(size, (x, y) => Math.hypot(x, y) <= disc)
    data = await bytesOf(convolve(sharp(data, { raw }), size, round), scene.channels)
  }
  if (path >= 0.7) {
    const size = Math.ceil(path / 2) * 2 + 1
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    const line = coverage(size, (x, y) => Math.abs(x * cos + y * sin) <= path / 2 && Math.abs(y * cos - x * sin) <= 0.5)
    data = await bytesOf(convolve(sharp(data, { raw }), size, line), scene.channels)
  }
  return data
}

const tableSize = 65_536

/** A phone's software does not sharpen by less than this. */
const leastSharpening = 0.2
/** Difference in grey levels below which a place is flat, and the limits of a halo. */
const flat = 5
const brightestHalo = 25
const darkestHalo = 50

/** Draws photon noise, which grows with the root of the light: normal numbers, and their strength by brightness. */
function noiseOf(amount: number, random: Chance): { normal: Float32Array; strength: Float32Array } {
  const normal = Float32Array.from({ length: tableSize }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
    return radius * Math.cos(random.next() * 6.2832)
  })
  return { normal, strength: Float32Array.from({ length: 256 }, (_, value) => amount * Math.sqrt((value + 12) / 140)) }
}

const mask = tableSize - 1

/** Adds noise of brightness alone, and the halos by which a phone's software makes an edge look crisp. */
function greyGrain({ data, width, height }: Picture, { noise, sharpening }: Taking, random: Chance): Uint8Array {
  const { normal, strength } = noiseOf(noise, random)
  const out = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) {
    const from = random.below(tableSize)
    for (let at = y * width, end = at + width; at < end; at++) {
      const value = data[at] ?? 0
      out[at] = Math.max(0, Math.min(255, value + (normal[(from + at * 7) & mask] ?? 0) * (strength[value] ?? 0)))
    }
  }
  return sharpening < leastSharpening ? out : crisped({ data: out, width, height, channels: 1 }, sharpening)
}

/**
 * Sharpens a picture: it enlarges each pixel's difference from the mean around it, little in the flat, and never by
 * more than a limit.
 */
function crisped({ data, width, height }: Picture, sharpening: number): Uint8Array {
  const out = data.slice()
  const columns = new Uint16Array(width)
  for (let y = 1; y < height - 1; y++) {
    const row = y * width
    for (let x = 0; x < width; x++) {
      columns[x] = (data[row - width + x] ?? 0) + 2 * (data[row + x] ?? 0) + (data[row + width + x] ?? 0)
    }
    for (let x = 1; x < width - 1; x++) {
      const value = data[row + x] ?? 0
      const mean = ((columns[x - 1] ?? 0) + 2 * (columns[x] ?? 0) + (columns[x + 1] ?? 0)) / 16
      const off = (value - mean) * sharpening * 1.3
      const more = Math.abs(off) < flat ? off * 0.4 : Math.max(-darkestHalo, Math.min(brightestHalo, off))
      out[row + x] = Math.max(0, Math.min(255, value + more))
    }
  }
  return out
}

/** Adds noise like `greyGrain`; that of colour is coarser, two pixels by two, as a mosaic leaves it. */
function grain({ data, width, height }: Picture, amount: number, random: Chance): Uint8Array {
  const { normal, strength } = noiseOf(amount, random)
  const out = new Uint8Array(data.length)
  const rows = Int32Array.from({ length: height + 2 }, () => random.below(tableSize))
  for (let y = 0; y < height; y++) {
    const fine = rows[y] ?? 0
    const coarse = (rows[y >> 1] ?? 0) ^ 0x5a5a
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      const sigma = strength[data[at + 1] ?? 0] ?? 0
      const grey = (normal[(fine + x * 7) & mask] ?? 0) * sigma
      const red = (normal[(coarse + (x >> 1) * 13) & mask] ?? 0) * sigma * 0.6
      const blue = (normal[(coarse + (x >> 1) * 29 + 11) & mask] ?? 0) * sigma * 0.8
      out[at] = Math.max(0, Math.min(255, (data[at] ?? 0) + grey + red))
      out[at + 1] = Math.max(0, Math.min(255, (data[at + 1] ?? 0) + grey))
      out[at + 2] = Math.max(0, Math.min(255, (data[at + 2] ?? 0) + grey + blue))
    }
  }
  return out
}

/**
 * Exposes a lit scene as a JPEG, with the faults of lens, hand, sensor and the phone's software. `pitch` is a
 * character's, in pixels.
 */
export async function expose(scene: Picture, how: Taking, pitch: number, random: Chance): Promise<Buffer> {
  const soft = await blurred(scene, how.defocus * pitch, how.motion * pitch, random.between(0, 3.14))
  if (scene.channels === 1) {
    const noisy = greyGrain({ ...scene, data: soft }, how, random)
    return sharp(noisy, { raw: rawOf(scene) })
      .toColourspace('b-w')
      .jpeg({ quality: how.quality })
      .toBuffer()
  }
  const noisy = grain({ ...scene, data: soft }, how.noise, random)
  const image = sharp(noisy, { raw: rawOf(scene) })
  const { sharpening } = how
  const crisp = sharpening < leastSharpening ? image : image.sharpen({ sigma: 1, m1: sharpening * 0.4, m2: sharpening })
  return crisp.jpeg({ quality: how.quality }).toBuffer()
}
