import type { Span } from '@attestor/rules/zone'
import { findLikeliest, getProbability, type Probabilities } from './probabilities.ts'

/**
 * The states of a reader of a name field: in a word, after one filler, after two, after more, at the first letter of a
 * word that follows these. By ICAO 9303 part 3, 4.6, such a field has words, a filler between two of them, two fillers
 * between the surname and the given names, and fillers up to the end. States print more of them between the two, and
 * two in front of given names without a surname.
 */
const states = [0, 1, 2, 3, 4] as const

/** The states before each one. A letter leads to 0 and 4, a filler to the others. */
const previousStates: Readonly<Record<number, readonly number[]>> = {
  0: [0, 1, 2, 4],
  1: [0],
  2: [1],
  3: [2, 3],
  4: [3],
}

/** The weight of a word of one letter after two fillers: it is more often a misread filler. */
const loneLetterShare = 0.2
/** The weight of a word after more than two fillers, which is more often misread too. It has two letters at least. */
const lateWordShare = 0.01

interface Path {
  readonly text: string
  readonly likelihood: number
}

const none: Path = { text: '', likelihood: -Infinity }

function toLogLikelihood(chance: number): number {
  return Math.log(Math.max(chance, 1e-7))
}

/** Returns the likeliest way into a state by one more character. */
function extendPath(state: number, paths: readonly Path[], character: string, likelihood: number): Path {
  let best = none
  for (const from of previousStates[state] ?? []) {
    const path = paths[from] ?? none
    // A field begins with two fillers or with none.
    if (state === 0 && path.text === '<') continue
    const lone = state === 1 && /<<[^<]$/.test(path.text) ? toLogLikelihood(loneLetterShare) : 0
    const late = state === 4 ? toLogLikelihood(lateWordShare) : 0
    const sum = path.likelihood + likelihood + lone + late
    if (sum > best.likelihood) best = { text: path.text + character, likelihood: sum }
  }
  return best
}

/**
 * Returns the paths with which a field may begin: a letter or a filler. A field of its own, as the French card has for
 * given names, may be empty.
 */
function startPaths(letter: Path, filler: Path, mayBeEmpty: boolean): readonly Path[] {
  const late = { ...filler, likelihood: filler.likelihood + toLogLikelihood(lateWordShare) }
  return mayBeEmpty ? [letter, none, none, filler, none] : [letter, late, none, none, none]
}

/**
 * Returns the paths with which a field may end: they hold a name, and none ends with the first letter after many
 * fillers.
 */
function listEnds(paths: readonly Path[], mayBeEmpty: boolean): readonly Path[] {
  return paths.slice(0, 4).filter(({ text }) => mayBeEmpty || /[^<]/.test(text))
}

/**
 * Decodes the likeliest text of a name field that follows the grammar, by the chances of its cells: all cells together
 * decide about a stray letter among the fillers, or a filler inside a name.
 */
export function decodeNames(
  chances: Probabilities,
  { row, from, to }: Span,
  { letters, mayBeEmpty = false }: { readonly letters: string; readonly mayBeEmpty?: boolean },
): string {
  let paths: readonly Path[] = []
  for (let column = from; column < to; column++) {
    const cell = { row, column }
    const letter = findLikeliest(chances, cell, letters)
    const asLetter = toLogLikelihood(getProbability(chances, cell, letter))
    const asFiller = toLogLikelihood(getProbability(chances, cell, '<'))
    const old = paths
    paths =
      column === from
        ? startPaths({ text: letter, likelihood: asLetter }, { text: '<', likelihood: asFiller }, mayBeEmpty)
        : states.map(state =>
            state % 4 === 0 ? extendPath(state, old, letter, asLetter) : extendPath(state, old, '<', asFiller),
          )
  }
  return listEnds(paths, mayBeEmpty).reduce((best, path) => (path.likelihood > best.likelihood ? path : best), none)
    .text
}
