import type { GreyImage } from '../images/document_picture.ts'

/** A field of close parallel lines in a picture, as a barcode's bars are. In pixels. */
export interface BarcodeRegion {
  /** Middles of the tiles that the field covers. */
  readonly tiles: readonly (readonly [x: number, y: number])[]
  /** The side of a tile. */
  readonly tile: number
  /** Direction of the lines, a vector of length one. */
  readonly along: readonly [x: number, y: number]
}

/** Number of tiles along the picture's longer side. A barcode that needs finer tiles is too small to be read. */
const tilesAlong = 84
const minTile = 8
/**
 * The barcode of a card that fills two fifths of the picture covers 260 tiles. Other print has fewer than seventy with
 * one direction.
 */
const minTiles = 100
const maxRegions = 2

/** The least mean square of the gradients; flatter tiles are paper, or out of focus. */
const minStrength = 400
/** The least coherence of a tile, 0 to 1: the excess of its gradients across its lines over those along them. */
const minCoherence = 0.4
/** Neighbouring tiles differ by less than 14 degrees; the angles are doubled, as a line has no front. */
const minAlignment = Math.cos((28 * Math.PI) / 180)

/** Structure tensors (Bigün and Granlund 1987) as strength and doubled angle; a strength of 0 is no field of lines. */
interface Tiles {
  readonly size: number
  readonly columns: number
  readonly rows: number
  readonly strength: Float64Array
  readonly cos: Float64Array
  readonly sin: Float64Array
}

function emptyTiles({ width, height }: GreyImage): Tiles {
  const size = Math.max(minTile, 2 * Math.round(Math.max(width, height) / tilesAlong / 2))
  const columns = Math.floor((width - 2) / size)
  const rows = Math.floor((height - 2) / size)
  const values = (): Float64Array => new Float64Array(Math.max(0, columns * rows))
  return { size, columns, rows, strength: values(), cos: values(), sin: values() }
}

/** Sums the squares of the gradients at every other pixel of every other row. */
function sumGradients({ data, width }: GreyImage, tiles: Tiles): void {
  const { size, columns, rows, strength, cos, sin } = tiles
  for (let y = 1; y <= rows * size; y += 2) {
    const row = Math.floor((y - 1) / size) * columns
    for (let x = 1; x <= columns * size; x += 2) {
      const at = y * width + x
      const across = (data[at + 1] ?? 0) - (data[at - 1] ?? 0)
      const down = (data[at + width] ?? 0) - (data[at - width] ?? 0)
      const tile = row + Math.floor((x - 1) / size)
      strength[tile] = (strength[tile] ?? 0) + across * across + down * down
      cos[tile] = (cos[tile] ?? 0) + across * across - down * down
      sin[tile] = (sin[tile] ?? 0) + 2 * across * down
    }
  }
}

function measureTiles(grey: GreyImage): Tiles {
  const tiles = emptyTiles(grey)
  sumGradients(grey, tiles)
  const { size, strength, cos, sin } = tiles
  const pixels = (size / 2) ** 2
  for (let tile = 0; tile < strength.length; tile++) {
    const sum = strength[tile] ?? 0
    const c = cos[tile] ?? 0
    const s = sin[tile] ?? 0
    const length = Math.hypot(c, s)
    const isField = sum / pixels >= minStrength && length / sum >= minCoherence
    strength[tile] = isField ? sum / pixels : 0
    cos[tile] = c / (length || 1)
    sin[tile] = s / (length || 1)
  }
  return tiles
}

function listNeighbours({ columns, rows }: Tiles, tile: number): number[] {
  const x = tile % columns
  const y = Math.floor(tile / columns)
  const near: number[] = []
  for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny++)
    for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx++) near.push(ny * columns + nx)
  return near
}

interface Field {
  readonly members: number[]
  strength: number
  cos: number
  sin: number
}

/** Moves one field of tiles that run alike out of the tiles. */
function takeField(tiles: Tiles, start: number): Field {
  const { strength, cos, sin } = tiles
  const field: Field = { members: [], strength: 0, cos: 0, sin: 0 }
  const take = (tile: number): void => {
    const weight = strength[tile] ?? 0
    strength[tile] = 0
    field.members.push(tile)
    field.strength += weight
    field.cos += weight * (cos[tile] ?? 0)
    field.sin += weight * (sin[tile] ?? 0)
  }
  take(start)
  // The list grows during the loop.
  for (const tile of field.members)
    for (const near of listNeighbours(tiles, tile)) {
      if (strength[near] === 0) continue
      const alike = (cos[tile] ?? 0) * (cos[near] ?? 0) + (sin[tile] ?? 0) * (sin[near] ?? 0)
      if (alike >= minAlignment) take(near)
    }
  return field
}

/** Returns at most two places of the picture that may show a barcode, the likeliest first. */
export function findBarcodeRegions(grey: GreyImage): BarcodeRegion[] {
  const tiles = measureTiles(grey)
  const { size, columns, strength } = tiles
  const fields: Field[] = []
  for (let tile = 0; tile < strength.length; tile++) if (strength[tile] !== 0) fields.push(takeField(tiles, tile))
  return fields
    .filter(({ members }) => members.length >= minTiles)
    .sort((one, other) => other.strength - one.strength)
    .slice(0, maxRegions)
    .map(({ members, cos, sin }) => {
      const across = Math.atan2(sin, cos) / 2
      const middle = (index: number): number => 1 + (index + 0.5) * size
      return {
        tiles: members.map(tile => [middle(tile % columns), middle(Math.floor(tile / columns))] as const),
        tile: size,
        along: [-Math.sin(across), Math.cos(across)] as const,
      }
    })
}
