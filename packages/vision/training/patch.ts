import type { Random } from '../synthetic/random.ts'

/** A piece of a photo: brightness, rows from the top. */
export interface Patch {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}

/** Averages along one direction with the weights of a lens, in place. */
function smear({ data, width, height }: Patch, sigma: number, across: boolean): void {
  const reach = Math.ceil(sigma * 2.5)
  const weights = Array.from({ length: reach * 2 + 1 }, (_, at) => Math.exp(-((at - reach) ** 2) / (2 * sigma ** 2)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const [step, count, stride, lines] = across ? [1, width, width, height] : [width, height, 1, width]
  const line = new Float32Array(count)
  for (let at = 0; at < lines; at++) {
    for (let n = 0; n < count; n++) line[n] = data[at * stride + n * step] ?? 0
    for (let n = 0; n < count; n++) {
      let sum = 0
      for (let tap = -reach; tap <= reach; tap++) {
        sum += (weights[tap + reach] ?? 0) * (line[Math.min(count - 1, Math.max(0, n + tap))] ?? 0)
      }
      data[at * stride + n * step] = sum / total
    }
  }
}

/** Blurs as a lens out of focus by so many pixels, in place. */
export function blur(patch: Patch, sigma: number): void {
  if (sigma < 0.25) return
  smear(patch, sigma, true)
  smear(patch, sigma, false)
}

const size = 65_536

/** Returns normal numbers to cut grain from: drawing each one would take longer than all else. */
export function grainTable(random: Random): Float32Array {
  return Float32Array.from({ length: size }, () => random.normal())
}

/** Adds a sensor's noise, in place. */
export function addGrain({ data }: Patch, grain: Float32Array, amount: number, random: Random): void {
  let from = random.below(size)
  for (let at = 0; at < data.length; at++) {
    from = (from + 1) % size
    data[at] = (data[at] ?? 0) + (grain[from] ?? 0) * amount
  }
}

/** Annex K of the JPEG standard (ITU-T T.81): the luminance table. */
const luminance = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
]

/** The cosine transform of eight values, row by row. */
const cosines = Float32Array.from({ length: 64 }, (_, at) => {
  const frequency = at >> 3
  const place = at & 7
  return Math.cos(((2 * place + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.sqrt(1 / 8) : 0.5)
})

/**
 * Makes `into` cosines × block, transposed; or with `back`, its inverse. Two calls make a transform of both directions.
 */
function transform(block: Float32Array, into: Float32Array, back: boolean): void {
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      let sum = 0
      for (let n = 0; n < 8; n++) {
        sum += (cosines[back ? n * 8 + row : row * 8 + n] ?? 0) * (block[n * 8 + column] ?? 0)
      }
      into[column * 8 + row] = sum
    }
  }
}

/** Reduces the brightness, in place, to that which a JPEG of this quality, 1 to 100, keeps; whole blocks only. */
export function compress({ data, width, height }: Patch, quality: number): void {
  const coarse = quality < 50 ? 50 / quality : 2 - quality / 50
  const block = new Float32Array(64)
  const turned = new Float32Array(64)
  for (let top = 0; top + 8 <= height; top += 8) {
    for (let left = 0; left + 8 <= width; left += 8) {
      for (let at = 0; at < 64; at++) block[at] = data[(top + (at >> 3)) * width + left + (at & 7)] ?? 0
      transform(block, turned, false)
      transform(turned, block, false)
      for (let at = 0; at < 64; at++) {
        const step = Math.max(1, (luminance[at] ?? 16) * coarse)
        block[at] = Math.round((block[at] ?? 0) / step) * step
      }
      transform(block, turned, true)
      transform(turned, block, true)
      for (let at = 0; at < 64; at++) data[(top + (at >> 3)) * width + left + (at & 7)] = block[at] ?? 0
    }
  }
}

/** Returns the brightness between pixels, bilinear. */
export function brightnessAt({ data, width, height }: Patch, x: number, y: number): number {
  const px = Math.min(width - 1.001, Math.max(0, x))
  const py = Math.min(height - 1.001, Math.max(0, y))
  const at = Math.floor(py) * width + Math.floor(px)
  const fx = px % 1
  const fy = py % 1
  const top = (data[at] ?? 0) * (1 - fx) + (data[at + 1] ?? 0) * fx
  const low = (data[at + width] ?? 0) * (1 - fx) + (data[at + width + 1] ?? 0) * fx
  return top * (1 - fy) + low * fy
}
