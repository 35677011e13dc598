import { mrzAlphabet, mrzClasses } from '../zone/network.ts'
import type { Probabilities } from '../zone/probabilities.ts'

export type Unsure = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Returns the chances of a classifier that is sure of every character but those named: `{ 'row column': { character:
 * chance } }`.
 */
export function sureChances(lines: readonly string[], unsure: Unsure = {}): Probabilities {
  return lines.map((line, row) =>
    [...line].map((character, column) => {
      const chances = new Float32Array(mrzClasses).fill(1e-5)
      for (const [other, chance] of Object.entries(unsure[`${row} ${column}`] ?? { [character]: 0.999 })) {
        chances[mrzAlphabet.indexOf(other)] = chance
      }
      return chances
    }),
  )
}
