import type { MrzFormat } from '../../port.ts'
import { positionAlphabets, zoneLayouts } from './layouts.ts'
import { mrzAlphabet } from './network.ts'

/** `chances[row][column]` holds how likely each class of the classifier is there. */
export type Chances = readonly (readonly Float32Array[])[]

/** A cell of a zone. */
export interface Cell {
  readonly row: number
  readonly column: number
}

/** The characters that a format allows in a cell. */
export const allowedAt = (format: MrzFormat, { row, column }: Cell): string =>
  positionAlphabets[zoneLayouts[format].alphabets[row]?.[column] ?? 'X'] ?? mrzAlphabet

/** How likely a character is in a cell. */
export const chanceOf = (chances: Chances, { row, column }: Cell, character: string): number =>
  chances[row]?.[column]?.[mrzAlphabet.indexOf(character)] ?? 0

/** The likeliest of the allowed characters of a cell. */
export const likeliest = (chances: Chances, cell: Cell, allowed: string): string => {
  let best = allowed[0] ?? '<'
  for (const character of allowed) {
    if (chanceOf(chances, cell, character) > chanceOf(chances, cell, best)) best = character
  }
  return best
}
