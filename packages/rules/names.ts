import { foldName, jaroWinkler } from './name_letters.ts'
import { areManyWords, findWords, listNeeded, toWords, type WordRules } from './name_words.ts'
import { listLatinSpellings } from './transliteration.ts'

export { foldName, jaroWinkler }

/** Names that are at least this similar are the same name. */
export const nameThreshold = 0.85
/** From this similarity on, a word may be the other one, misread or misspelt. */
export const misreadNameFrom = 0.75

/** The best score over the Latin spellings of a name; null where none is comparable. */
export function bestOfSpellings(name: string, score: (spelling: string) => number | null): number | null {
  const scores = listLatinSpellings(name).flatMap(spelling => score(spelling) ?? [])
  return scores.length === 0 ? null : Math.max(...scores)
}

function compareWhole(one: string, other: string): number {
  return jaroWinkler(foldName(one).replaceAll(' ', ''), foldName(other).replaceAll(' ', ''))
}

/**
 * The name with fewer needed words must be found in the other: people and registers leave out prefixes, titles and second
 * names, and write them in another order. Names of as many words are also compared letter by letter, unless one of the
 * words is clearly another: `GARCIA LOPEZ` is not `GARCIA PEREZ`, however many letters are alike.
 */
function compareNames(expected: string, read: string, rules: WordRules): number | null {
  const [one, other] = [toWords(expected), toWords(read)]
  if (one.length === 0 || other.length === 0) return null
  const [needed, theirs] = [listNeeded(one).length, listNeeded(other).length]
  if (areManyWords(one, other) || Math.max(one.length, other.length) === 1) return compareWhole(expected, read)
  const forth = needed <= theirs ? findWords(one, other, rules) : 0
  const back = theirs <= needed ? findWords(other, one, rules) : 0
  const words = Math.max(forth, back)
  const isNear = needed === theirs && words >= misreadNameFrom
  return isNear ? Math.max(words, compareWhole(expected, read)) : words
}

/** The similarity of two surnames, 0 to 1; null where one is in letters that cannot be compared. */
export function compareSurnames(expected: string, read: string): number | null {
  return bestOfSpellings(expected, spelling => compareNames(spelling, read, { initials: false }))
}

/** The similarity of given names, 0 to 1, of which a letter may stand for one; null as for surnames. */
export function compareGivenNames(expected: string, read: string): number | null {
  return bestOfSpellings(expected, spelling => compareNames(spelling, read, { initials: true }))
}

/**
 * Returns the similarity of the worst word of a name that is sought among other names, 0 to 1; null if it cannot be
 * compared.
 */
export function findName(name: string, among: string): number | null {
  const many = toWords(among)
  return bestOfSpellings(name, spelling => {
    const words = toWords(spelling)
    return words.length === 0 || many.length === 0 ? null : findWords(words, many, { initials: true })
  })
}
