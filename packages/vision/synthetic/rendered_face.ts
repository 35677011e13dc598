import sharp from 'sharp'
import type { Raster } from './camera.ts'
import { type Camera, canvas, drawSurface, normals, type Paint } from './portrait_raster.ts'
import { type Surface, smooth } from './portrait_shape.ts'

/** A landmark in the photo's pixels; `z` is smaller nearer to the camera. */
export type MeshPoint = readonly [x: number, y: number, z: number]

/** FaceMesh's landmarks. */
export type FaceMesh = readonly MeshPoint[]

/** The pose that the face in a photo is given. Angles are in degrees: to the picture's right, and up. */
export interface RenderedPose {
  readonly yaw?: number
  readonly pitch?: number
  readonly shutEyes?: boolean
  /** Opening of the mouth, 0 to 1. */
  readonly mouthOpen?: number
  /** Distance of the camera, in head widths; the photo is taken to be from 3. */
  readonly distance?: number
  /** The lamp by which the renderer lights the face as it moves. */
  readonly lamp?: Lamp
}

/**
 * The reach of the mesh. `mask`: the face alone turns; hair, ears and background stay. `head`: hair and ears turn too
 * and end in a seam, before a blurred background. `warp`: the turn fades out around the head, so that nothing tears.
 */
export const meshReaches = ['mask', 'head', 'warp'] as const

/** One of `meshReaches`. */
export type MeshReach = (typeof meshReaches)[number]

/**
 * Indices of MediaPipe's canonical face model: the outline clockwise from the forehead, the eyes, the lips' inner rows.
 */
export const outline = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
] as const
const eyes = [
  { upper: [33, 246, 161, 160, 159, 158, 157, 173, 133], lower: [155, 154, 153, 145, 144, 163, 7], skin: 50 },
  { upper: [263, 466, 388, 387, 386, 385, 384, 398, 362], lower: [382, 381, 380, 374, 373, 390, 249], skin: 280 },
] as const
const lips = {
  upper: [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308],
  lower: [324, 318, 402, 317, 14, 87, 178, 88, 95],
}
/** Every row of the upper lip, and the mouth's corners. */
const upperLip = new Set([
  ...lips.upper,
  ...[62, 183, 42, 41, 38, 12, 268, 271, 272, 407, 292, 61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291],
])

function pointOf(mesh: FaceMesh, index: number): MeshPoint {
  return mesh[index] ?? [0, 0, 0]
}

/** Returns for each landmark the distance that the jaw takes it down, in pixels. */
function measureDrops(mesh: FaceMesh): Float64Array {
  const [left] = pointOf(mesh, 78)
  const [right] = pointOf(mesh, 308)
  const width = right - left
  const line = pointOf(mesh, 14)[1]
  return Float64Array.from(mesh, ([x, y], index) => {
    const falls = lips.lower.includes(index) || (y > line && !upperLip.has(index))
    return falls ? 0.55 * width * Math.exp(-(((x - (left + right) / 2) / (0.75 * width)) ** 2)) : 0
  })
}

/**
 * The head's middle between the cheeks, half its width, and the distance of its outline from the middle by direction.
 */
export interface Outline {
  readonly middle: MeshPoint
  readonly half: number
  readonly radius: (angle: number) => number
}

const directions = 360

export function measureOutline(mesh: FaceMesh): Outline {
  const [left, right] = [pointOf(mesh, 234), pointOf(mesh, 454)]
  const middle: MeshPoint = [
    (left[0] + right[0]) / 2,
    (pointOf(mesh, 10)[1] + pointOf(mesh, 152)[1]) / 2,
    (left[2] + right[2]) / 2,
  ]
  const corners = outline.map(index => pointOf(mesh, index))
  const radii = Float64Array.from({ length: directions }, (_, n) => {
    const [dx, dy] = [Math.cos((n / directions) * 2 * Math.PI), Math.sin((n / directions) * 2 * Math.PI)]
    const crossings = corners.map(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % corners.length] ?? [0, 0]
      const det = (bx - ax) * dy - (by - ay) * dx
      const along = ((middle[0] - ax) * dy - (middle[1] - ay) * dx) / det
      const far = ((middle[0] - ax) * (by - ay) - (middle[1] - ay) * (bx - ax)) / det
      return along >= 0 && along <= 1 && far > 0 ? far : 1
    })
    return Math.max(...crossings)
  })
  const radius = (angle: number): number => radii[Math.floor(((angle / (2 * Math.PI) + 1) % 1) * directions)] ?? 1
  return { middle, half: (right[0] - left[0]) / 2, radius }
}

/** Distance of two points of the surface, in pixels. */
export const step = 3
/** Distance of the camera, in half head widths. */
const cameraDistance = 6

/**
 * The photo as a surface at rest: for each of its points the place in the photo and in outline radii, the depth, and
 * the drop.
 */
