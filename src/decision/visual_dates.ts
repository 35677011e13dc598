import type { Day } from './dates.ts'
import type { VisualZone } from './findings.ts'

/** The beginnings of month names in English, French, Spanish and German, without marks; longer ones go first. */
const months: readonly (readonly [beginning: string, month: number])[] = [
  ['JUIL', 7],
  ['JUIN', 6],
  ['JUN', 6],
  ['JUL', 7],
  ['JAN', 1],
  ['ENE', 1],
  ['FEB', 2],
  ['FEV', 2],
  ['MAR', 3],
  ['MRZ', 3],
  ['MAE', 3],
  ['APR', 4],
  ['AVR', 4],
  ['ABR', 4],
  ['MAI', 5],
  ['MAY', 5],
  ['AUG', 8],
  ['AOU', 8],
  ['AGO', 8],
  ['SEP', 9],
  ['OCT', 10],
  ['OKT', 10],
  ['NOV', 11],
  ['DEC', 12],
  ['DEZ', 12],
  ['DIC', 12],
]

const monthOf = (name: string): number | null => months.find(([beginning]) => name.startsWith(beginning))?.[1] ?? null

const two = (value: string | number): string => String(value).padStart(2, '0').slice(-2)

/** A printed date: `YYMMDD` as a zone prints it, and the year as it stands there, of two digits or four. */
interface PrintedDate {
  readonly date: string
  readonly year: string
}

const printed = (year: string, month: number, day: number): readonly PrintedDate[] =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [{ date: `${two(year)}${two(month)}${two(day)}`, year }] : []

const named = /(?<!\d)(\d{1,2})[ .,/-]*([A-Z]{3,10})[.]?(?: ?\/ ?[A-Z]{3,10}[.]?)?[ .,/-]*((?:19|20)\d\d|\d\d)(?!\d)/g
const year_first = /(?<!\d)((?:19|20)\d\d)[ .,/-]*(\d\d)[ .,/-]*(\d\d)(?!\d)/g
const year_last = /(?<!\d)(\d\d)[ .,/-]*(\d\d)[ .,/-]*((?:19|20)\d\d)(?!\d)/g
const short = /(?<!\d)(\d{1,2})[ .,/-]+(\d{1,2})[ .,/-]+(\d\d|(?:19|20)\d\d)(?!\d)/g

const eitherOrder = ([, one = '', other = '', year = '']: RegExpExecArray): PrintedDate[] => [
  ...printed(year, Number(other), Number(one)),
  ...printed(year, Number(one), Number(other)),
]

/** Every reading of every date of a line: day and month may stand in either order. */
const datesOfLine = (line: string): PrintedDate[] => [
  ...[...line.matchAll(named)].flatMap(([, day = '', name = '', year = '']) =>
    printed(year, monthOf(name) ?? 0, Number(day)),
  ),
  ...[...line.matchAll(year_first)].flatMap(([, year = '', month = '', day = '']) =>
    printed(year, Number(month), Number(day)),
  ),
  ...[...line.matchAll(year_last), ...line.matchAll(short)].flatMap(eitherOrder),
]

/** Capitals without marks, and letters beside digits as the digits that they are taken for. */
const folded = (line: string): string =>
  line
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/(?<=\d)O|O(?=\d)/g, '0')
    .replace(/(?<=\d)[IL|]|[IL|](?=\d)/g, '1')

/** Two digits of a day or a month that were read apart, as in `1 9/07/1958`. */
const read_apart = /(?<![\d.,/-] ?)(\d) (\d)(?=[.,/-])/g

const datesOf = (lines: readonly string[]): PrintedDate[] =>
  lines.flatMap(line => datesOfLine(folded(line).replace(read_apart, '$1$2')))

const datesByLine = ({ lines }: VisualZone): PrintedDate[] => datesOf(lines.map(line => line.join(' ')))

/** A day as a zone prints it, `YYMMDD`. */
export const printedDate = (day: Day): string => day.slice(2).replaceAll('-', '')

/** Whether a date (`YYMMDD`) is printed, with day and month in any order that is possible. */
export const hasDate = (date: string, text: VisualZone): boolean =>
  // It may have been read as two lines.
  [...datesByLine(text), ...datesOf([text.lines.flat().join(' ')])].some(found => found.date === date)

/** Documents are good for fifteen years at most: years that only a birth can be of. */
const isBirthYear = (year: string, this_year: number): boolean => {
  if (year.length === 4) return Number(year) < this_year - 16
  const since = (this_year - Number(year)) % 100
  return since > 16 && since < 84
}

/**
 * A date of birth (`YYMMDD`) against the printed dates: the share of its digits that agree in the likeliest, 0 to 1. A
 * page has several: only those that are too old to be the date of issue can contradict it. Null where there is none.
 */
export const birthInText = (birth: string, text: VisualZone, today: Day): number | null => {
  if (hasDate(birth, text)) return 1
  const this_year = Number(today.slice(0, 4))
  const births = datesByLine(text).filter(({ year }) => isBirthYear(year, this_year))
  if (births.length === 0) return null
  return Math.max(
    ...births.map(({ date }) => [...date].filter((digit, at) => digit === birth[at]).length / date.length),
  )
}

/** Whether a date that can only be of a birth was surely read, and none of them is this one (`YYMMDD`). */
export const isSurelyOtherBirth = (birth: string, text: VisualZone, today: Day): boolean => {
  const this_year = Number(today.slice(0, 4))
  const sure = datesOf((text.sure_lines ?? []).map(line => line.join(' ')))
  return sure.some(({ year }) => isBirthYear(year, this_year)) && !hasDate(birth, text)
}

/** Whether any date is printed. */
export const hasDates = (text: VisualZone): boolean => datesByLine(text).length > 0
