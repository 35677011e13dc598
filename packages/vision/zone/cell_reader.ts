import { locate } from '../geometry/grid.ts'
import type { GreyImage } from '../images/document_picture.ts'
import { cutCell, levelCell, scaleForPitch } from './cells.ts'
import { classify } from './classifier.ts'
import type { Zone } from './find_zones.ts'
import { mrzAlphabet } from './network.ts'

/** Number of cells that may still be classified, which bounds all work on a photo. It is counted down. */
export interface Budget {
  cells: number
}

/** Returns the chances of the classes of the classifier in a cell of a zone. */
export type ReadCell = (column: number, row: number) => Float32Array

const uniform = new Float32Array(mrzAlphabet.length + 1).fill(1 / (mrzAlphabet.length + 1))

/** Measures the pitch in pixels at the middle of a zone. */
function measurePitch({ grid, rows, columns, spacing }: Zone): number {
  const column = (columns[0] + columns[1]) / 2
  const row = ((rows[0] + rows[1]) / 2) * spacing
  const [x, y] = locate(grid, column, row)
  const [nx, ny] = locate(grid, column + 1, row)
  return Math.hypot(nx - x, ny - y)
}

/** Classifies cells of a zone's grid as they are asked for, each once. */
export function createCellReader(grey: GreyImage, zone: Zone, budget: Budget): ReadCell {
  const scaled = scaleForPitch(grey, measurePitch(zone))
  const look = (column: number, row: number): Float32Array => {
    budget.cells--
    const cell = cutCell(scaled, zone.grid, column, row * zone.spacing)
    return levelCell(cell) ? classify(cell) : uniform
  }
  const known = new Map<number, Float32Array>()
  return (column, row) => {
    const key = row * 1000 + column
    const chances = known.get(key) ?? look(column, row)
    known.set(key, chances)
    return chances
  }
}
