import { type Day, endOfMonth, resolveExpiryDate, toCalendarDay } from './dates.ts'

/** A date as a zone prints it, `YYMMDD`. Null: the document does not say this part. */
interface DateParts {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

/**
 * Reads the parts of a printed date. ICAO 9303-3, 4.8: fillers are unknown parts; some states print zeros for the month
 * and the day. Null for a text that is no date: it was not read, or misread.
 */
function readDateParts(printed: string | null): DateParts | null {
  const match = /^(\d\d|<<)(\d\d|<<)(\d\d|<<)$/.exec(printed ?? '')
  if (match === null) return null
  const [year = null, month = null, day = null] = match
    .slice(1)
    .map((part, at) => (part === '<<' || (part === '00' && (at > 0 || printed === '000000')) ? null : Number(part)))
  const isPossible = (month === null || month <= 12) && (day === null || day <= 31)
  return isPossible ? { year, month, day } : null
}

function isWhole({ year, month, day }: DateParts): boolean {
  return year !== null && month !== null && day !== null
}

/** Whether a date of birth is known in part, or not at all. */
export function isPartlyKnown(printed: string | null): boolean {
  const parts = readDateParts(printed)
  return parts !== null && !isWhole(parts)
}

/** Whether a day agrees with the known parts of a date. False if not even the year is known. */
export function agreesWithParts(printed: string | null, day: Day): boolean {
  const { year = null, month, day: ofMonth } = readDateParts(printed) ?? {}
  const [y, m, d] = day.slice(2).split('-').map(Number)
  return year !== null && year === y && (month ?? m) === m && (ofMonth ?? d) === d
}

/** The ways of zones to say that a document does not expire: nothing, and the year 9999 by its last two digits. */
const endless = /^(?:<{6}|0{6}|9{6})$/
const endlessDays = ['990101', '991231']

/**
 * Whether a printed expiry says that there is none. Of the two days that mean 1999 as well, they do unless a full date is
 * printed (`days`).
 */
export function isEndless(printed: string | null, today: Day, days: readonly Day[]): boolean {
  if (printed === null) return false
  if (endless.test(printed)) return true
  const day = resolveExpiryDate(printed, today)
  return endlessDays.includes(printed) && day !== null && day < today && !days.includes(day)
}

/**
 * Returns the first and the last day on which a document may expire whose expiry is known in part; null for any other.
 */
export function findExpirySpan(printed: string | null, today: Day): { readonly first: Day; readonly last: Day } | null {
  const parts = readDateParts(printed)
  if (parts === null || isWhole(parts) || parts.year === null || (parts.month === null && parts.day !== null))
    return null
  const yearStart = resolveExpiryDate(`${(printed ?? '').slice(0, 2)}0101`, today)
  if (yearStart === null) return null
  const year = Number(yearStart.slice(0, 4))
  const last = toCalendarDay(year, parts.month ?? 12, 1)
  const first = toCalendarDay(year, parts.month ?? 1, 1)
  return first === null || last === null ? null : { first, last: endOfMonth(last) }
}
