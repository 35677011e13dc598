import type { VisualZone } from './findings.ts'
import { listNeeded, toWords } from './name_words.ts'
import { bestOfSpellings, foldName, jaroWinkler } from './names.ts'

/** The absence of a shorter name means nothing: two misread letters hide it. */
export const minLetters = 5
/** Shorter names occur in any text: they count only on a line of their own. */
const comparableLetters = 3

/** Number of letters that a name may gain or lose in reading. */
function allowedSlack(length: number): number {
  return Math.floor(length / 4)
}

/** A zone truncates long names (ICAO 9303-3, 4.6): from this many letters on, the beginning is enough. */
const cutFrom = 26

/** The best Jaro-Winkler similarity of `wanted` with any run of words of about its length, 0 to 1. */
function matchBestRun(wanted: string, words: readonly string[], maxWords: number): number {
  let best = 0
  for (let first = 0; first < words.length; first++) {
    let run = ''
    for (const word of words.slice(first, first + maxWords)) {
      run += word
      const seen = wanted.length >= cutFrom ? run.slice(0, wanted.length) : run
      if (seen.length > wanted.length + allowedSlack(wanted.length)) break
      if (seen.length >= wanted.length - allowedSlack(wanted.length)) best = Math.max(best, jaroWinkler(wanted, seen))
    }
  }
  return best
}

/** Letters that are misread as digits. They are replaced only in words that have letters too. */
const misreadDigits: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 4: 'A', 5: 'S', 6: 'G', 8: 'B' }

function toNameWords(word: string): string[] {
  const corrected = /\p{L}/u.test(word) ? word.replace(/[0124568]/g, digit => misreadDigits[digit] ?? digit) : word
  return foldName(corrected).split(' ').filter(Boolean)
}

/**
 * Returns the certainty that a name is in the printed text, 0 to 1. It may be one run of words, or each part may be
 * somewhere, as two surnames may be on two lines. Null for a name of one Latin letter or none, and for one of two
 * letters that is not found.
 */
export function matchName(name: string, text: VisualZone): number | null {
  return bestOfSpellings(name, spelling => matchSpelling(spelling, text))
}

function matchSpelling(name: string, { lines }: VisualZone): number | null {
  const parts = foldName(name).split(' ').filter(Boolean)
  const letters = parts.join('')
  if (letters.length < 2) return null
  if (letters.length < comparableLetters) {
    return lines.some(line => line.flatMap(toNameWords).join('') === letters) ? 1 : null
  }
  const words = lines.flat().flatMap(toNameWords)
  const whole = matchBestRun(letters, words, parts.length + 2)
  // Prefixes and titles are printed apart, or not at all.
  const needed = listNeeded(toWords(name))
  if (parts.length === 1 || needed.some(part => part.length < comparableLetters)) return whole
  return Math.max(whole, Math.min(...needed.map(part => matchBestRun(part, words, 2))))
}

/** Given names: all of them in a run, or the first, because a document may leave out the others. */
export function matchGivenNames(names: string, text: VisualZone): number | null {
  return bestOfSpellings(names, spelling => {
    const [first = ''] = foldName(spelling).split(' ')
    const whole = matchSpelling(spelling, text)
    return whole === null ? null : Math.max(whole, matchSpelling(first, text) ?? 0)
  })
}

/** Letters that are read for digits, and the digits. */
export const misreadCharacters: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  B: '8',
}

function foldNumber(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/[OQDILZSGB]/g, character => misreadCharacters[character] ?? character)
}

/** Returns the certainty that a document number is in the printed text, 0 to 1; it may be printed in groups. */
export function matchNumber(number: string, { lines }: VisualZone): number {
  const words = lines.flat().map(foldNumber).filter(Boolean)
  return matchBestRun(foldNumber(number), words, 4)
}
