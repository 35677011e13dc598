import sharp from 'sharp'

/** The position of a print before a camera. Angles are in degrees. */
export interface Print {
  /**
   * Angle about the vertical: a positive one looks like a turn to the person's right. `pitch` is about the horizontal,
   * `roll` in the picture's plane.
   */
  readonly yaw: number
  readonly pitch?: number
  readonly roll?: number
  /** Distance of the camera in widths of the print. */
  readonly distance?: number
  /** The arc to which the print is bent, its middle towards the camera; away from it if negative. */
  readonly arc?: number
  /** Angle by which each half is folded back along the middle. */
  readonly fold?: number
  /** Width in pixels of the screen that shows the picture instead of paper. */
  readonly screenPixels?: number
  /** Width of the photo, in pixels. */
  readonly width?: number
}

type Vector = readonly [x: number, y: number, z: number]

const degrees = Math.PI / 180

function held([x, y, z]: Vector, { yaw, pitch = 0, roll = 0 }: Print): Vector {
  const a = yaw * degrees
  const b = pitch * degrees
  const c = roll * degrees
  const x1 = x * Math.cos(a) + z * Math.sin(a)
  const z1 = z * Math.cos(a) - x * Math.sin(a)
  const y2 = y * Math.cos(b) - z1 * Math.sin(b)
  const z2 = y * Math.sin(b) + z1 * Math.cos(b)
  return [x1 * Math.cos(c) - y2 * Math.sin(c), x1 * Math.sin(c) + y2 * Math.cos(c), z2]
}

/**
 * Returns the place, across and in depth, of a point of the bent print; `s` is its place on the flat one, -0.5 to 0.5
 * from the middle.
 */
function bent(s: number, { arc = 0, fold = 0 }: Print): readonly [x: number, z: number] {
  if (arc !== 0) {
    const angle = arc * degrees
    return [Math.sin(s * angle) / angle, (1 - Math.cos(s * angle)) / angle]
  }
  return [s * Math.cos(fold * degrees), Math.abs(s) * Math.sin(fold * degrees)]
}

