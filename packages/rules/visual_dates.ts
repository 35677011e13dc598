import type { Day } from './dates.ts'
import type { VisualZone } from './findings.ts'

/** The beginnings of each month's names in English, French, Spanish and German, without diacritics. */
const months: readonly RegExp[] = [
  /^(JAN|ENE)/,
  /^(FEB|FEV)/,
  /^(MAR|MRZ|MAE)/,
  /^(APR|AVR|ABR)/,
  /^(MAI|MAY)/,
  /^(JUN|JUIN)/,
  /^(JUL|JUIL)/,
  /^(AUG|AOU|AGO)/,
  /^SEP/,
  /^(OCT|OKT)/,
  /^NOV/,
  /^(DEC|DEZ|DIC)/,
]

/** Returns the number of a month, from 1; 0 for no month. */
function parseMonth(name: string): number {
  return months.findIndex(beginning => beginning.test(name)) + 1
}

function padTwo(value: string | number): string {
  return String(value).padStart(2, '0').slice(-2)
}

/** A printed date: `YYMMDD` as in a zone, and the year as printed, with two or four digits. */
interface PrintedDate {
  readonly date: string
  readonly year: string
}

function toPrintedDates(year: string, month: number, day: number): readonly PrintedDate[] {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31
    ? [{ date: `${padTwo(year)}${padTwo(month)}${padTwo(day)}`, year }]
    : []
}

const namedMonthPattern =
  /(?<!\d)(\d{1,2})[ .,/-]*([A-Z]{3,10})[.]?(?: ?\/ ?[A-Z]{3,10}[.]?)?[ .,/-]*((?:19|20)\d\d|\d\d)(?!\d)/g
const yearFirstPattern = /(?<!\d)((?:19|20)\d\d)[ .,/-]*(\d\d)[ .,/-]*(\d\d)(?!\d)/g
const yearLastPattern = /(?<!\d)(\d\d)[ .,/-]*(\d\d)[ .,/-]*((?:19|20)\d\d)(?!\d)/g
const shortPattern = /(?<!\d)(\d{1,2})[ .,/-]+(\d{1,2})[ .,/-]+(\d\d|(?:19|20)\d\d)(?!\d)/g

function readEitherOrder([, one = '', other = '', year = '']: RegExpExecArray): PrintedDate[] {
  return [...toPrintedDates(year, Number(other), Number(one)), ...toPrintedDates(year, Number(one), Number(other))]
}

/** Every reading of every date of a line: day and month may be in either order. */
function parseLine(line: string): PrintedDate[] {
  return [
    ...[...line.matchAll(namedMonthPattern)].flatMap(([, day = '', name = '', year = '']) =>
      toPrintedDates(year, parseMonth(name), Number(day)),
    ),
    ...[...line.matchAll(yearFirstPattern)].flatMap(([, year = '', month = '', day = '']) =>
      toPrintedDates(year, Number(month), Number(day)),
    ),
    ...[...line.matchAll(yearLastPattern), ...line.matchAll(shortPattern)].flatMap(readEitherOrder),
  ]
}

/** Capitals without diacritics; letters beside digits become the digits that they are mistaken for. */
function normaliseLine(line: string): string {
  return (
    line
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toUpperCase()
      // A month's name may touch its day or year.
      .replace(/(?<=\d)O(?![A-Z])|(?<![A-Z])O(?=\d)/g, '0')
      .replace(/(?<=\d)[IL|](?![A-Z])|(?<![A-Z])[IL|](?=\d)/g, '1')
  )
}

/** Two digits of a day or a month that were read apart, as in `1 9/07/1958`. */
const splitDigitsPattern = /(?<![\d.,/-] ?)(\d) (\d)(?=[.,/-])/g

function parseDates(lines: readonly string[]): PrintedDate[] {
  return lines.flatMap(line => parseLine(normaliseLine(line).replace(splitDigitsPattern, '$1$2')))
}

function parseDatesByLine({ lines }: VisualZone): PrintedDate[] {
  return parseDates(lines.map(line => line.join(' ')))
}

/** The days that are printed with all digits of their year, the oldest first: a document has no date before its holder's birth. */
export function listFullDays(text: VisualZone): Day[] {
  return parseDatesByLine(text)
    .filter(({ year }) => year.length === 4)
    .map(({ date, year }) => `${year}-${date.slice(2, 4)}-${date.slice(4)}`)
    .sort()
}

/** A day as a zone prints it, `YYMMDD`. */
export function toPrintedDate(day: Day): string {
  return day.slice(2).replaceAll('-', '')
}

/** Whether a date (`YYMMDD`) is printed, with day and month in any order that is possible. */
export function hasDate(date: string, text: VisualZone): boolean {
  // A date may have been read as two lines.
  return [...parseDatesByLine(text), ...parseDates([text.lines.flat().join(' ')])].some(found => found.date === date)
}

/** Documents are valid for fifteen years at most: an earlier year can only be that of a birth. */
function isBirthYear(year: string, thisYear: number): boolean {
  if (year.length === 4) return Number(year) < thisYear - 16
  const since = (thisYear - Number(year)) % 100
  return since > 16 && since < 84
}

/** The share of the digits of a date (`YYMMDD`) that are another's. */
export function shareOfDigits(date: string, other: string): number {
  return [...date].filter((digit, at) => digit === other[at]).length / date.length
}

/**
 * A date of birth (`YYMMDD`) against the printed dates: the share of its digits that agree in the likeliest, 0 to 1. A
 * page has several dates: only those that are too old to be the date of issue can contradict it. Null where there is
 * none.
 */
export function matchBirthDate(birth: string, text: VisualZone, today: Day): number | null {
  if (hasDate(birth, text)) return 1
  const thisYear = Number(today.slice(0, 4))
  const births = parseDatesByLine(text).filter(({ year }) => isBirthYear(year, thisYear))
  if (births.length === 0) return null
  return Math.max(...births.map(({ date }) => shareOfDigits(date, birth)))
}

/** Whether a date that can only be of a birth was surely read, and none of them is this one (`YYMMDD`). */
export function isSurelyOtherBirthDate(birth: string, text: VisualZone, today: Day): boolean {
  const thisYear = Number(today.slice(0, 4))
  const sure = parseDates((text.sure_lines ?? []).map(line => line.join(' ')))
  return sure.some(({ year }) => isBirthYear(year, thisYear)) && !hasDate(birth, text)
}

/** Whether any date is printed. */
export function hasAnyDate(text: VisualZone): boolean {
  return parseDatesByLine(text).length > 0
}
