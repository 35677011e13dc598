import type { RgbImage } from '../images/raster.ts'

/** A point in pixels, `x` to the right, `y` downwards. */
export type Point = readonly [x: number, y: number]

/** A similarity from a crop's pixels to the picture's: `x' = a·x - b·y + tx`, `y' = b·x + a·y + ty`. */
export interface Similarity {
  readonly a: number
  readonly b: number
  readonly tx: number
  readonly ty: number
}

function read(data: Uint8Array, at: number): number {
  return data[at] as number
}

/** Rotates clockwise by 90 degrees. */
export function rotateQuarter({ width, height, data }: RgbImage): RgbImage {
  const turned = new Uint8Array(data.length)
  const stride = width * 3
  // Each column, read from its end, becomes a row. Written in order, channel by channel, this is twice as fast as pixel
  // by pixel.
  for (let x = 0, to = 0; x < width; x++) {
    for (let at = (height - 1) * stride + x * 3; at >= 0; at -= stride, to += 3) {
      turned[to] = read(data, at)
      turned[to + 1] = read(data, at + 1)
      turned[to + 2] = read(data, at + 2)
    }
  }
  return { width: height, height: width, data: turned }
}

export function applySimilarity(s: Similarity, [x, y]: Point): Point {
  return [s.a * x - s.b * y + s.tx, s.b * x + s.a * y + s.ty]
}

const halves = new WeakMap<RgbImage, RgbImage>()

/** Returns the picture at half its size, each pixel the mean of four; it is created once a picture. */
export function halvePicture(pixels: RgbImage): RgbImage {
  const made = halves.get(pixels)
  if (made) return made
  const { data } = pixels
  const width = pixels.width >> 1
  const height = pixels.height >> 1
  const stride = pixels.width * 3
  const half = new Uint8Array(width * height * 3)
  // The channels are written out: a picture has a million pixels.
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, at = 2 * y * stride; x < width; x++, at += 6, to += 3) {
      const below = at + stride
      half[to] = (read(data, at) + read(data, at + 3) + read(data, below) + read(data, below + 3) + 2) >> 2
      half[to + 1] = (read(data, at + 1) + read(data, at + 4) + read(data, below + 1) + read(data, below + 4) + 2) >> 2
      half[to + 2] = (read(data, at + 2) + read(data, at + 5) + read(data, below + 2) + read(data, below + 5) + 2) >> 2
    }
  }
  const result = { width, height, data: half }
  halves.set(pixels, result)
  return result
}

/**
 * Cuts a square of `size` pixels through a similarity from its pixels to the picture's, as RGB floats, bilinear; black
 * and white are the ends of `range`. If it shrinks, it reads from the picture halved so often that no pixel is skipped.
 * Outside is grey.
 */
export function cutSquare(
  pixels: RgbImage,
  from: Similarity,
  size: number,
  range: readonly [black: number, white: number] = [0, 255],
): Float32Array {
  if (Math.hypot(from.a, from.b) > 1.5 && Math.min(pixels.width, pixels.height) > 2) {
    // Pixel 0 of a half lies between pixels 0 and 1 of the whole.
    const half = { a: from.a / 2, b: from.b / 2, tx: (from.tx - 0.5) / 2, ty: (from.ty - 0.5) / 2 }
    return cutSquare(halvePicture(pixels), half, size, range)
  }
  const [black, white] = range
  const scale = (white - black) / 255
  const out = new Float32Array(size * size * 3).fill(black + scale * outsideGrey)
  // The loop has no call or array for each pixel: a picture's crops have a million pixels.
  const { width, height, data } = pixels
  const stride = width * 3
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const px = from.a * x - from.b * y + from.tx
      const py = from.b * x + from.a * y + from.ty
      if (px < 0 || py < 0 || px >= width - 1 || py >= height - 1) continue
      const x0 = px | 0
      const y0 = py | 0
      const fx = px - x0
      const lower = py - y0
      const upper = 1 - lower
      const upperLeft = scale * upper * (1 - fx)
      const upperRight = scale * upper * fx
      const lowerLeft = scale * lower * (1 - fx)
      const lowerRight = scale * lower * fx
      const at = (y * size + x) * 3
      const i = y0 * stride + x0 * 3
      const j = i + stride
      out[at] =
        black +
        read(data, i) * upperLeft +
        read(data, i + 3) * upperRight +
        read(data, j) * lowerLeft +
        read(data, j + 3) * lowerRight
      out[at + 1] =
        black +
        read(data, i + 1) * upperLeft +
        read(data, i + 4) * upperRight +
        read(data, j + 1) * lowerLeft +
        read(data, j + 4) * lowerRight
      out[at + 2] =
        black +
        read(data, i + 2) * upperLeft +
        read(data, i + 5) * upperRight +
        read(data, j + 2) * lowerLeft +
        read(data, j + 5) * lowerRight
    }
  }
  return out
}

/** Lists a picture and the halves that were made of it. */
export function listHalves(pixels: RgbImage): readonly RgbImage[] {
  const half = halves.get(pixels)
  return half === undefined ? [pixels] : [pixels, ...listHalves(half)]
}

const outsideGrey = 128

/** Measures the sharpness of a square crop: the mean absolute Laplacian of its luma, 0–255. */
export function measureSharpness(square: Float32Array, size: number): number {
  const luma = (x: number, y: number): number => {
    const at = (y * size + x) * 3
    return 0.299 * (square[at] ?? 0) + 0.587 * (square[at + 1] ?? 0) + 0.114 * (square[at + 2] ?? 0)
  }
  let sum = 0
  for (let y = 1; y < size - 1; y++) {
    for (let x = 1; x < size - 1; x++) {
      sum += Math.abs(4 * luma(x, y) - luma(x - 1, y) - luma(x + 1, y) - luma(x, y - 1) - luma(x, y + 1))
    }
  }
  return sum / ((size - 2) * (size - 2))
}
