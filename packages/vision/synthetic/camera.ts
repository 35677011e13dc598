import sharp from 'sharp'
import type { Taking } from './photo_taking.ts'
import type { Random } from './random.ts'

/** A picture in RGB or RGBA, rows from the top. */
export interface Raster {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Draws a shadow's edge: a line across the picture, soft over `soft` pixels. */
function drawShadow({ width, height }: Raster, depth: number, random: Random): (x: number, y: number) => number {
  if (depth === 0) return () => 1
  const angle = random.between(0, Math.PI * 2)
  const dx = Math.cos(angle)
  const dy = Math.sin(angle)
  const cx = width * random.between(0.3, 0.7)
  const cy = height * random.between(0.35, 0.75)
  const soft = width * random.between(0.004, 0.04)
  return (x, y) => {
    const along = ((x - cx) * dx + (y - cy) * dy) / soft
    return 1 - depth * Math.min(1, Math.max(0, along + 0.5))
  }
}

/**
 * Grey levels that a reflection of strength 1 adds at its middle: everything but the darkest print burns out. No
 * measurement supports it: of the 14 photographs by phone in `packages/vision/bench/pictures/documents.json` none has a
 * lamp's reflection that burns out. Plastic reflects some 4 % of a lamp (Fresnel, index 1.5), which is as bright as lit
 * paper or brighter.
 */
const shineLevels = 190

/** Adds uneven light, a shadow, a reflection and the camera's white balance, in place. */
export function light(scene: Raster, how: Taking, random: Random): void {
  const { data, width, height } = scene
  const angle = random.between(0, Math.PI * 2)
  const dx = Math.cos(angle) / width
  const dy = Math.sin(angle) / height
  const red = random.between(0.93, 1.05)
  const blue = random.between(0.9, 1.06)
  const exposure = random.between(0.86, 1.04)
  const sx = random.between(0.3, 0.7) * width
  const sy = random.between(0.3, 0.8) * height
  const reach = (random.between(0.06, 0.13) * width * how.glareSize) ** 2
  const shadow = drawShadow(scene, how.shadow, random)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const along = (x - width / 2) * dx + (y - height / 2) * dy + 0.5
      const shaded = exposure * (1 - how.shade * Math.min(1, Math.max(0, along)))
      const gain = how.shadow === 0 ? shaded : shaded * shadow(x, y)
      const away = how.glare > 0 ? ((x - sx) ** 2 + ((y - sy) * 1.6) ** 2) / reach : 9
      const shine = away < 9 ? how.glare * shineLevels * Math.exp(-away) : 0
      const at = (y * width + x) * 3
      data[at] = Math.min(255, (data[at] as number) * gain * red + shine)
      data[at + 1] = Math.min(255, (data[at + 1] as number) * gain + shine)
      data[at + 2] = Math.min(255, (data[at + 2] as number) * gain * blue + shine)
    }
  }
}

/** Adds one row to the sums, moved by so many bytes; beyond the picture its edge is repeated. */
function addMoved(sums: Uint16Array, start: number, from: Uint8Array, shift: number): void {
  const last = from.length - 3
  const first = Math.min(from.length, Math.max(0, -shift))
  const end = Math.min(from.length, Math.max(first, from.length - shift))
  for (let at = 0; at < first; at++) sums[start + at] = (sums[start + at] as number) + (from[at % 3] as number)
  for (let at = first; at < end; at++) sums[start + at] = (sums[start + at] as number) + (from[at + shift] as number)
  for (let at = end; at < from.length; at++)
    sums[start + at] = (sums[start + at] as number) + (from[last + (at % 3)] as number)
}

/** Averages along a short straight path: a hand that moved while the shutter was open. */
function moved({ data, width, height }: Raster, length: number, random: Random): Uint8Array {
  const angle = random.between(0, Math.PI)
  const taps = Math.ceil(length) + 1
  const sums = new Uint16Array(data.length)
  const row = width * 3
  for (let tap = 0; tap < taps; tap++) {
    const along = (tap / (taps - 1) - 0.5) * length
    const [dx, dy] = [Math.round(along * Math.cos(angle)), Math.round(along * Math.sin(angle))]
    for (let y = 0; y < height; y++) {
      const from = Math.min(height - 1, Math.max(0, y + dy)) * row
      addMoved(sums, y * row, data.subarray(from, from + row), dx * 3)
    }
  }
  const mean = new Uint8Array(data.length)
  for (let at = 0; at < mean.length; at++) mean[at] = (sums[at] as number) / taps
  return mean
}

const tile = 8191

/** Adds a sensor's noise, in place: stronger where it is dark, mostly of brightness, a little of colour. */
function addNoise({ data, width, height }: Raster, amount: number, random: Random): void {
  const grain = Float32Array.from({ length: tile }, () => random.normal() * amount)
  const colour = Float32Array.from({ length: tile }, () => random.normal() * amount * 0.3)
  for (let y = 0; y < height; y++) {
    let g = random.below(tile)
    let c = random.below(tile)
    const end = (y + 1) * width * 3
    for (let at = y * width * 3; at < end; at += 3) {
      g = g + 1 === tile ? 0 : g + 1
      c = c + 1 === tile ? 0 : c + 1
      const grey = (grain[g] as number) * (1.25 - (data[at + 1] as number) / 512)
      const tint = colour[c] as number
      data[at] = Math.min(255, Math.max(0, (data[at] as number) + grey + tint))
      data[at + 1] = Math.min(255, Math.max(0, (data[at + 1] as number) + grey))
      data[at + 2] = Math.min(255, Math.max(0, (data[at + 2] as number) + grey - tint))
    }
  }
}

/** Develops a lit scene into a JPEG: lens, hand, sensor and encoder add their faults. */
export async function develop(
  scene: Raster,
  how: Pick<Taking, 'blur' | 'motion' | 'noise' | 'quality'>,
  random: Random,
): Promise<Buffer> {
  const raw = { width: scene.width, height: scene.height, channels: 3 } as const
  const length = how.motion * scene.width
  const still = length >= 1 ? moved(scene, length, random) : scene.data
  const sigma = how.blur * scene.width
  const focused = sharp(still, { raw })
  const blurred = sigma >= 0.3 ? focused.blur(sigma) : focused
  const data = new Uint8Array(await blurred.raw().toBuffer())
  addNoise({ ...scene, data }, how.noise, random)
  return sharp(data, { raw }).jpeg({ quality: how.quality }).toBuffer()
}
