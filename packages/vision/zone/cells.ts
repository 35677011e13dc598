import { type Grid, locateAll } from '../geometry/grid.ts'
import type { GreyImage } from '../images/document_picture.ts'
import { cellShape } from './network.ts'

/**
 * Levels ink from paper: paper 0, ink 1, by the cell's own brightest and darkest parts. Returns false for a cell
 * without contrast. In place.
 */
export function levelCell(cell: Float32Array): boolean {
  const sorted = Float32Array.from(cell).sort()
  const ink = sorted[Math.floor(sorted.length * 0.04)] ?? 0
  const paper = sorted[Math.floor(sorted.length * 0.75)] ?? 0
  const range = Math.max(paper - ink, 12)
  for (let at = 0; at < cell.length; at++) {
    cell[at] = Math.min(1.2, Math.max(-0.2, (paper - (cell[at] ?? 0)) / range))
  }
  return paper - ink > 16
}

const halves = new WeakMap<GreyImage, GreyImage>()

/** Returns the picture at half its size, each pixel the mean of four; it is made once a picture. */
export function halveGrey(grey: GreyImage): GreyImage {
  const known = halves.get(grey)
  if (known !== undefined) return known
  const width = grey.width >> 1
  const height = grey.height >> 1
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    let at = y * 2 * grey.width
    for (let x = 0; x < width; x++, at += 2) {
      const top = (grey.data[at] ?? 0) + (grey.data[at + 1] ?? 0)
      const low = (grey.data[at + grey.width] ?? 0) + (grey.data[at + grey.width + 1] ?? 0)
      data[y * width + x] = (top + low + 2) >> 2
    }
  }
  const half = { data, width, height }
  halves.set(grey, half)
  return half
}

/** A picture at another scale than the one that a grid refers to. */
export interface ScaledGrey {
  readonly grey: GreyImage
  readonly scale: number
}

/** Above this pitch in pixels a cell would skip pixels, and show their noise instead of their mean. */
const maxPitch = 27

/** Scales the picture to the size that a classifier's cell of this pitch in pixels needs. */
export function scaleForPitch(grey: GreyImage, pitch: number): ScaledGrey {
  let picture = grey
  let scale = 1
  while (pitch * scale > maxPitch && picture.width > 64 && picture.height > 64) {
    picture = halveGrey(picture)
    scale /= 2
  }
  return { grey: picture, scale }
}

/** Cuts the cell at a column and row of the zone's grid (pitch 1, rows `spacing` apart), in the classifier's shape. */
export function cutCell({ grey, scale }: ScaledGrey, grid: Grid, x: number, y: number): Float32Array {
  const { columns, rows, wide, high } = cellShape
  const { data, width, height } = grey
  const places = new Float64Array(2 * columns * rows)
  for (let n = 0; n < columns * rows; n++) {
    places[2 * n] = x + (((n % columns) + 0.5) / columns - 0.5) * wide
    places[2 * n + 1] = y + ((Math.floor(n / columns) + 0.5) / rows - 0.5) * high
  }
  locateAll(grid, places)
  const cell = new Float32Array(columns * rows)
  for (let n = 0; n < cell.length; n++) {
    const cx = Math.min(width - 1.001, Math.max(0, (places[2 * n] as number) * scale - 0.5))
    const cy = Math.min(height - 1.001, Math.max(0, (places[2 * n + 1] as number) * scale - 0.5))
    const at = Math.floor(cy) * width + Math.floor(cx)
    const fx = cx - Math.floor(cx)
    const fy = cy - Math.floor(cy)
    const top = (data[at] ?? 0) * (1 - fx) + (data[at + 1] ?? 0) * fx
    const low = (data[at + width] ?? 0) * (1 - fx) + (data[at + width + 1] ?? 0) * fx
    cell[n] = top * (1 - fy) + low * fy
  }
  return cell
}
