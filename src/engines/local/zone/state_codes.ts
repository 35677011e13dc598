import { icaoCodes } from '../../../decision/countries.ts'
import type { Span } from './layouts.ts'
import { mrzAlphabet } from './network.ts'
import { findLikeliest, getProbability, type Probabilities } from './probabilities.ts'

/** A code as read, and how likely another one is printed. */
export interface StateCode {
  readonly text: string
  readonly doubt: number
}

/** The prior weight of a code that ICAO does not list, against 1 of each listed code. */
const unlistedShare = 0.02
/** The prior weight of anything else, such as the digits of an invented zone. */
const foreignShare = 0.001

/**
 * The likeliest three-letter code of an issuing state or nationality: no check digit covers it, but only some 260 of
 * 18,000 are given out (ICAO 9303 part 3, 5), so that a misread one is seldom another state's.
 */
export function decodeState(chances: Probabilities, { row, from }: Span, plain: string): StateCode {
  const weigh = (code: string): number =>
    [0, 1, 2].reduce((product, at) => product * getProbability(chances, { row, column: from + at }, code[at] ?? '<'), 1)
  const listed = icaoCodes.includes(plain)
  let best = plain
  let most = listed ? 0 : weigh(plain) * unlistedShare
  let total = 0
  const printed = [0, 1, 2].map(at => findLikeliest(chances, { row, column: from + at }, mrzAlphabet)).join('')
  total = most + (/\d/.test(printed) ? weigh(printed) * foreignShare : 0)
  for (const code of icaoCodes) {
    const weight = weigh(code)
    total += weight
    if (weight > most) {
      best = code
      most = weight
    }
  }
  return { text: best, doubt: 1 - most / Math.max(total, 1e-30) }
}
