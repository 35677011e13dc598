import { conclude, type RuleResult } from './decision.ts'
import type { ExpectedData } from './document_checks.ts'
import type { DocumentFindings, VisualZone } from './findings.ts'
import type { Holder } from './holder.ts'
import { createIssue } from './issues.ts'
import { foldName } from './names.ts'
import { hasDate, toPrintedDate } from './visual_dates.ts'
import { matchGivenNames, matchName, matchNumber } from './visual_text.ts'

/** The ways in which a decision treats a document of a kind that has no description. */
export const unknownDocumentPolicies = ['IGNORE', 'MATCH_EXPECTED'] as const

export type UnknownDocumentPolicy = (typeof unknownDocumentPolicies)[number]

/** A shorter name is in many words. */
const minLetters = 3

/** Fewest letters of a name that may stand within one word as read. */
const longName = 6

/** Letters as they are folded, without the spaces, which may not have been seen. */
function squeeze(text: string): string {
  return foldName(text.replace(/[\s-]/g, ''))
}

/** Whether a line has a name in one piece, after its label or before another one. A short name is a word of its own. */
function hasPiece(name: string, line: readonly string[]): boolean {
  const wanted = squeeze(name)
  if (wanted.length < minLetters) return false
  if (wanted.length >= longName) return squeeze(line.join('')).includes(wanted)
  return line.flatMap(word => word.split(/[^\p{L}'’]+/u)).some(word => squeeze(word) === wanted)
}

/** Names that are nothing but print must be whole: a likeness of 0.95 takes Oliver for Oliveira. */
function isPrinted(name: string, text: VisualZone, match: typeof matchName): boolean {
  if (name.replace(/[^\p{L}]/gu, '').length < minLetters) return false
  return match(name, text) === 1 || text.lines.some(line => hasPiece(name, line))
}

/** Given names: a document may have only the first of them. */
function isGivenPrinted(names: string, text: VisualZone): boolean {
  const [first = ''] = names.trim().split(/\s+/)
  return isPrinted(names, text, matchGivenNames) || text.lines.some(line => hasPiece(first, line))
}

/** Fewest signs of a number: a shorter one is in many others. */
const minSigns = 5

/** Whether a line has a number in all its signs, with any text between them and no other sign beside it. */
function isNumberPrinted(number: string, text: VisualZone): boolean {
  const signs = number.toUpperCase().replace(/[^A-Z0-9]/g, '')
  if (signs.length < minSigns) return matchNumber(number, text) === 1
  const pattern = new RegExp(`(?<![A-Z0-9])${[...signs].join('[ ./-]{0,3}')}(?![A-Z0-9])`)
  return matchNumber(number, text) === 1 || text.lines.some(line => pattern.test(line.join(' ').toUpperCase()))
}

const monthNames = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')

/** Whether a day is printed with all its digits, with two of the year, or as in `July 3, 2004`. */
function isDayPrinted(day: string, text: VisualZone): boolean {
  const [year = '', month = '', ofMonth = ''] = day.split('-')
  const short = new RegExp(`(?<!\\d)${ofMonth}\\s?[./-]\\s?${month}\\s?[./-]\\s?${year.slice(2)}(?!\\d)`)
  const named = new RegExp(`${monthNames[Number(month) - 1]}[A-Z]*[ .]*0?${Number(ofMonth)}[ .,]+${year}(?!\\d)`)
  const isOn = (line: string): boolean => short.test(line) || named.test(line)
  // An O that begins a month is often read as a zero.
  const lines = text.lines.map(line => line.map(word => word.replace(/^0(?=CT)/i, 'O')))
  return hasDate(toPrintedDate(day), { ...text, lines }) || lines.some(line => isOn(line.join(' ').toUpperCase()))
}

/** Words of titles, which stand in no line that has a name. */
const titleWords = new Set(
  (
    'CARD CARTE CARTA CARTEIRA TARJETA CEDULA KARTE AUSWEIS KARTU KAD IDENTITY IDENTITE IDENTIDADE IDENTIDAD LICENCE ' +
    'LICENSE LICENCIA PERMIS PERMIT PASSPORT PASSEPORT PASAPORTE REPUBLIC REPUBLIQUE REPUBLICA REPUBLIK GOVERNMENT ' +
    'KINGDOM STATE NATIONAL NACIONAL MINISTRY DEPARTMENT'
  ).split(' '),
)
const months =
  /^(JAN(UARY)?|FEB(RUARY)?|MAR(CH)?|APR(IL)?|MAY|JUNE?|JULY?|AUG(UST)?|SEP(T|TEMBER)?|OCT(OBER)?|NOV(EMBER)?|DEC(EMBER)?)$/
/**
 * Both names stand in as many lines that follow each other. Surname, given names and a label for each take four; a
 * label in two languages may take two.
 */
const nearLines = 5

/** Returns a word with the letter I that was read as another upright stroke. */
function setStrokes(word: string): string {
  return word.replace(/(?<=\p{Lu})[!|]/gu, 'I').replace(/^l(?=\p{Ll}{2})/u, 'I')
}

/** Lists the lines that may have a name: none of a title, and no month of a date. */
function listNameLines(lines: VisualZone['lines'], names: string): VisualZone['lines'] {
  const own = foldName(names).split(' ')
  return lines.flatMap(read => {
    const line = read.map(setStrokes)
    const words = line.map(word => foldName(word))
    if (words.some(word => titleWords.has(word) && !own.includes(word))) return []
    const isDated = line.some(word => /\d{4}/.test(word))
    return [isDated ? line.filter(word => !months.test(word.toUpperCase().replace(/[^A-Z]/g, ''))) : line]
  })
}

/** Takes out the first words that are those of a name: they can't be another name too. */
function takeOut(name: string, lines: VisualZone['lines']): VisualZone['lines'] {
  const left = foldName(name).split(' ')
  const isTaken = (word: string): boolean => {
    const own = foldName(word).split(' ')
    if (!own.every(part => left.includes(part))) return false
    for (const part of own) left.splice(left.indexOf(part), 1)
    return true
  }
  return lines.map(line => line.filter(word => !isTaken(word)))
}

/**
 * Whether both names stand near each other, or in a row. A word far from them is of a label, an address or an
 * authority.
 */
function areNamesPrinted(last_name: string, first_name: string, { lines, legibility }: VisualZone): boolean {
  const all = listNameLines(lines, `${last_name} ${first_name}`)
  const rows = [last_name + first_name, first_name + last_name].map(squeeze).filter(row => row.length >= longName)
  const isInRow = (line: readonly string[]): boolean => {
    const words = line.flatMap(word => word.split(/[^\p{L}'’]+/u)).map(squeeze)
    return words.some((_, from) => words.some((__, to) => rows.includes(words.slice(from, to + 1).join(''))))
  }
  return (
    all.some(isInRow) ||
    all.some((_, from) => {
      const near = all.slice(from, from + nearLines)
      return (
        isPrinted(last_name, { lines: near, legibility }, matchName) &&
        isGivenPrinted(first_name, { lines: takeOut(last_name, near), legibility })
      )
    })
  )
}

/** Whether a birth is a part of a number, as in those of Malaysia or South Africa. */
function isBirthInside(day: string, number: string): boolean {
  const [year = '', month = '', ofMonth = ''] = day.split('-')
  const digits = number.replace(/\D/g, '')
  return [year.slice(2) + month + ofMonth, ofMonth + month + year.slice(2)].some(birth => digits.includes(birth))
}

function hasAll({ last_name, first_name, date_of_birth, document_number }: ExpectedData, text: VisualZone): boolean {
  if (last_name == null || first_name == null || date_of_birth == null) return false
  if (document_number != null && !isNumberPrinted(document_number, text)) return false
  return (
    areNamesPrinted(last_name, first_name, text) &&
    (isDayPrinted(date_of_birth, text) || isBirthInside(date_of_birth, document_number ?? ''))
  )
}

/** Whether both readings of a document of no known kind have all that is expected: both names and the birth at least. */
export function matchesExpected(findings: DocumentFindings, expected: ExpectedData): boolean {
  const { reading, print = null, unknown_print: readings = null } = findings
  if (reading === 'READ' || print !== null || readings === null) return false
  return readings.every(lines => hasAll(expected, { lines, legibility: { score: 0, threshold: 0 } }))
}

/** Returns the holder of such a document: the expected data that was found on it. Nothing else is known of it. */
export function toExpectedHolder({ last_name, first_name, date_of_birth, document_number }: ExpectedData): Holder {
  return {
    document_type: null,
    issuing_country: null,
    nationality: null,
    document_number: document_number ?? null,
    personal_number: null,
    first_name: first_name ?? null,
    last_name: last_name ?? null,
    date_of_birth: date_of_birth ?? null,
    sex: null,
    issue_date: null,
    expiry_date: null,
    possiblyValidUntil: null,
    not_printed: ['expiry_date'],
    partial_birth: null,
    truncated: [],
  }
}

/** Says that the kind of the document is not known. */
export function reportUnknownKind(): RuleResult {
  return conclude('document_type', 'NOT_EXECUTED', [createIssue('DOCUMENT_KIND_UNKNOWN')])
}