interface Relief {
  readonly columns: number
  readonly rows: number
  /** Three numbers a point: `x`, `y`, and the share of the outline's radius. */
  readonly rest: Float32Array
  /** Distance from the middle towards the camera or away from it, in half head widths. */
  readonly depth: Float32Array
  /** Distance that an open mouth takes the point down, in pixels. */
  readonly drop: Float32Array
}

/** Interpolates the landmarks' own values, weighted softly by nearness, so that the outline does not ripple. */
function interpolate(
  mesh: FaceMesh,
  drops: Float64Array,
  { x, y, half }: { readonly x: number; readonly y: number; readonly half: number },
): readonly [z: number, drop: number] {
  let weights = 0
  let z = 0
  let drop = 0
  mesh.forEach(([px, py, pz], i) => {
    const weight = 1 / ((px - x) ** 2 + (py - y) ** 2 + (0.1 * half) ** 2) ** 2
    weights += weight
    z += weight * pz
    drop += weight * (drops[i] ?? 0)
  })
  return [z / weights, drop / weights]
}

function measureRelief({ width, height }: Raster, mesh: FaceMesh, { middle, half, radius }: Outline): Relief {
  const columns = Math.floor(width / step)
  const rows = Math.floor(height / step)
  const drops = measureDrops(mesh)
  const rest = new Float32Array(columns * rows * 3)
  const depth = new Float32Array(columns * rows)
  const drop = new Float32Array(columns * rows)
  for (let i = 0; i < depth.length; i++) {
    const x = (i % columns) * step
    const y = Math.floor(i / columns) * step
    const [dx, dy] = [x - middle[0], y - middle[1]]
    const share = Math.hypot(dx, dy) / radius(Math.atan2(dy, dx))
    rest.set([x, y, share], 3 * i)
    if (share > 2) continue
    // Beyond the outline the head recedes further, as it begins to at the outline.
    const beyond = Math.max(1, share)
    const [z, fall] = interpolate(mesh, drops, { x: middle[0] + dx / beyond, y: middle[1] + dy / beyond, half })
    depth[i] = -(z - middle[2]) / half - (beyond - 1) * 1.2
    drop[i] = fall
  }
  return { columns, rows, rest, depth, drop }
}

/** Turns the surface about an axis behind the ears. The parts that do not turn stay in place, behind the head. */
function turnSurface(
  { columns, rows, rest, depth, drop }: Relief,
  { middle, half }: Outline,
  { pose, reach }: { readonly pose: RenderedPose; readonly reach: MeshReach },
): Surface {
  const [yaw, pitch] = [pose.yaw ?? 0, pose.pitch ?? 0].map(angle => (angle * Math.PI) / 180) as [number, number]
  const axis = 0.3
  const at = new Float32Array(rest.length)
  for (let i = 0; i < depth.length; i++) {
    const share = rest[3 * i + 2] ?? 0
    const fade = smooth(1.8, 1, share)
    const held = reach === 'warp' ? fade : 1
    const x = ((rest[3 * i] ?? 0) - middle[0]) / half
    const y = ((rest[3 * i + 1] ?? 0) + (drop[i] ?? 0) * (pose.mouthOpen ?? 0) * fade - middle[1]) / half
    const z = (depth[i] ?? 0) + axis
    const turned = x * Math.cos(yaw * held) + z * Math.sin(yaw * held)
    const behind = z * Math.cos(yaw * held) - x * Math.sin(yaw * held)
    const lifted = y * Math.cos(pitch * held) - behind * Math.sin(pitch * held)
    const near = y * Math.sin(pitch * held) + behind * Math.cos(pitch * held) - axis
    const away = (1 - held) * (1 + 1 / cameraDistance)
    at.set([turned * held + x * away, lifted * held + y * away, near * held - 1 + held], 3 * i)
  }
  return { columns, rows, rest, at }
}

/**
 * A lamp that does not move: the direction to it from the head (right, down and towards the camera), and the share of
 * the light that comes from elsewhere.
 */
export interface Lamp {
  readonly towards: readonly [x: number, y: number, z: number]
  readonly ambient: number
}

/** Returns the brightness of a place with this normal by Lambert's law. */
function shade([nx, ny, nz]: readonly [number, number, number], { towards: [x, y, z], ambient }: Lamp): number {
  const facing = (nx * x + ny * y + nz * z) / (Math.hypot(x, y, z) * (Math.hypot(nx, ny, nz) || 1))
  return ambient + (1 - ambient) * Math.max(0, facing)
}

function shadeSurface(surface: Surface, lamp: Lamp): Float32Array {
  const normal = normals(surface)
  return Float32Array.from({ length: normal.length / 3 }, (_, i) =>
    shade([normal[3 * i] ?? 0, normal[3 * i + 1] ?? 0, normal[3 * i + 2] ?? 0], lamp),
  )
}

