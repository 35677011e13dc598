import sharp from 'sharp'
import { backgroundTexture } from './background.ts'
import { type PhotoCondition, type Taking, taking } from './photo_taking.ts'
import { type Random, seeded } from './random.ts'

/** How a photo is taken. `width` is the picture's, in pixels, 2000 by default; its height is three quarters of it. */
export interface PhotoSetting {
  readonly seed: number
  readonly condition?: PhotoCondition
  readonly width?: number
}

type Corner = readonly [x: number, y: number]

/** Where the document's corners come to lie in the photo: scaled, turned, moved, and strayed for the perspective. */
const corners = (aspect: number, how: Taking, frame: { width: number; height: number }, random: Random): Corner[] => {
  const angle = (how.turn * Math.PI) / 180
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  // The turned document's bounding box must stay inside the frame.
  const wide = Math.abs(cos) + Math.abs(sin) / aspect
  const high = Math.abs(sin) + Math.abs(cos) / aspect
  const width = how.fill * Math.min(frame.width / wide, frame.height / high)
  const middle: Corner = [
    frame.width * (0.5 + random.between(-0.02, 0.02)),
    frame.height * (0.5 + random.between(-0.02, 0.02)),
  ]
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

/** The projective map from the photo to the unit square whose corners lie at `quad` (Heckbert 1989, inverted). */
const toUnitSquare = (quad: readonly Corner[]): ((x: number, y: number) => Corner) => {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad as readonly [Corner, Corner, Corner, Corner]
  const dx = x0 - x1 + x2 - x3
  const dy = y0 - y1 + y2 - y3
  const det = (x1 - x2) * (y3 - y2) - (x3 - x2) * (y1 - y2)
  const g = (dx * (y3 - y2) - (x3 - x2) * dy) / det
  const h = ((x1 - x2) * dy - dx * (y1 - y2)) / det
  const [a, b, c] = [x1 - x0 + g * x1, x3 - x0 + h * x3, x0]
  const [d, e, f] = [y1 - y0 + g * y1, y3 - y0 + h * y3, y0]
  return (x, y) => {
    const w = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d)
    return [
      ((e - f * h) * x + (c * h - b) * y + (b * f - c * e)) / w,
      ((f * g - d) * x + (a - c * g) * y + (c * d - a * f)) / w,
    ]
  }
}

interface Raster {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Lays the picture (RGBA) over the scene (RGB) where `map` says, bilinear. */
const layOver = (scene: Raster, picture: Raster, map: (x: number, y: number) => Corner): void => {
  const { data, width, height } = picture
  for (let y = 0; y < scene.height; y++) {
    for (let x = 0; x < scene.width; x++) {
      const [u, v] = map(x + 0.5, y + 0.5)
      if (u <= 0 || u >= 1 || v <= 0 || v >= 1) continue
      const px = Math.min(width - 1.001, Math.max(0, u * width - 0.5))
      const py = Math.min(height - 1.001, Math.max(0, v * height - 0.5))
      const at = (Math.floor(py) * width + Math.floor(px)) * 4
      const fx = px % 1
      const fy = py % 1
      const mix = (channel: number): number => {
        const i = at + channel
        const top = (data[i] ?? 0) * (1 - fx) + (data[i + 4] ?? 0) * fx
        const low = (data[i + width * 4] ?? 0) * (1 - fx) + (data[i + width * 4 + 4] ?? 0) * fx
        return top * (1 - fy) + low * fy
      }
      const alpha = mix(3) / 255
      const to = (y * scene.width + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        scene.data[to + channel] = (scene.data[to + channel] ?? 0) * (1 - alpha) + mix(channel) * alpha
      }
    }
  }
}

/** Uneven light, a reflection and the camera's white balance, in place. */
const light = (scene: Raster, how: Taking, random: Random): void => {
  const { data, width, height } = scene
  const angle = random.between(0, Math.PI * 2)
  const [dx, dy] = [Math.cos(angle) / width, Math.sin(angle) / height]
  const balance = [random.between(0.93, 1.05), 1, random.between(0.9, 1.06)]
  const exposure = random.between(0.88, 1.04)
  const spot = {
    x: random.between(0.3, 0.7) * width,
    y: random.between(0.3, 0.8) * height,
    r: random.between(0.06, 0.13) * width,
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const along = (x - width / 2) * dx + (y - height / 2) * dy + 0.5
      const gain = exposure * (1 - how.shade * Math.min(1, Math.max(0, along)))
      const away = ((x - spot.x) ** 2 + ((y - spot.y) * 1.6) ** 2) / spot.r ** 2
      const shine = how.glare > 0 && away < 9 ? how.glare * 190 * Math.exp(-away) : 0
      const at = (y * width + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        data[at + channel] = Math.min(255, (data[at + channel] ?? 0) * gain * (balance[channel] ?? 1) + shine)
      }
    }
  }
}

/** A sensor's noise, in place: mostly brightness, a little colour. */
const addNoise = (data: Uint8Array, amount: number, random: Random): void => {
  for (let at = 0; at + 2 < data.length; at += 3) {
    const grain = random.normal() * amount
    const colour = (random.next() - 0.5) * amount
    data[at] = Math.min(255, Math.max(0, (data[at] ?? 0) + grain + colour))
    data[at + 1] = Math.min(255, Math.max(0, (data[at + 1] ?? 0) + grain))
    data[at + 2] = Math.min(255, Math.max(0, (data[at + 2] ?? 0) + grain - colour))
  }
}

const develop = async (
  scene: Raster,
  how: Pick<Taking, 'blur' | 'noise' | 'quality'>,
  random: Random,
): Promise<Buffer> => {
  const raw = { width: scene.width, height: scene.height, channels: 3 } as const
  const sigma = how.blur * scene.width
  const sharpEnough = sharp(scene.data, { raw })
  const blurred = sigma >= 0.3 ? sharpEnough.blur(sigma) : sharpEnough
  const data = new Uint8Array(await blurred.raw().toBuffer())
  addNoise(data, how.noise, random)
  return sharp(data, { raw }).jpeg({ quality: how.quality }).toBuffer()
}

/** A phone's photo of a flat picture on a table, as JPEG. The same picture and setting give the same bytes. */
export const photograph = async (image: Uint8Array, setting: PhotoSetting): Promise<Buffer> => {
  const random = seeded(setting.seed)
  const how = taking(setting.condition ?? 'typical', random)
  const width = setting.width ?? 2000
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const scene = backgroundTexture({ width, height: Math.round(width * 0.75) }, random)
  const quad = corners(info.width / info.height, how, scene, random)
  layOver(scene, { data, width: info.width, height: info.height }, toUnitSquare(quad))
  light(scene, how, random)
  return develop(scene, how, random)
}

/** A phone's photo of a person: only the camera's own share, as the picture already shows the scene. JPEG. */
export const photographFace = async (image: Uint8Array, seed: number): Promise<Buffer> => {
  const random = seeded(seed)
  const { data, info } = await sharp(image).flatten().removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const scene = { data: new Uint8Array(data), width: info.width, height: info.height }
  const how = taking('typical', random)
  light(scene, { ...how, shade: how.shade / 2 }, random)
  return develop(scene, { ...how, blur: how.blur / 2 }, random)
}
