import type { MrzFormat } from '@attestor/rules'
import { icaoCodes } from '@attestor/rules/readings'
import {
  findVariant,
  type LayoutName,
  passesCheck,
  type Span,
  writeAt,
  type ZoneField,
  zoneLayouts,
} from '@attestor/rules/zone'
import { decodeNames } from './name_grammar.ts'
import { mrzAlphabet } from './network.ts'
import {
  type Cell,
  findLikeliest,
  getAlphabet,
  getProbability,
  type Probabilities,
  sumForeignProbability,
} from './probabilities.ts'

/** A code as it was read, and the probability that another one is printed. */
interface StateCode {
  readonly text: string
  readonly doubt: number
}

/** The prior weight of a code that ICAO does not list, against 1 of each listed code. */
const unlistedShare = 0.02
/** The prior weight of anything else, such as the digits of an invented zone. */
const foreignShare = 0.001

/**
 * Decodes the likeliest three-letter code of an issuing state or nationality. No check digit covers it, but only some
 * 260 of 18,000 codes are in use (ICAO 9303 part 3, 5), so that a misread one is seldom another state's.
 */
function decodeState(chances: Probabilities, { row, from }: Span, plain: string): StateCode {
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

/** A zone as text. */
export interface Decoded {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  /** Number of characters that differ from the classifier's likeliest ones. */
  readonly corrected: number
  /** Mean chance of the likeliest characters, 0 to 1. */
  readonly quality: number
  /** Number of characters that were guessed rather than read. Names have no check digit that would notice. */
  readonly guessed: number
  /** Expected number of wrong characters; one that a check digit covers counts a tenth. */
  readonly doubt: number
  /** The doubt by field. */
  readonly doubts: Readonly<Doubts>
}

/** Below this chance a character counts as guessed. */
const minChance = 0.4
/**
 * If all allowed characters of a cell together have less than this probability, another one seems to be printed there.
 */
const minAllowed = 0.05
/** The weight of a wrong character that a check digit would have noticed, nine times in ten. */
const checkedWeight = 0.1

function listSpans(format: LayoutName, names: readonly ZoneField[]): Span[] {
  return names.flatMap(name => zoneLayouts[format].fields[name] ?? [])
}

function listCells({ row, from, to }: Span): string[] {
  return Array.from({ length: to - from }, (_, at) => `${row} ${from + at}`)
}

const states: readonly ZoneField[] = ['issuing_state', 'nationality']

type Doubts = Partial<Record<ZoneField, number>>

function getLetters(format: LayoutName, { row, from }: Span): string {
  return getAlphabet(format, { row, column: from }).replace('<', '')
}

/**
 * Decodes names and states by their own rules, because no check digit covers them. Also returns the doubts about the
 * states.
 */
function settleNamesAndStates(
  format: LayoutName,
  plain: readonly string[],
  chances: Probabilities,
): { lines: string[]; doubts: Doubts } {
  const lines = [...plain]
  for (const span of listSpans(format, ['names', 'last_name']))
    writeAt(lines, span, decodeNames(chances, span, { letters: getLetters(format, span) }))
  for (const span of listSpans(format, ['first_name']))
    writeAt(lines, span, decodeNames(chances, span, { letters: getLetters(format, span), mayBeEmpty: true }))
  const doubts: Doubts = {}
  for (const name of states) {
    const [span] = listSpans(format, [name])
    if (span === undefined) continue
    const { text, doubt } = decodeState(chances, span, (lines[span.row] ?? '').slice(span.from, span.to))
    writeAt(lines, span, text)
    doubts[name] = doubt
  }
  return { lines, doubts }
}

/** Finds the cells whose characters a passed check digit confirms, and those of codes that were weighed as a whole. */
function findVouchedCells(
  format: LayoutName,
  lines: readonly string[],
): { checked: Set<string>; weighed: Set<string> } {
  const groups = zoneLayouts[format].checks.filter(group => passesCheck(format, lines, group.name))
  return {
    checked: new Set(groups.flatMap(group => [...group.covers, group.at].flatMap(listCells))),
    weighed: new Set(listSpans(format, states).flatMap(listCells)),
  }
}

/** Returns the probability of a character among those that its cell may hold; an empty cell counts as one of them. */
function shareOfAllowed(format: LayoutName, chances: Probabilities, cell: Cell, character: string): number {
  let all = chances[cell.row]?.[cell.column]?.[mrzAlphabet.length] ?? 0
  for (const allowed of getAlphabet(format, cell)) all += getProbability(chances, cell, allowed)
  return getProbability(chances, cell, character) / Math.max(all, 1e-9)
}

/**
 * A doubt below this counts for less: the classifier learned from worse cells than photos show, and is seldom quite
 * sure.
 */
const realDoubt = 0.1
/**
 * From this probability on a character that is not allowed in its place counts as printed; less occurs in a blurred
 * picture.
 */
const sureForeign = 0.9

/** Returns a function that estimates the number of wrong characters, by the classifier's probabilities. */
function createDoubtReader(
  format: LayoutName,
  lines: readonly string[],
  chances: Probabilities,
): (row: number, column: number) => number {
  const { checked, weighed } = findVouchedCells(format, lines)
  return (row, column) => {
    const key = `${row} ${column}`
    const taken = lines[row]?.[column] ?? '<'
    if (weighed.has(key) || isOtherSex(format, { row, column }, taken)) return 0
    // A digit that is certainly printed in a name, or a letter in a date, contradicts the decoded text, check digit or
    // not.
    if (sumForeignProbability(format, chances, { row, column }, taken) >= sureForeign) return 1
    const doubt = 1 - shareOfAllowed(format, chances, { row, column }, taken)
    return doubt * Math.min(1, doubt / realDoubt) * (checked.has(key) ? checkedWeight : 1)
  }
}

function isSexCell(format: LayoutName, { row, column }: Cell): boolean {
  const sex = zoneLayouts[format].fields.sex
  return sex !== undefined && row === sex.row && column === sex.from
}

function isOtherSex(format: LayoutName, cell: Cell, taken: string): boolean {
  return isSexCell(format, cell) && !getAlphabet(format, cell).includes(taken)
}

/**
 * Returns the likeliest character that a cell may hold. For the sex states print letters of their own, which are then
 * surely read.
 */
function pickCharacter(format: LayoutName, chances: Probabilities, cell: Cell): string {
  const best = findLikeliest(chances, cell, getAlphabet(format, cell))
  const isOther = isSexCell(format, cell) && sumForeignProbability(format, chances, cell, best) >= sureForeign
  return isOther ? findLikeliest(chances, cell, mrzAlphabet) : best
}

/**
 * Returns whether a character is not the likeliest of its place, or was taken by the classifier for one that cannot
 * stand there.
 */
function isCorrected(format: LayoutName, chances: Probabilities, cell: Cell, character: string): boolean {
  const allowed = getAlphabet(format, cell)
  if (isOtherSex(format, cell, character)) return false
  if (character !== findLikeliest(chances, cell, allowed)) return true
  return [...allowed].reduce((sum, one) => sum + getProbability(chances, cell, one), 0) < minAllowed
}

function sumDoubts({ row, from, to }: Span, doubtAt: (row: number, column: number) => number): number {
  let sum = 0
  for (let column = from; column < to; column++) sum += doubtAt(row, column)
  return sum
}

/**
 * Decodes the text of a zone: the likeliest character that its position allows, names and states by their own rules.
 * Changes are counted. No character is changed to make a check digit agree: of 153 pictures of documents that corrected
 * none, and spoilt one.
 */
export function decodeZone(format: MrzFormat, chances: Probabilities, layout: LayoutName = format): Decoded {
  const decoded = decodeLayout(layout, chances)
  const variant = findVariant(format, decoded.lines)
  return { ...(variant === null ? decoded : decodeLayout(variant, chances)), format }
}

function decodeLayout(format: LayoutName, chances: Probabilities): Omit<Decoded, 'format'> {
  const { rows, columns, fields } = zoneLayouts[format]
  let quality = 0
  let corrected = 0
  let guessed = 0
  const plain = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const best = pickCharacter(format, chances, { row, column })
      quality += getProbability(chances, { row, column }, best)
      if (shareOfAllowed(format, chances, { row, column }, best) < minChance) guessed++
      return best
    }).join(''),
  )
  const { lines, doubts: stateDoubts } = settleNamesAndStates(format, plain, chances)
  const doubtAt = createDoubtReader(format, lines, chances)
  let doubt = Object.values(stateDoubts).reduce((sum, one) => sum + one, 0)
  lines.forEach((line, row) => {
    for (let column = 0; column < columns; column++) {
      if (isCorrected(format, chances, { row, column }, line[column] ?? '<')) corrected++
      doubt += doubtAt(row, column)
    }
  })
  const sums = Object.entries(fields).map(([name, span]) => [name, sumDoubts(span, doubtAt)])
  const doubts = { ...Object.fromEntries(sums), ...stateDoubts }
  return { lines, corrected, guessed, doubt, doubts, quality: quality / (rows * columns) }
}
