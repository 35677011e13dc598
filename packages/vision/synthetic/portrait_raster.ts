import type { Surface } from './portrait_shape.ts'

/** A picture under way: RGB floats, and the depth of the nearest surface so far. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly colour: Float32Array
  readonly depth: Float32Array
}

/** The camera's position: `distance` in half head widths from the head's middle, `scale` in pixels at that distance. */
export interface Camera {
  readonly distance: number
  readonly scale: number
  readonly centre: readonly [x: number, y: number]
}

/** A point of a surface for the paint: its place on the head at rest, and its normal before the camera. */
export interface Spot {
  x: number
  y: number
  z: number
  nx: number
  ny: number
  nz: number
}

/** Paints one spot into `into` at `at`; returns false if the surface is not there at all. */
export type Paint = (spot: Spot, into: Float32Array, at: number) => boolean

/** Creates an empty canvas. */
export function canvas(width: number, height: number): Canvas {
  return {
    width,
    height,
    colour: new Float32Array(width * height * 3),
    depth: new Float32Array(width * height).fill(Number.NEGATIVE_INFINITY),
  }
}

/**
 * Returns normals by central differences over the grid. They point outwards for a surface whose columns run eastwards.
 */
export function normals({ columns, rows, at }: Surface): Float32Array {
  const out = new Float32Array(at.length)
  const read = (column: number, row: number, axis: number): number =>
    at[(Math.min(rows - 1, Math.max(0, row)) * columns + Math.min(columns - 1, Math.max(0, column))) * 3 + axis] ?? 0
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const ax = read(column + 1, row, 0) - read(column - 1, row, 0)
      const ay = read(column + 1, row, 1) - read(column - 1, row, 1)
      const az = read(column + 1, row, 2) - read(column - 1, row, 2)
      const bx = read(column, row + 1, 0) - read(column, row - 1, 0)
      const by = read(column, row + 1, 1) - read(column, row - 1, 1)
      const bz = read(column, row + 1, 2) - read(column, row - 1, 2)
      const nx = ay * bz - az * by
      const ny = az * bx - ax * bz
      const nz = ax * by - ay * bx
      const length = Math.hypot(nx, ny, nz) || 1
      const i = (row * columns + column) * 3
      out[i] = nx / length
      out[i + 1] = ny / length
      out[i + 2] = nz / length
    }
  }
  return out
}

/** Draws a surface: each of its cells is two triangles, the nearest one wins, normals and places are interpolated. */
export function drawSurface(target: Canvas, surface: Surface, camera: Camera, paint: Paint): void {
  const normal = normals(surface)
  const { columns, rows, at } = surface
  const screen = new Float32Array((at.length / 3) * 2)
  for (let i = 0; i < at.length / 3; i++) {
    const scale = (camera.scale * camera.distance) / (camera.distance - (at[3 * i + 2] ?? 0))
    screen[2 * i] = camera.centre[0] + (at[3 * i] ?? 0) * scale
    screen[2 * i + 1] = camera.centre[1] + (at[3 * i + 1] ?? 0) * scale
  }
  const mesh = { surface, normal, screen }
  for (let row = 0; row < rows - 1; row++) {
    for (let column = 0; column < columns - 1; column++) {
      const i = row * columns + column
      drawTriangle(target, mesh, [i, i + 1, i + columns], paint)
      drawTriangle(target, mesh, [i + 1, i + columns + 1, i + columns], paint)
    }
  }
}

interface Mesh {
  readonly surface: Surface
  readonly normal: Float32Array
  readonly screen: Float32Array
}

const spot: Spot = { x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0 }

function drawTriangle(target: Canvas, mesh: Mesh, corners: readonly [number, number, number], paint: Paint): void {
  const { screen, surface, normal } = mesh
  const [i, j, k] = corners
  const [ax = 0, ay = 0] = [screen[2 * i], screen[2 * i + 1]]
  const [bx = 0, by = 0] = [screen[2 * j], screen[2 * j + 1]]
  const [cx = 0, cy = 0] = [screen[2 * k], screen[2 * k + 1]]
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
  // The triangle is seen from behind, or is a sliver.
  if (area < 1e-6) return
  const x1 = Math.min(target.width - 1, Math.floor(Math.max(ax, bx, cx)))
  const y1 = Math.min(target.height - 1, Math.floor(Math.max(ay, by, cy)))
  for (let y = Math.max(0, Math.ceil(Math.min(ay, by, cy))); y <= y1; y++) {
    for (let x = Math.max(0, Math.ceil(Math.min(ax, bx, cx))); x <= x1; x++) {
      const v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
      const w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
      const u = 1 - v - w
      if (u < -1e-4 || v < -1e-4 || w < -1e-4) continue
      const mix = (values: Float32Array, axis: number): number =>
        u * (values[3 * i + axis] ?? 0) + v * (values[3 * j + axis] ?? 0) + w * (values[3 * k + axis] ?? 0)
      const depth = mix(surface.at, 2)
      const pixel = y * target.width + x
      if (depth <= (target.depth[pixel] ?? 0)) continue
      spot.x = mix(surface.rest, 0)
      spot.y = mix(surface.rest, 1)
      spot.z = mix(surface.rest, 2)
      spot.nx = mix(normal, 0)
      spot.ny = mix(normal, 1)
      spot.nz = mix(normal, 2)
      if (paint(spot, target.colour, pixel * 3)) target.depth[pixel] = depth
    }
  }
}
