import sharp from 'sharp'
import type { Random } from './random.ts'

/** Returns a coarse grid of random heights, read smoothly: clouds, at any size. */
function valueNoise(cells: number, random: Random): (u: number, v: number) => number {
  const grid = Float32Array.from({ length: (cells + 2) ** 2 }, () => random.next())
  return (u, v) => {
    const x = u * cells
    const y = v * cells
    const at = Math.floor(y) * (cells + 2) + Math.floor(x)
    const fx = x % 1
    const fy = y % 1
    const top = (grid[at] as number) * (1 - fx) + (grid[at + 1] as number) * fx
    const low = (grid[at + cells + 2] as number) * (1 - fx) + (grid[at + cells + 3] as number) * fx
    return top * (1 - fy) + low * fy
  }
}

/** Returns the pattern of a busy table, -1 to 0: a chequered cloth, or a printed page's rows of dark marks. */
function pattern(random: Random): (u: number, v: number) => number {
  const count = random.between(14, 60)
  if (random.next() < 0.4) return (u, v) => (Math.floor(u * count) + Math.floor(v * count * 0.75)) % 2 && -1
  const marks = Uint8Array.from({ length: 997 }, () => (random.next() < 0.72 ? 1 : 0))
  const rows = count * 0.9
  const pitch = count * random.between(2.2, 3.4)
  const slope = random.between(-0.2, 0.2)
  return (u, v) => {
    const row = (v + slope * u) * rows
    const column = u * pitch
    const mark = marks[(Math.abs(Math.floor(row)) * 131 + Math.floor(column)) % 997] ?? 0
    return mark === 1 && row % 1 > 0.45 && column % 1 > 0.3 ? -1 : 0
  }
}

/** Draws a table to lay a document on: wood, cloth or stone by the seed, or something loud. RGB, rows from the top. */
export async function backgroundTexture(
  { width, height }: { readonly width: number; readonly height: number },
  { random, busy }: { readonly random: Random; readonly busy: boolean },
): Promise<{ data: Uint8Array; width: number; height: number }> {
  // The table is drawn at half the size: it is never as sharp as the document on it.
  const wide = Math.ceil(width / 2)
  const high = Math.ceil(height / 2)
  const data = new Uint8Array(wide * high * 3)
  const base = [random.between(40, 190), random.between(40, 170), random.between(40, 160)]
  const coarse = valueNoise(6, random)
  const fine = valueNoise(90, random)
  const stripes = random.next() < 0.5 ? random.between(20, 60) : 0
  const contrast = random.between(15, 50)
  const loud = busy ? pattern(random) : null
  const lift = busy ? 60 : 0
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const u = x / wide
      const v = y / high
      const cloud = coarse(u, v)
      const grain = stripes > 0 ? Math.sin((v + cloud * 0.12) * stripes * 6.28) * 0.3 + 0.5 : cloud
      const print = loud === null ? 0 : loud(u, v) * 130 + lift
      const shade = (grain - 0.5) * contrast + (fine(u, v) - 0.5) * contrast * 0.6 + print
      const at = (y * wide + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        data[at + channel] = Math.min(255, Math.max(0, (base[channel] ?? 0) + shade))
      }
    }
  }
  const raw = { width: wide, height: high, channels: 3 } as const
  const grown = await sharp(data, { raw }).resize(width, height, { fit: 'fill', kernel: 'linear' }).raw().toBuffer()
  return { data: new Uint8Array(grown), width, height }
}
