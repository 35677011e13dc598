/** A calendar day, `YYYY-MM-DD`. Such days compare as strings. */
export type Day = string

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const countDays = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const padTwo = (value: number): string => String(value).padStart(2, '0')

/** `YYMMDD` as three numbers; null for anything else, for a month beyond 12 and for a day beyond 31. */
const parsePrintedDate = (printed: string | null): readonly [number, number, number] | null => {
  const match = /^(\d\d)(\d\d)(\d\d)$/.exec(printed ?? '')
  if (match === null) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [year, month, day] : null
}

const toDay = (year: number, month: number, day: number): Day | null =>
  day <= countDays(year, month) ? `${year}-${padTwo(month)}-${padTwo(day)}` : null

/** The latest year up to `limit` that ends in `year`. */
const resolveYear = (year: number, limit: number): number => limit - ((((limit - year) % 100) + 100) % 100)

/** A birth date as printed (`YYMMDD`): the latest such day that is not after `today`. Null where it is no day. */
export const resolveBirthDate = (printed: string | null, today: Day): Day | null => {
  const parts = parsePrintedDate(printed)
  if (parts === null) return null
  const [year, month, day] = parts
  const latest = resolveYear(year, Number(today.slice(0, 4)))
  const born = toDay(latest, month, day)
  return born !== null && born <= today ? born : toDay(latest - 100, month, day)
}

/** An expiry date as printed (`YYMMDD`): the century that is nearest to `today`'s year. Null where it is no day. */
export const resolveExpiryDate = (printed: string | null, today: Day): Day | null => {
  const parts = parsePrintedDate(printed)
  if (parts === null) return null
  const [year, month, day] = parts
  return toDay(resolveYear(year, Number(today.slice(0, 4)) + 50), month, day)
}

/** The first day of a month as printed (`YYMM`), the latest that has begun. Null where it is no month. */
export const resolveIssueMonth = (printed: string | null, today: Day): Day | null => {
  const parts = parsePrintedDate(printed === null ? null : `${printed}01`)
  if (parts === null) return null
  const [year, month] = parts
  const latest = resolveYear(year, Number(today.slice(0, 4)))
  const first = toDay(latest, month, 1)
  return first !== null && first <= today ? first : toDay(latest - 100, month, 1)
}

/** The last day of a day's month. */
export const endOfMonth = (day: Day): Day =>
  `${day.slice(0, 8)}${countDays(Number(day.slice(0, 4)), Number(day.slice(5, 7)))}`

/** The same day so many years later; the first of March where a leap day has none. */
export const addYears = (day: Day, years: number): Day => {
  const year = Number(day.slice(0, 4)) + years
  return toDay(year, Number(day.slice(5, 7)), Number(day.slice(8))) ?? `${year}-03-01`
}

/** The day before another. */
export const subtractDay = (day: Day): Day => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

/** Whole days from one day to another; negative where `to` is earlier. */
export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
