import type { MrzFormat } from '@attestor/rules'
import { mrzAlphabet } from './network.ts'
import { findLikeliest, getAlphabet, type Probabilities } from './probabilities.ts'

/**
 * A zero and an O of OCR-B differ only in width, and widths differ as much from one print to the next. In places that
 * allow only digits or only letters, the format determines which of the two a character is. These characters show the
 * look of both in this print, and so help to distinguish the others.
 */

const zero = mrzAlphabet.indexOf('0')
const letter = mrzAlphabet.indexOf('O')

/** From this probability on a character is one of the two. */
const minShare = 0.8
/**
 * The least distance between the zeros and the O's of a print, as logarithms of their odds; nearer ones are not
 * distinguished.
 */
const minGap = 3
/** The most that knowledge about this print may add to a character's odds. */
const maxSlope = 2
const minChance = 1e-4

/** Returns the logarithm of the odds for a zero against an O. */
function measureOdds(cell: Float32Array): number {
  return Math.log(((cell[zero] ?? 0) + minChance) / ((cell[letter] ?? 0) + minChance))
}

function isRound(cell: Float32Array): boolean {
  return (cell[zero] ?? 0) + (cell[letter] ?? 0) >= minShare
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Corrects the odds of an undetermined character by those of the determined ones; null if these show nothing. */
function createShift(zeros: number | null, letters: number | null): ((odds: number) => number) | null {
  if (zeros !== null && letters !== null) {
    const gap = zeros - letters
    const slope = Math.min(maxSlope, gap / 2)
    return gap < minGap ? null : odds => slope * (odds - (zeros + letters) / 2)
  }
  if (zeros !== null) return odds => odds - Math.min(0, zeros - minGap / 2)
  return letters === null ? null : odds => odds - Math.max(0, letters + minGap / 2)
}

function shiftOdds(cell: Float32Array, odds: number): Float32Array {
  const both = (cell[zero] ?? 0) + (cell[letter] ?? 0)
  const changed = cell.slice()
  changed[zero] = both / (1 + Math.exp(-odds))
  changed[letter] = both - (changed[zero] ?? 0)
  return changed
}

/** Returns the chances with zeros and O's distinguished by those of the same print whose positions determine them. */
export function distinguishZeros(format: MrzFormat, chances: Probabilities): Probabilities {
  const known = { '0': [] as number[], O: [] as number[] }
  const cells = chances.flatMap((line, row) => line.map((cell, column) => ({ row, column, cell })))
  for (const { cell, ...at } of cells) {
    const allowed = getAlphabet(format, at)
    const sign = findLikeliest(chances, at, allowed)
    const isDetermined = allowed.includes('0') !== allowed.includes('O')
    if (isDetermined && (sign === '0' || sign === 'O') && isRound(cell)) known[sign].push(measureOdds(cell))
  }
  const lean = createShift(mean(known['0']), mean(known.O))
  if (lean === null) return chances
  return chances.map((line, row) =>
    line.map((cell, column) => {
      const allowed = getAlphabet(format, { row, column })
      return allowed.includes('0') && allowed.includes('O') && isRound(cell)
        ? shiftOdds(cell, lean(measureOdds(cell)))
        : cell
    }),
  )
}
