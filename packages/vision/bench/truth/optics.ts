import type { Taking } from './conditions.ts'
import type { Sheet } from './paper.ts'
import type { Chance } from './random.ts'
import { zonePitch } from './zone_print.ts'

/**
 * Returns the point at which a pixel's ray meets the sheet, in millimetres from its middle; null if it passes it by or
 * runs behind.
 */
export type Ray = (x: number, y: number) => readonly [number, number] | null

/** A picture's size in pixels, and the way from it to the sheet. */
export interface View {
  readonly width: number
  readonly height: number
  readonly ray: Ray
  /** Pixels of one pitch in the middle of the sheet. */
  readonly pitch: number
}

/** The most pixels of a photo. No phone gives more, and Attestor takes 50 million. */
const mostPixels = 24_000_000

type Vector = readonly [number, number, number]

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/** Returns the sheet's axes in the camera's space: turned in its plane, then tipped and swung. */
function axesOf({ roll, tip, swing }: Taking): readonly [Vector, Vector, Vector] {
  const [r, t, s] = [roll, tip, swing].map(degrees => (degrees * Math.PI) / 180) as [number, number, number]
  const turned = (x: number, y: number): Vector => {
    const a = x * Math.cos(r) - y * Math.sin(r)
    const b = x * Math.sin(r) + y * Math.cos(r)
    const c = b * Math.cos(t)
    const z = b * Math.sin(t)
    return [a * Math.cos(s) + z * Math.sin(s), c, z * Math.cos(s) - a * Math.sin(s)]
  }
  const u = turned(1, 0)
  const v = turned(0, 1)
  return [u, v, [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]]
}

/**
 * Returns the height of the sheet at a place: a bow along it, or a curl towards one edge like a page's at its spine.
 */
function bowOf({ width, height }: Sheet, bow: number, random: Chance): (u: number, v: number) => number {
  const high = bow * width * (random.happens(0.5) ? 1 : -1)
  if (random.happens(0.6)) return u => high * (1 - (2 * (u / width)) ** 2)
  return (_, v) => high * 2 * Math.exp(-(v + height / 2) / (height * 0.3))
}

/** Returns a phone camera's view of a sheet: a pinhole of 67 degrees with a little barrel. */
export function viewOf(sheet: Sheet, how: Taking, zoneLeft: number | null, random: Chance): View {
  const [u, v, w] = axesOf(how)
  // Shares of the frame that the turned sheet covers across and down; a phone's frame is 4:3, on whichever side fits
  // better.
  const across = Math.abs(u[0]) * sheet.width + Math.abs(v[0]) * sheet.height
  const down = Math.abs(u[1]) * sheet.width + Math.abs(v[1]) * sheet.height
  const aspect = across >= down ? 4 / 3 : 3 / 4
  const frameMm = Math.max(across, down * aspect) / how.fill
  const wanted = (how.pitch / zonePitch) * frameMm
  const width = Math.round(Math.min(wanted, Math.sqrt(mostPixels * aspect)))
  const height = Math.round(width / aspect)
  const scale = width / frameMm
  const focal = Math.max(width, height) * 0.755
  const distance = focal / scale
  const margins: readonly [number, number] = [(width / scale - across) / 2, (height / scale - down) / 2]
  const stray = margins.map(free => random.between(-0.6, 0.6) * Math.max(0, free)) as [number, number]
  // Cut off: the sheet is moved until this share of the zone is out at its left or right.
  const lost = how.cut === 0 ? null : (width / scale - sheet.width) / 2 + (zoneLeft ?? 0) + how.cut * sheet.width
  const centre: Vector = [lost === null ? stray[0] : lost * (random.happens(0.5) ? 1 : -1), stray[1], distance]
  const b0 = dot(u, centre)
  const b1 = dot(v, centre)
  const b2 = dot(w, centre)
  const rise = bowOf(sheet, how.bow, random)
  const barrel = random.between(-0.02, 0.03)
  const ray: Ray = (x, y) => {
    const px = (x - width / 2) / focal
    const py = (y - height / 2) / focal
    const bent = 1 + barrel * (px * px + py * py)
    const direction: Vector = [px * bent, py * bent, 1]
    const a0 = dot(u, direction)
    const a1 = dot(v, direction)
    const a2 = dot(w, direction)
    if (Math.abs(a2) < 1e-6) return null
    let at: readonly [number, number] = [0, 0]
    let lift = 0
    for (let step = 0; step < 5; step++) {
      const far = (lift + b2) / a2
      if (far <= 0) return null
      at = [far * a0 - b0, far * a1 - b1]
      lift = rise(
        Math.max(-sheet.width, Math.min(sheet.width, at[0])),
        Math.max(-sheet.height, Math.min(sheet.height, at[1])),
      )
    }
    return at
  }
  return { width, height, ray, pitch: scale * zonePitch }
}
