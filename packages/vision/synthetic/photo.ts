import sharp from 'sharp'
import { backgroundTexture } from './background.ts'
import { develop, light, type Raster } from './camera.ts'
import { type PhotoCondition, type Taking, taking } from './photo_taking.ts'
import { type Random, seeded } from './random.ts'

/** The setting of a photo. `width` is the picture's, in pixels, 2000 by default; its height is three quarters of it. */
export interface PhotoSetting {
  readonly seed: number
  readonly condition?: PhotoCondition
  readonly width?: number
}

type Corner = readonly [x: number, y: number]

/**
 * Returns the places of the document's corners in the photo: scaled, turned, moved, and strayed for the perspective.
 */
function corners(aspect: number, how: Taking, frame: { width: number; height: number }, random: Random): Corner[] {
  const angle = (how.turn * Math.PI) / 180
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  // The turned document's bounding box must stay inside the frame.
  const wide = Math.abs(cos) + Math.abs(sin) / aspect
  const high = Math.abs(sin) + Math.abs(cos) / aspect
  const width = how.fill * Math.min(frame.width / wide, frame.height / high)
  const middle: Corner = [frame.width * (0.5 + how.offset[0]), frame.height * (0.5 + how.offset[1])]
  const stray = (): number => random.between(-1, 1) * how.perspective * width
  const unit: readonly Corner[] = [
    [-0.5, -0.5],
    [0.5, -0.5],
    [0.5, 0.5],
    [-0.5, 0.5],
  ]
  return unit.map(([u, v]) => {
    const x = u * width
    const y = (v * width) / aspect
    return [middle[0] + x * cos - y * sin + stray(), middle[1] + x * sin + y * cos + stray()]
  })
}

/** A map from the photo to the unit square: three rows, whose products with (x, y, 1) are u, v and their divisor. */
type SquareMap = readonly number[]

/**
 * Returns the projective map from the photo to the unit square whose corners lie at `quad` (Heckbert 1989, inverted).
 */
function toUnitSquare(quad: readonly Corner[]): SquareMap {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad as readonly [Corner, Corner, Corner, Corner]
  const dx = x0 - x1 + x2 - x3
  const dy = y0 - y1 + y2 - y3
  const det = (x1 - x2) * (y3 - y2) - (x3 - x2) * (y1 - y2)
  const g = (dx * (y3 - y2) - (x3 - x2) * dy) / det
  const h = ((x1 - x2) * dy - dx * (y1 - y2)) / det
  const a = x1 - x0 + g * x1
  const b = x3 - x0 + h * x3
  const c = x0
  const d = y1 - y0 + g * y1
  const e = y3 - y0 + h * y3
  const f = y0
  return [
    e - f * h,
    c * h - b,
    b * f - c * e,
    f * g - d,
    a - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ]
}

/**
 * Lays one row of the picture (RGBA) over the scene (RGB), bilinear. A page bows in its middle: its rows move by a
 * parabola of the column. It is a function of its own because V8 would box the numbers of a loop within a loop.
 */
function layRow(scene: Raster, y: number, { data, width, height }: Raster, map: SquareMap, bow: number): void {
  const [ux, uy, u1, vx, vy, v1, wx, wy, w1] = map as readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const row = width * 4
  const down = y + 0.5
  const { data: out, width: wide } = scene
  for (let x = 0; x < wide; x++) {
    const right = x + 0.5
    const w = wx * right + wy * down + w1
    const u = (ux * right + uy * down + u1) / w
    const flat = (vx * right + vy * down + v1) / w
    const v = bow === 0 ? flat : flat + bow * (1 - (2 * u - 1) ** 2)
    if (u <= 0 || u >= 1 || v <= 0 || v >= 1) continue
    const px = Math.min(width - 1.001, Math.max(0, u * width - 0.5))
    const py = Math.min(height - 1.001, Math.max(0, v * height - 0.5))
    const left = Math.floor(px)
    const upper = Math.floor(py)
    const at = (upper * width + left) * 4
    const fx = px - left
    const fy = py - upper
    const a = (1 - fx) * (1 - fy)
    const b = fx * (1 - fy)
    const c = (1 - fx) * fy
    const d = fx * fy
    const alpha = (data[at + 3] as number) / 255
    const to = (y * wide + x) * 3
    for (let channel = 0; channel < 3; channel++) {
      const i = at + channel
      const mixed =
        a * (data[i] as number) +
        b * (data[i + 4] as number) +
        c * (data[i + row] as number) +
        d * (data[i + row + 4] as number)
      out[to + channel] = (out[to + channel] as number) * (1 - alpha) + mixed * alpha
    }
  }
}

/** Returns the document as the lens would gather it: shrunk if the photo has fewer pixels than the print. RGBA. */
async function gathered(image: Uint8Array, wanted: number): Promise<Raster> {
  const { data, info } = await sharp(image)
    .resize({ width: Math.ceil(wanted), withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Takes a phone's photo of a flat picture on a table, as JPEG. The same picture and setting give the same bytes. */
export async function photograph(image: Uint8Array, setting: PhotoSetting): Promise<Buffer> {
  const random = seeded(setting.seed)
  const how = taking(setting.condition ?? 'typical', random)
  const width = how.width ?? setting.width ?? 2000
  const picture = await gathered(image, width * how.fill * 1.2)
  const size = { width, height: Math.round(width * 0.75) }
  const scene = await backgroundTexture(size, { random, busy: how.busy })
  const aspect = picture.width / picture.height
  const quad = corners(aspect, how, scene, random)
  // A card (1.59 and 1.42 wide) is stiff; a passport's page shares its 1.42 with it, so that both may bow a little.
  const bow = aspect > 1.5 ? how.bow / 3 : how.bow
  const map = toUnitSquare(quad)
  for (let y = 0; y < scene.height; y++) layRow(scene, y, picture, map, bow)
  light(scene, how, random)
  return develop(scene, how, random)
}

/**
 * Takes a phone's photo of a person, as JPEG: only the camera's own faults are added, as the picture already shows the
 * scene.
 */
export async function photographFace(image: Uint8Array, seed: number): Promise<Buffer> {
  const random = seeded(seed)
  const { data, info } = await sharp(image).flatten().removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const scene = { data: new Uint8Array(data), width: info.width, height: info.height }
  const how = taking('typical', random)
  light(scene, { ...how, shade: how.shade / 2 }, random)
  return develop(scene, { ...how, blur: how.blur / 2, motion: 0 }, random)
}
