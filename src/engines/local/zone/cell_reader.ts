import type { GreyImage } from '../../images/document_picture.ts'
import { locate } from '../geometry/grid.ts'
import { cutCell, levelCell, scaleForPitch } from './cells.ts'
import { classify } from './classifier.ts'
import type { Zone } from './find_zones.ts'
import { mrzAlphabet } from './network.ts'

/** Cells that may still be classified: the bound of all work on a photo. Counted down. */
export interface Budget {
  cells: number
}

/** Reads the cells of a zone by the classes of the classifier, each cell once. */
export interface CellReader {
  /** A first look. */
  readonly glance: (column: number, row: number) => Float32Array
  /** Several looks, slightly shifted, if the first one was not sure. */
  readonly read: (column: number, row: number) => Float32Array
}

const uniform = new Float32Array(mrzAlphabet.length + 1).fill(1 / (mrzAlphabet.length + 1))

/** Below this probability a cell is read again, slightly shifted. */
const sureChance = 0.95
const offsets = [
  [-0.06, 0],
  [0.06, 0],
  [0, -0.07],
  [0, 0.07],
] as const

/** The pitch in pixels at the middle of a zone. */
function measurePitch({ grid, rows, columns, spacing }: Zone): number {
  const column = (columns[0] + columns[1]) / 2
  const row = ((rows[0] + rows[1]) / 2) * spacing
  const [x, y] = locate(grid, column, row)
  const [nx, ny] = locate(grid, column + 1, row)
  return Math.hypot(nx - x, ny - y)
}

function memoise(look: (column: number, row: number) => Float32Array): (column: number, row: number) => Float32Array {
  const known = new Map<number, Float32Array>()
  return (column, row) => {
    const key = row * 1000 + column
    const chances = known.get(key) ?? look(column, row)
    known.set(key, chances)
    return chances
  }
}

/** Classifies cells of a zone's grid as they are asked for. */
export function createCellReader(grey: GreyImage, zone: Zone, budget: Budget): CellReader {
  const scaled = scaleForPitch(grey, measurePitch(zone))
  const look = (u: number, v: number): Float32Array => {
    budget.cells--
    const cell = cutCell(scaled, zone.grid, u, v)
    return levelCell(cell) ? classify(cell) : uniform
  }
  const glance = memoise((column, row) => look(column, row * zone.spacing))
  const read = memoise((column, row) => {
    const first = glance(column, row)
    if (first === uniform || Math.max(...first) >= sureChance) return first
    const chances = first.slice()
    for (const [u, v] of offsets) {
      look(column + u, row * zone.spacing + v).forEach((chance, at) => {
        chances[at] = (chances[at] ?? 0) + chance
      })
    }
    return chances.map(chance => chance / (offsets.length + 1))
  })
  return { glance, read }
}
