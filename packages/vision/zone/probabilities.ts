import { type LayoutName, positionAlphabets, zoneLayouts } from '@attestor/rules/zone'
import { mrzAlphabet } from './network.ts'

/** The probability of each class of the classifier in each cell: `chances[row][column]`. */
export type Probabilities = readonly (readonly Float32Array[])[]

/** A cell of a zone. */
export interface Cell {
  readonly row: number
  readonly column: number
}

/** Returns the characters that a format allows in a cell. */
export function getAlphabet(format: LayoutName, { row, column }: Cell): string {
  return positionAlphabets[zoneLayouts[format].alphabets[row]?.[column] ?? 'X'] ?? mrzAlphabet
}

/** Returns the probability that a cell holds a character, 0 to 1. */
export function getProbability(chances: Probabilities, { row, column }: Cell, character: string): number {
  return chances[row]?.[column]?.[mrzAlphabet.indexOf(character)] ?? 0
}

/** Returns the likeliest of the allowed characters of a cell. */
export function findLikeliest(chances: Probabilities, cell: Cell, allowed: string): string {
  let best = allowed[0] ?? '<'
  for (const character of allowed) {
    if (getProbability(chances, cell, character) > getProbability(chances, cell, best)) best = character
  }
  return best
}

/** Digits and letters that look alike in print and photos: finding one in the other's place means nothing. */
const lookAlikes: Readonly<Record<string, string>> = {
  '0': 'ODQ',
  '1': 'I',
  '2': 'Z',
  '5': 'S',
  '6': 'G',
  '8': 'B',
}

function isLookAlike(one: string, other: string): boolean {
  return (lookAlikes[one]?.includes(other) ?? false) || (lookAlikes[other]?.includes(one) ?? false)
}

/**
 * Returns the probability that a cell holds a character that is not allowed there and does not look like the decoded
 * one.
 */
export function sumForeignProbability(format: LayoutName, chances: Probabilities, cell: Cell, taken: string): number {
  const allowed = getAlphabet(format, cell)
  let sum = 0
  for (const sign of mrzAlphabet) {
    if (!allowed.includes(sign) && !isLookAlike(sign, taken)) sum += getProbability(chances, cell, sign)
  }
  return sum
}
