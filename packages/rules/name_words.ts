import { foldName, jaroWinkler } from './name_letters.ts'

/** Words before and between surnames, which a register, a document or a person leaves out. They may match, and need not. */
const particles =
  'DE DEL DELA DELLA DI DA DO DOS DAS DU DES D L LA LE LAS LOS LO EL AL AS Y E I VAN VON VOM DER DEN DEM ZU ZUM ZUR TE TEN TER T S OF AF AV BIN BINT BINTI IBN BEN ABU UMM ST O MC MAC NI NIC UI'

/** They are printed beside names, and belong to none (ICAO 9303-3, 4.6). */
const titles =
  'MR MRS MS MISS MSTR MX SIR DAME REV HON DR DRS PROF MAG DIPL ING DDR MED PHD MD HERR FRAU SR SRA SRTA DON DONA DOÑA MME MLLE M JR SNR JNR ESQ II III'

const optional: ReadonlySet<string> = new Set(
  [...particles.split(' '), ...titles.split(' ')].map(word => foldName(word)).filter(word => word !== ''),
)

/** Words that are joined in one spelling and apart in another: `DE LA CRUZ` and `DELACRUZ`. */
const maxJoined = 4
/**
 * Smallest similarity of joined words, and largest difference of their lengths: a short word could hide in another, so
 * that all but a letter must be there.
 */
const joinedFrom = 0.93
const joinedSlack = 1
/** With more words than this on one side, names are compared as a whole: their orders grow beyond counting. */
const maxWords = 12

interface Word {
  readonly text: string
  /** Whether the name is the same without it. */
  readonly isOptional: boolean
}

/** The words of a name in Latin letters. In a name of particles alone (`Le`, `Do`) each is needed. */
export function toWords(name: string): readonly Word[] {
  const words = foldName(name).split(' ').filter(Boolean)
  const areAll = words.every(word => optional.has(word))
  return words.map(text => ({ text, isOptional: !areAll && optional.has(text) }))
}

export function listNeeded(words: readonly Word[]): readonly string[] {
  return words.filter(({ isOptional }) => !isOptional).map(({ text }) => text)
}

export interface WordRules {
  /** Whether a letter stands for a name that begins with it. */
  readonly initials: boolean
}

const likeInitial = 0.9
const exactUpTo = 3
/** Nearly alike: `IVAN` and `IVANOV`, which begin alike and are two names. */
const maxOfOtherLength = 0.8

/** Among several words, short ones must be equal, and long ones of nearly one length. */
function compareWord(one: string, other: string, { initials }: WordRules): number {
  if (one === other) return 1
  const short = Math.min(one.length, other.length)
  if (short === 1) return initials && one[0] === other[0] ? likeInitial : 0
  if (short <= exactUpTo) return 0
  const isOfLength = Math.abs(one.length - other.length) <= (short === exactUpTo + 1 ? 1 : 2)
  return Math.min(jaroWinkler(one, other), isOfLength ? 1 : maxOfOtherLength)
}

/** Texts of one word, of two that follow each other, and so on; null beyond the end. */
function listRuns(words: readonly Word[], from: number): readonly string[] {
  return Array.from({ length: Math.min(maxJoined, words.length - from) }, (_, more) => {
    const run = words.slice(from, from + more + 1).map(({ text }) => text)
    return more === 0 ? (run[0] ?? '') : foldName(run.join(''))
  })
}

/** The words of one name that stand in another, as a mask, and their similarity. */
interface Place {
  readonly own: number
  readonly mask: number
  readonly score: number
}

function isJoined(one: string, other: string, score: number): boolean {
  return score >= joinedFrom && Math.abs(one.length - other.length) <= joinedSlack
}

/**
 * Returns the places of the words of one name that begin at `at`, the best first: a word for a word, or several for
 * one.
 */
function listPlaces(few: readonly Word[], at: number, many: readonly Word[], rules: WordRules): readonly Place[] {
  const own = listRuns(few, at)
  const places = many.flatMap((_, start) => {
    const theirs = listRuns(many, start)
    return own.flatMap((text, more) =>
      theirs.flatMap((other, others) => {
        if (more > 0 && others > 0) return []
        const score = compareWord(text, other, rules)
        if (score === 0 || (more + others > 0 && !isJoined(text, other, score))) return []
        return [{ own: more + 1, mask: (2 ** (others + 1) - 1) << start, score }]
      }),
    )
  })
  return places.sort((one, other) => other.score - one.score)
}

/**
 * Returns the similarity of the worst needed word of `few` that is found in `many`, 0 to 1. Each word has a place of
 * its own, and the order that scores best counts.
 */
export function findWords(few: readonly Word[], many: readonly Word[], rules: WordRules): number {
  if (few.length === 0 || areManyWords(few, many)) return 0
  const places = few.map((_, at) => listPlaces(few, at, many, rules))
  const known = new Map<number, number>()
  function place(at: number, used: number): number {
    if (at >= few.length) return 1
    const key = at * 2 ** maxWords + used
    const seen = known.get(key)
    if (seen !== undefined) return seen
    let best = few[at]?.isOptional === true ? place(at + 1, used) : 0
    for (const { own, mask, score } of places[at] ?? []) {
      if (score <= best) break
      if ((used & mask) === 0) best = Math.max(best, Math.min(score, place(at + own, used | mask)))
    }
    known.set(key, best)
    return best
  }
  return place(0, 0)
}

/** Whether names have too many words for `findWords`. */
export function areManyWords(...names: readonly (readonly Word[])[]): boolean {
  return names.some(words => words.length > maxWords)
}
