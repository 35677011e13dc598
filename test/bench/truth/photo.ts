import sharp from 'sharp'
import type { Taking } from './conditions.ts'
import type { Side } from './documents.ts'
import { illuminate, lightOf, tintOf } from './light.ts'
import { type View, viewOf } from './optics.ts'
import { chance } from './random.ts'
import { expose } from './sensor.ts'
import { type Picture, tableOf } from './table.ts'
import { zonePitch } from './zone_print.ts'

/** Millimetres around the sheet that are drawn too, for its shadow on the table. */
const margin = 3

/** The sheet as RGBA, at about as many pixels as the photo will have of it. */
const drawSheet = async ({ width, height, corner, content }: Side, pixels_per_mm: number): Promise<Picture> => {
  const [wide, high] = [width + margin * 2, height + margin * 2]
  const size = `width="${Math.round(wide * pixels_per_mm)}" height="${Math.round(high * pixels_per_mm)}"`
  const box = `viewBox="${-margin} ${-margin} ${wide} ${high}"`
  const shade = [1.6, 1, 0.5].map(
    out =>
      `<rect x="${-out + 0.3}" y="${-out + 0.5}" width="${width + out * 2}" height="${height + out * 2}" rx="${corner + out}" fill="#000" opacity=".13"/>`,
  )
  const clip = `<clipPath id="sheet"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${box}>${clip}${shade.join('')}<g clip-path="url(#sheet)">${content}</g></svg>`
  const { data, info } = await sharp(Buffer.from(svg), { unlimited: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Pixels between rays that are followed; between them the sheet's places are interpolated. */
const step = 8

/** The sheet's place for every ray of one row of the coarse grid, in the drawn sheet's pixels; NaN where there is none. */
const followRow = (view: View, side: Side, sheet: Picture, y: number): { xs: Float64Array; ys: Float64Array } => {
  const count = Math.ceil(view.width / step) + 1
  const xs = new Float64Array(count).fill(Number.NaN)
  const ys = new Float64Array(count).fill(Number.NaN)
  const [sx, sy] = [sheet.width / (side.width + margin * 2), sheet.height / (side.height + margin * 2)]
  for (let node = 0; node < count; node++) {
    const at = view.ray(node * step, y)
    if (at === null) continue
    xs[node] = (at[0] + side.width / 2 + margin) * sx
    ys[node] = (at[1] + side.height / 2 + margin) * sy
  }
  return { xs, ys }
}

/** Lays pixels of the sheet over the scene, bilinear: `to` in the scene's bytes, `x` and `y` in the sheet's pixels. */
const layer = (scene: Picture, sheet: Picture): ((to: number, x: number, y: number) => void) => {
  const { data, width } = sheet
  const under = scene.data
  return (to, x, y) => {
    const left = Math.floor(x)
    const top = Math.floor(y)
    const fx = x - left
    const fy = y - top
    const at = (top * width + left) * 4
    const below = at + width * 4
    const mix = (channel: number): number =>
      ((data[at + channel] ?? 0) * (1 - fx) + (data[at + 4 + channel] ?? 0) * fx) * (1 - fy) +
      ((data[below + channel] ?? 0) * (1 - fx) + (data[below + 4 + channel] ?? 0) * fx) * fy
    const alpha = mix(3) / 255
    for (let channel = 0; channel < 3; channel++)
      under[to + channel] = (under[to + channel] ?? 0) * (1 - alpha) + mix(channel) * alpha
  }
}

/** The sheet on the table as the camera sees it, in place. */
const lay = (scene: Picture, sheet: Picture, view: View, side: Side): void => {
  const { width, height } = scene
  const put = layer(scene, sheet)
  for (let top = 0; top < height; top += step) {
    const above = followRow(view, side, sheet, top)
    const below = followRow(view, side, sheet, top + step)
    for (let y = top; y < Math.min(height, top + step); y++) {
      const down = (y - top) / step
      for (let x = 0; x < width; x++) {
        const node = (x / step) | 0
        const along = x / step - node
        const across = (row: Float64Array): number => (row[node] ?? 0) * (1 - along) + (row[node + 1] ?? 0) * along
        const px = across(above.xs) * (1 - down) + across(below.xs) * down - 0.5
        const py = across(above.ys) * (1 - down) + across(below.ys) * down - 0.5
        if (px >= 0 && py >= 0 && px < sheet.width - 1 && py < sheet.height - 1) put((y * width + x) * 3, px, py)
      }
    }
  }
}

/** The pixel that shows a place of the sheet best, sought on a coarse grid. */
const pixelOf = (view: View, x: number, y: number): { x: number; y: number } => {
  let best = { x: view.width / 2, y: view.height / 2, away: Number.POSITIVE_INFINITY }
  for (let py = 0; py < view.height; py += step * 2) {
    for (let px = 0; px < view.width; px += step * 2) {
      const at = view.ray(px, py)
      const away = at === null ? Number.POSITIVE_INFINITY : Math.hypot(at[0] - x, at[1] - y)
      if (away < best.away) best = { x: px, y: py, away }
    }
  }
  return best
}

/** A photo, and how many pixels it has. */
export interface Photo {
  readonly photo: Buffer
  readonly width: number
  readonly height: number
}

/** A phone's photo of something flat, as JPEG. The same side, taking and seed give the same bytes. */
export const photographSide = async (side: Side, how: Taking, seed: number): Promise<Photo> => {
  const random = chance(seed, 'photo')
  const view = viewOf(side, how, side.zone?.left ?? null, random)
  const sheet = await drawSheet(side, (view.pitch / zonePitch) * 1.1)
  const scene = await tableOf(view, how.busy, random)
  lay(scene, sheet, view, side)
  const whole = { left: 0, top: 0, width: side.width, height: side.height }
  const area = (how.glare_on_zone ? side.zone : null) ?? whole
  const mirror = {
    x: area.left + random.between(0.1, 0.9) * area.width - side.width / 2,
    y: area.top + random.between(0.1, 0.9) * area.height - side.height / 2,
  }
  const reach = (how.glare_size * (side.zone ?? whole).width * view.pitch) / zonePitch / 2
  const shine = how.glare === 0 ? { x: 0, y: 0 } : pixelOf(view, mirror.x, mirror.y)
  illuminate(scene, lightOf(view, how, { ...shine, reach }, random), tintOf(random))
  const photo = await expose(scene, how, view.pitch, random)
  return { photo, width: view.width, height: view.height }
}
