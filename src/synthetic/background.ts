import type { Random } from './random.ts'

/** A coarse grid of random heights, read smoothly: clouds, at any size. */
const valueNoise = (cells: number, random: Random): ((u: number, v: number) => number) => {
  const grid = Float32Array.from({ length: (cells + 2) ** 2 }, () => random.next())
  return (u, v) => {
    const x = u * cells
    const y = v * cells
    const at = Math.floor(y) * (cells + 2) + Math.floor(x)
    const fx = x % 1
    const fy = y % 1
    const top = (grid[at] ?? 0) * (1 - fx) + (grid[at + 1] ?? 0) * fx
    const low = (grid[at + cells + 2] ?? 0) * (1 - fx) + (grid[at + cells + 3] ?? 0) * fx
    return top * (1 - fy) + low * fy
  }
}

/** A table to lay a document on: wood, cloth or stone by the seed. RGB, rows from the top. */
export const backgroundTexture = (
  { width, height }: { readonly width: number; readonly height: number },
  random: Random,
): { data: Uint8Array; width: number; height: number } => {
  const data = new Uint8Array(width * height * 3)
  const base = [random.between(40, 190), random.between(40, 170), random.between(40, 160)]
  const coarse = valueNoise(6, random)
  const fine = valueNoise(90, random)
  const stripes = random.next() < 0.5 ? random.between(20, 60) : 0
  const contrast = random.between(15, 50)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = x / width
      const v = y / height
      const cloud = coarse(u, v)
      const grain = stripes > 0 ? Math.sin((v + cloud * 0.12) * stripes * 6.28) * 0.3 + 0.5 : cloud
      const shade = (grain - 0.5) * contrast + (fine(u, v) - 0.5) * contrast * 0.6
      const at = (y * width + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        data[at + channel] = Math.min(255, Math.max(0, (base[channel] ?? 0) + shade))
      }
    }
  }
  return { data, width, height }
}
