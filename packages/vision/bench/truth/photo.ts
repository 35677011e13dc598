import sharp from 'sharp'
import type { Taking } from './conditions.ts'
import type { Side } from './documents.ts'
import { illuminate, lightOf, tintOf } from './light.ts'
import { type View, viewOf } from './optics.ts'
import { chance } from './random.ts'
import { expose } from './sensor.ts'
import { brightness, type Picture, tableOf } from './table.ts'
import { zonePitch } from './zone_print.ts'

/** The scene includes this much around the sheet, in millimetres, for its shadow on the table. */
const margin = 3

/** Returns colours as their brightness, with their opacity. */
function withoutColour(rgba: Uint8Array): Uint8Array {
  const [red, green, blue] = brightness
  const out = new Uint8Array(rgba.length / 2)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 2) {
    out[to] = (rgba[from] ?? 0) * red + (rgba[from + 1] ?? 0) * green + (rgba[from + 2] ?? 0) * blue
    out[to + 1] = rgba[from + 3] ?? 0
  }
  return out
}

/** Draws the sheet, with its coverage as the last channel, at about as many pixels as the photo will have of it. */
async function drawSheet(
  { width, height, corner, content }: Side,
  pixelsPerMm: number,
  channels: 1 | 3,
): Promise<Picture> {
  const wide = width + margin * 2
  const high = height + margin * 2
  const size = `width="${Math.round(wide * pixelsPerMm)}" height="${Math.round(high * pixelsPerMm)}"`
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
  const sizePx = { width: info.width, height: info.height, channels: channels + 1 }
  return { data: channels === 1 ? withoutColour(data) : data, ...sizePx }
}

/** Distance in pixels between rays that are followed; between them the sheet's places are interpolated. */
const step = 8

/**
 * Returns the sheet's place for every ray of one row of the coarse grid, in the drawn sheet's pixels; NaN if there is
 * none.
 */
function followRow(view: View, side: Side, sheet: Picture, y: number): { xs: Float64Array; ys: Float64Array } {
  const count = Math.ceil(view.width / step) + 1
  const xs = new Float64Array(count).fill(Number.NaN)
  const ys = new Float64Array(count).fill(Number.NaN)
  const sx = sheet.width / (side.width + margin * 2)
  const sy = sheet.height / (side.height + margin * 2)
  for (let node = 0; node < count; node++) {
    const at = view.ray(node * step, y)
    if (at === null) continue
    xs[node] = (at[0] + side.width / 2 + margin) * sx
    ys[node] = (at[1] + side.height / 2 + margin) * sy
  }
  return { xs, ys }
}

type Put = (to: number, x: number, y: number) => void

/**
 * Returns a function that lays pixels of the sheet over the scene, bilinear: `to` in the scene's bytes, `x` and `y` in
 * the sheet's pixels.
 */
function layer(scene: Picture, sheet: Picture): Put {
  const { data, width, channels: bands } = sheet
  const { data: under, channels } = scene
  const line = width * bands
  return (to, x, y) => {
    const left = x | 0
    const top = y | 0
    const fx = x - left
    const fy = y - top
    const a = (1 - fx) * (1 - fy)
    const b = fx * (1 - fy)
    const c = (1 - fx) * fy
    const d = fx * fy
    const at = top * line + left * bands
    const opaque = at + channels
    const alpha =
      ((data[opaque] ?? 0) * a +
        (data[opaque + bands] ?? 0) * b +
        (data[opaque + line] ?? 0) * c +
        (data[opaque + line + bands] ?? 0) * d) /
      255
    for (let channel = 0; channel < channels; channel++) {
      const from = at + channel
      const above = (data[from] ?? 0) * a + (data[from + bands] ?? 0) * b
      const below = (data[from + line] ?? 0) * c + (data[from + line + bands] ?? 0) * d
      under[to + channel] = (under[to + channel] ?? 0) * (1 - alpha) + (above + below) * alpha
    }
  }
}

/** A place of the drawn sheet, in its pixels. */
type Place = readonly [x: number, y: number]

/** Lays the sheet's places from one node of the coarse grid to the next over a row of the scene. */
function laySpan(
  scene: Picture,
  sheet: Picture,
): (row: number, left: number, ends: readonly [from: Place, to: Place]) => void {
  const put = layer(scene, sheet)
  const right = sheet.width - 1
  const low = sheet.height - 1
  return (row, left, [[x0, y0], [x1, y1]]) => {
    if (Math.max(x0, x1) < 0 || Math.max(y0, y1) < 0 || Math.min(x0, x1) > right || Math.min(y0, y1) > low) return
    for (let x = left, end = Math.min(scene.width, left + step); x < end; x++) {
      const along = (x - left) / step
      const px = x0 * (1 - along) + x1 * along
      const py = y0 * (1 - along) + y1 * along
      if (px >= 0 && py >= 0 && px < right && py < low) put((row * scene.width + x) * scene.channels, px, py)
    }
  }
}

/** Lays the sheet on the table as the camera sees it, in place. */
function lay(scene: Picture, sheet: Picture, view: View, side: Side): void {
  const { width, height } = scene
  const span = laySpan(scene, sheet)
  for (let top = 0; top < height; top += step) {
    const above = followRow(view, side, sheet, top)
    const below = followRow(view, side, sheet, top + step)
    for (let y = top; y < Math.min(height, top + step); y++) {
      const down = (y - top) / step
      const at = (one: Float64Array, other: Float64Array, node: number): number =>
        (one[node] ?? 0) * (1 - down) + (other[node] ?? 0) * down - 0.5
      const place = (node: number): Place => [at(above.xs, below.xs, node), at(above.ys, below.ys, node)]
      for (let left = 0, node = 0; left < width; left += step, node++) span(y, left, [place(node), place(node + 1)])
    }
  }
}

/** Finds the pixel that shows a place of the sheet best, on a coarse grid. */
function pixelOf(view: View, x: number, y: number): { x: number; y: number } {
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

/** A photo, and its number of pixels. */
export interface Photo {
  readonly photo: Buffer
  readonly width: number
  readonly height: number
}

/**
 * Takes a phone's photo of something flat, as JPEG, in colour or (three times as fast) in grey, which is enough for a
 * reader of zones. The same side, taking, seed and channels give the same bytes.
 */
export async function photographSide(side: Side, how: Taking, seed: number, channels: 1 | 3 = 3): Promise<Photo> {
  const random = chance(seed, 'photo')
  const view = viewOf(side, how, side.zone?.left ?? null, random)
  const sheet = await drawSheet(side, (view.pitch / zonePitch) * 1.1, channels)
  const scene = await tableOf(view, { busy: how.busy, channels }, random)
  lay(scene, sheet, view, side)
  const whole = { left: 0, top: 0, width: side.width, height: side.height }
  const area = (how.glare_on_zone ? side.zone : null) ?? whole
  const mirror = {
    x: area.left + random.between(0.1, 0.9) * area.width - side.width / 2,
    y: area.top + random.between(0.1, 0.9) * area.height - side.height / 2,
  }
  const reach = (how.glare_size * (side.zone ?? whole).width * view.pitch) / zonePitch / 2
  const shine = how.glare === 0 ? { x: 0, y: 0 } : pixelOf(view, mirror.x, mirror.y)
  const light = lightOf(view, how, { ...shine, reach }, random)
  const tint = tintOf(random)
  illuminate(
    scene,
    light,
    channels === 3 ? tint : [tint.reduce((sum, gain, at) => sum + gain * (brightness[at] ?? 0), 0)],
  )
  const photo = await expose(scene, how, view.pitch, random)
  return { photo, width: view.width, height: view.height }
}
