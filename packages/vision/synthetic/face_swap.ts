import type { Raster } from './camera.ts'
import { canvas, drawSurface } from './portrait_raster.ts'
import { smooth } from './portrait_shape.ts'
import { drawMouth, type FaceMesh, layOver, measureOutline, sample, shutEyes, step } from './rendered_face.ts'

/** A picture and the mesh of its face. */
export interface MeshedFace {
  readonly photo: Raster
  readonly mesh: FaceMesh
}

/** Measures mean and spread of red, green and blue at a face's landmarks. */
function measureColours({ photo, mesh }: MeshedFace): readonly (readonly [mean: number, spread: number])[] {
  const colours = mesh.map(([x, y]) => {
    const colour = new Float32Array(3)
    sample(photo, [x, y], colour, 0)
    return colour
  })
  return [0, 1, 2].map(c => {
    const mean = colours.reduce((sum, colour) => sum + (colour[c] ?? 0), 0) / colours.length
    const square = colours.reduce((sum, colour) => sum + ((colour[c] ?? 0) - mean) ** 2, 0) / colours.length
    return [mean, Math.sqrt(square) || 1]
  })
}

/** Returns the place on one mesh of a point of the other's picture: its own place, moved like the landmarks near it. */
function carry([x, y]: readonly [number, number], from: FaceMesh, { to, near }: { to: FaceMesh; near: number }) {
  let [weights, dx, dy, z] = [0, 0, 0, 0]
  from.forEach(([px, py], i) => {
    const weight = 1 / ((px - x) ** 2 + (py - y) ** 2 + near ** 2) ** 2
    const [tx, ty, tz] = to[i] ?? [px, py, 0]
    weights += weight
    dx += weight * (tx - px)
    dy += weight * (ty - py)
    z += weight * tz
  })
  return [x + dx / weights, y + dy / weights, -z / weights] as const
}

/** The camera is so far away that the meshes keep their own perspective. */
const camera = { distance: 1e6, scale: 1, centre: [0, 0] } as const

/**
 * Lays the face of a photo over that of another person who moves, in the colours of the latter: a face swap by mesh, as
 * any phone's filter does it. Hair, ears, neck and background stay the other person's.
 */
export async function swapFace(
  { photo, mesh }: MeshedFace,
  { photo: frame, mesh: wearer }: MeshedFace,
  { blinks, opensMouth }: { readonly blinks: boolean; readonly opensMouth: boolean },
): Promise<Raster> {
  const { middle, half, radius } = measureOutline(mesh)
  const texture = blinks ? await shutEyes(photo, mesh, half) : photo
  const [columns, rows] = [Math.floor(photo.width / step), Math.floor(photo.height / step)]
  const rest = new Float32Array(columns * rows * 3)
  const at = new Float32Array(columns * rows * 3)
  for (let i = 0; i < columns * rows; i++) {
    const [x, y] = [(i % columns) * step, Math.floor(i / columns) * step]
    const share = Math.hypot(x - middle[0], y - middle[1]) / radius(Math.atan2(y - middle[1], x - middle[0]))
    rest.set([x, y, share], 3 * i)
    if (share < 1.1) at.set(carry([x, y], mesh, { to: wearer, near: 0.04 * half }), 3 * i)
  }
  const own = measureColours({ photo, mesh })
  const worn = measureColours({ photo: frame, mesh: wearer })
  const target = canvas(frame.width, frame.height)
  const opacity = new Float32Array(frame.width * frame.height)
  const surface = { columns, rows, rest, at }
  drawSurface(target, surface, camera, ({ x, y, z: share }, into, to) => {
    if (share > 1) return false
    sample(texture, [x, y], into, to)
    opacity[to / 3] = smooth(1, 0.85, share)
    return true
  })
  const data = Uint8Array.from(frame.data, (value, i) => {
    const [mean, spread] = own[i % 3] ?? [0, 1]
    const [wornMean, wornSpread] = worn[i % 3] ?? [0, 1]
    const swapped = (((target.colour[i] ?? 0) - mean) * wornSpread) / spread + wornMean
    const share = opacity[Math.floor(i / 3)] ?? 0
    return Math.min(255, Math.max(0, value * (1 - share) + swapped * share))
  })
  const swapped = { ...frame, data }
  return opensMouth ? layOver(swapped, drawMouth(mesh, surface, camera), 0.01 * half) : swapped
}