/** A plane strip of the print: `at` its left edge's middle, `along` its width, `down` its height. */
interface Strip {
  readonly start: number
  readonly share: number
  readonly at: Vector
  readonly along: Vector
  readonly down: Vector
  readonly normal: Vector
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

function stripsOf(how: Print, distance: number): readonly Strip[] {
  const count = how.arc ? 36 : how.fold ? 2 : 1
  const place = (s: number): Vector => {
    const [x, z] = bent(s, how)
    const [px, py, pz] = held([x, 0, z], how)
    return [px, py, pz + distance]
  }
  const down = held([0, 1, 0], how)
  return Array.from({ length: count }, (_, i) => {
    const at = place(-0.5 + i / count)
    const end = place(-0.5 + (i + 1) / count)
    const along: Vector = [end[0] - at[0], end[1] - at[1], end[2] - at[2]]
    return { start: -0.5 + i / count, share: 1 / count, at, along, down, normal: cross(along, down) }
  })
}

/** Returns the place where a ray first meets the print, in widths from its middle; null if it passes by. */
function meet(strips: readonly Strip[], ray: Vector, half: number): readonly [x: number, y: number] | null {
  let nearest = Number.POSITIVE_INFINITY
  let found: readonly [number, number] | null = null
  for (const { start, share, at, along, down, normal } of strips) {
    const far = dot(normal, at) / dot(normal, ray)
    if (!(far > 0 && far < nearest)) continue
    const hit: Vector = [ray[0] * far - at[0], ray[1] * far - at[1], ray[2] * far - at[2]]
    const u = dot(hit, along) / dot(along, along)
    const v = dot(hit, down)
    if (u < 0 || u > 1 || Math.abs(v) > half) continue
    nearest = far
    found = [start + u * share, v]
  }
  return found
}

/** Returns the first and the last column of the picture in which a strip may show. */
function columnsOf(
  { at, along, down }: Strip,
  half: number,
  { width, distance }: { readonly width: number; readonly distance: number },
): readonly [first: number, last: number] {
  const columns = [0, 1].flatMap(u =>
    [-half, half].map(v => {
      const x = at[0] + u * along[0] + v * down[0]
      const z = at[2] + u * along[2] + v * down[2]
      return z <= 0 ? Number.NaN : ((x / z) * distance * width) / 1.05 + width / 2
    }),
  )
  return columns.some(Number.isNaN) ? [0, width] : [Math.min(...columns) - 1, Math.max(...columns) + 1]
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/**
 * Blur of a focused lens, in the camera's pixels: it leaves two thirds of the contrast of the finest stripes that it
 * resolves.
 */
const lensBlur = 0.29

/**
 * Returns the share of the contrast of stripes, so many a pixel, that a camera keeps: its lens blurs them, and its
 * pixels, which are as wide as their distance.
 */
function transfer(stripes: number): number {
  return Math.abs(sinc(stripes)) * Math.exp(-2 * (Math.PI * lensBlur * stripes) ** 2)
}

/**
 * The lit part of a screen's pixel: one colour lights this share of its width, as one of three stripes, and of its
 * height.
 */
const lit = { across: 1 / 3, down: 0.9 } as const

/**
 * Returns the brightness of a screen's colours at the place of a camera's pixel, over their mean. It is the first
 * harmonic of the stripes, which the camera samples too rarely to see, so that broad bands come of them.
 */
function shine([u, v]: readonly [number, number], pixels: number, perPixel: number): readonly number[] {
  const contrast = transfer(pixels * perPixel)
  const rows = 2 * sinc(lit.down) * contrast * Math.cos(2 * Math.PI * v * pixels)
  return [0, 1, 2].map(
    colour => 1 + rows + 2 * sinc(lit.across) * contrast * Math.cos(2 * Math.PI * (u * pixels + colour / 3)),
  )
}

/**
 * Takes a photo of a print of `image`, flat, bent or folded, as an attacker does who holds a picture before the camera
 * and turns it. Transparent parts are cut off. The photo is 400 pixels wide by default.
 */
export async function photographPrint(image: Uint8Array, how: Print): Promise<Buffer> {
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width = 400, screenPixels = 0 } = how
  const height = Math.round((width * info.height) / info.width)
  const half = info.height / info.width / 2
  const distance = how.distance ?? 1.5
  const strips = stripsOf(how, distance)
  const reach = strips.map(strip => columnsOf(strip, half, { width, distance }))
  const out = Buffer.alloc(width * height * 3, 150)
  for (let x = 0; x < width; x++) {
    const near = strips.filter((_, i) => x >= (reach[i]?.[0] ?? 0) && x <= (reach[i]?.[1] ?? width))
    for (let y = 0; y < height; y++) {
      const ray: Vector = [(1.05 * (x / width - 0.5)) / distance, (1.05 * (y - height / 2)) / width / distance, 1]
      const spot = meet(near, ray, half)
      if (!spot) continue
      const sx = Math.min(info.width - 1, Math.max(0, Math.round((spot[0] + 0.5) * info.width)))
      const sy = Math.min(info.height - 1, Math.max(0, Math.round((spot[1] / (2 * half) + 0.5) * info.height)))
      const from = (sy * info.width + sx) * 4
      if ((data[from + 3] ?? 0) < 128) continue
      const bright = screenPixels > 0 ? shine(spot, screenPixels, 1.05 / width) : [1, 1, 1]
      for (let c = 0; c < 3; c++) out[(y * width + x) * 3 + c] = Math.min(255, (data[from + c] ?? 0) * (bright[c] ?? 1))
    }
  }
  return sharp(out, { raw: { width, height, channels: 3 } })
    .blur(0.5)
    .jpeg({ quality: 88 })
    .toBuffer()
}