/** Reads a colour between the pixels. */
export function sample(
  { data, width, height }: Raster,
  [x, y]: readonly [number, number],
  into: Float32Array,
  at: number,
): void {
  const px = Math.min(width - 1.001, Math.max(0, x))
  const py = Math.min(height - 1.001, Math.max(0, y))
  const from = (Math.floor(py) * width + Math.floor(px)) * 3
  const fx = px % 1
  const fy = py % 1
  for (let c = from; c < from + 3; c++) {
    const upper = (data[c] ?? 0) * (1 - fx) + (data[c + 3] ?? 0) * fx
    const lower = (data[c + width * 3] ?? 0) * (1 - fx) + (data[c + width * 3 + 3] ?? 0) * fx
    into[at + c - from] = upper * (1 - fy) + lower * fy
  }
}

export async function layOver({ data, width, height }: Raster, shapes: string, blur: number): Promise<Raster> {
  const raw = { width, height, channels: 3 } as const
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`)
  const layer = await sharp(svg).blur(Math.max(0.3, blur)).png().toBuffer()
  const out = await sharp(data, { raw })
    .composite([{ input: layer }])
    .removeAlpha()
    .raw()
    .toBuffer()
  return { data: new Uint8Array(out), width, height }
}

/** Draws lids over the eyes of the photo: skin of the cheek, and lashes. */
export function shutEyes(photo: Raster, mesh: FaceMesh, half: number): Promise<Raster> {
  const points = (indices: readonly number[]): string =>
    indices.map(index => pointOf(mesh, index).slice(0, 2).join(',')).join(' ')
  const lids = eyes.map(({ upper, lower, skin }) => {
    const colour = new Float32Array(3)
    const [x, y] = pointOf(mesh, skin)
    sample(photo, [x, y], colour, 0)
    const rgb = (share: number): string => `rgb(${[...colour].map(value => Math.round(value * share)).join(',')})`
    const lashes = points([upper[0], ...[...lower].reverse(), upper[8]])
    return `<polygon points="${points([...upper, ...lower])}" fill="${rgb(0.95)}" stroke="${rgb(0.95)}" stroke-width="${0.04 * half}"/>
      <polyline points="${lashes}" fill="none" stroke="${rgb(0.35)}" stroke-width="${0.025 * half}"/>`
  })
  return layOver(photo, lids.join(''), 0.008 * half)
}

function blur({ data, width, height }: Raster): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .blur(width / 12)
    .raw()
    .toBuffer()
}

/** Draws the face of a photo as it would look in a pose. */
export type FaceRenderer = (pose: RenderedPose, reach: MeshReach) => Promise<Raster>

/**
 * Makes one photo follow a challenge: it is laid on its own mesh, moved and drawn again. The attack, for tests and
 * benches, needs a picture of the face and nothing else.
 */
export function createFaceRenderer(photo: Raster, mesh: FaceMesh): FaceRenderer {
  const { width, height } = photo
  const head = measureOutline(mesh)
  const relief = measureRelief(photo, mesh, head)
  const edges = { mask: 1, head: 1.45, warp: Number.POSITIVE_INFINITY } as const
  return async (pose, reach) => {
    const { lamp } = pose
    const distance = pose.distance ? 2 * pose.distance : cameraDistance
    const texture = pose.shutEyes ? await shutEyes(photo, mesh, head.half) : photo
    const surface = turnSurface(relief, head, { pose, reach })
    const before = lamp ? shadeSurface(turnSurface(relief, head, { pose: {}, reach }), lamp) : null
    const target = canvas(width, height)
    const camera: Camera = { distance, scale: head.half, centre: [head.middle[0], head.middle[1]] }
    const paint: Paint = ({ x, y, z: share, nx, ny, nz }, into, at) => {
      if (share > edges[reach]) return false
      sample(texture, [x, y], into, at)
      if (lamp && before) {
        const was = before[Math.floor(y / step) * surface.columns + Math.floor(x / step)] ?? 1
        // Light adds up in linear values.
        const gain = (shade([nx, ny, nz], lamp) / was) ** (1 / 2.2)
        for (let c = at; c < at + 3; c++) into[c] = Math.min(255, (into[c] ?? 0) * gain)
      }
      return true
    }
    drawSurface(target, surface, camera, paint)
    const data = Uint8Array.from(reach === 'head' ? await blur(photo) : photo.data)
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (target.depth[pixel] !== Number.NEGATIVE_INFINITY)
        data.set(target.colour.subarray(3 * pixel, 3 * pixel + 3), 3 * pixel)
    }
    const rendered = { data, width, height }
    return pose.mouthOpen ? layOver(rendered, drawMouth(mesh, surface, camera), 0.01 * head.half) : rendered
  }
}

/** Draws the dark between the lips. */
export function drawMouth(mesh: FaceMesh, { columns, at }: Surface, { distance, scale, centre }: Camera): string {
  const points = [...lips.upper, ...lips.lower].map(index => {
    const [x, y] = pointOf(mesh, index)
    const i = 3 * (Math.round(y / step) * columns + Math.round(x / step))
    const size = (scale * distance) / (distance - (at[i + 2] ?? 0))
    return `${centre[0] + (at[i] ?? 0) * size},${centre[1] + (at[i + 1] ?? 0) * size}`
  })
  return `<polygon points="${points.join(' ')}" fill="#3a1512"/>`
}
