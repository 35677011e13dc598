import sharp, { type Sharp } from 'sharp'
import type { Taking } from './conditions.ts'
import type { Chance } from './random.ts'
import type { Picture } from './table.ts'

/** How much of each cell of a grid a shape covers, by sampling it nine by nine. */
const coverage = (size: number, covers: (x: number, y: number) => boolean): number[] => {
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

const convolve = (image: Sharp, size: number, kernel: number[]): Sharp =>
  image.convolve({ width: size, height: size, kernel, scale: kernel.reduce((sum, part) => sum + part, 0) })

/** A lens out of focus spreads a point to a disc; a hand that moves, to a line as wide as a pixel. Lengths in pixels. */
const blurred = async (scene: Picture, disc: number, path: number, angle: number): Promise<Uint8Array> => {
  const raw = { width: scene.width, height: scene.height, channels: 3 } as const
  let data: Uint8Array = scene.data
  if (disc >= 0.35) {
    const size = Math.ceil(disc) * 2 + 1
    data = await convolve(
      sharp(data, { raw }),
      size,
      coverage(size, (x, y) => Math.hypot(x, y) <= disc),
    )
      .raw()
      .toBuffer()
  }
  if (path >= 0.7) {
    const size = Math.ceil(path / 2) * 2 + 1
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const line = coverage(size, (x, y) => Math.abs(x * cos + y * sin) <= path / 2 && Math.abs(y * cos - x * sin) <= 0.5)
    data = await convolve(sharp(data, { raw }), size, line).raw().toBuffer()
  }
  return data
}

const table_size = 65_536

/** Photon noise grows with the root of the light; colour's is coarser, two pixels by two, as a mosaic leaves it. */
const grain = ({ data, width, height }: Picture, amount: number, random: Chance): Uint8Array => {
  const normal = Float32Array.from({ length: table_size }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
    return radius * Math.cos(random.next() * 6.2832)
  })
  const strength = Float32Array.from({ length: 256 }, (_, value) => amount * Math.sqrt((value + 12) / 140))
  const out = new Uint8Array(data.length)
  const mask = table_size - 1
  const rows = Int32Array.from({ length: height + 2 }, () => random.below(table_size))
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

/** What lens, hand, sensor and the phone's software make of a lit scene: a JPEG. `pitch` is a character's, in pixels. */
export const expose = async (scene: Picture, how: Taking, pitch: number, random: Chance): Promise<Buffer> => {
  const { width, height } = scene
  const soft = await blurred(scene, how.defocus * pitch, how.motion * pitch, random.between(0, 3.14))
  const noisy = grain({ data: soft, width, height }, how.noise, random)
  const image = sharp(noisy, { raw: { width, height, channels: 3 } })
  // Halos: what a phone's software adds to make an edge look crisp.
  const crisp = how.sharpening < 0.2 ? image : image.sharpen({ sigma: 1, m1: how.sharpening * 0.4, m2: how.sharpening })
  return crisp.jpeg({ quality: how.quality }).toBuffer()
}
