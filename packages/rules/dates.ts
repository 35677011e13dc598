/** A calendar day, `YYYY-MM-DD`. Such days compare as strings. */
export type Day = string

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

function countDays(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0')
}

/** `YYMMDD` as three numbers; null for anything else, and for an impossible month or day. */
function parsePrintedDate(printed: string | null): readonly [number, number, number] | null {
  const match = /^(\d\d)(\d\d)(\d\d)$/.exec(printed ?? '')
  if (match === null) return null
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [year, month, day] : null
}

/** Null for a day that the month does not have. */
export function toCalendarDay(year: number, month: number, day: number): Day | null {
  return day <= countDays(year, month) ? `${year}-${padTwo(month)}-${padTwo(day)}` : null
}

/** The latest year up to `limit` that ends in `year`. */
function resolveYear(year: number, limit: number): number {
  return limit - ((((limit - year) % 100) + 100) % 100)
}

/**
 * A printed birth date (`YYMMDD`). A zone has no century: the first of the days `known` from elsewhere that has these digits
 * decides, else it is the latest such day that is not after `today`. Null for an impossible one.
 */
export function resolveBirthDate(printed: string | null, today: Day, known: readonly Day[] = []): Day | null {
  const parts = parsePrintedDate(printed)
  if (parts === null) return null
  const same = known.find(day => day.slice(2).replaceAll('-', '') === printed && day <= today)
  if (same !== undefined) return same
  const [year, month, day] = parts
  const latest = resolveYear(year, Number(today.slice(0, 4)))
  const born = toCalendarDay(latest, month, day)
  return born !== null && born <= today ? born : toCalendarDay(latest - 100, month, day)
}

/** A printed expiry date (`YYMMDD`) in the century nearest to `today`. Null for an impossible one. */
export function resolveExpiryDate(printed: string | null, today: Day): Day | null {
  const parts = parsePrintedDate(printed)
  if (parts === null) return null
  const [year, month, day] = parts
  return toCalendarDay(resolveYear(year, Number(today.slice(0, 4)) + 50), month, day)
}

/** The first day of a printed month (`YYMM`): the latest that has begun. Null for an impossible one. */
export function resolveIssueMonth(printed: string | null, today: Day): Day | null {
  const parts = parsePrintedDate(printed === null ? null : `${printed}01`)
  if (parts === null) return null
  const [year, month] = parts
  const latest = resolveYear(year, Number(today.slice(0, 4)))
  const first = toCalendarDay(latest, month, 1)
  return first !== null && first <= today ? first : toCalendarDay(latest - 100, month, 1)
}

export function endOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}${countDays(Number(day.slice(0, 4)), Number(day.slice(5, 7)))}`
}

/** A leap day becomes the first of March in a year without one. */
export function addYears(day: Day, years: number): Day {
  const year = Number(day.slice(0, 4)) + years
  return toCalendarDay(year, Number(day.slice(5, 7)), Number(day.slice(8))) ?? `${year}-03-01`
}

export function subtractDay(day: Day): Day {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}

/** The last hour of a day is over everywhere when it is over in UTC−12. */
const farthestWest_ms = 12 * 3_600_000

/** The earliest day that it still is somewhere, at an instant: a document that expires on it is valid. */
export function findEarliestDay(at: number): Day {
  return new Date(at - farthestWest_ms).toISOString().slice(0, 10)
}

/** Negative where `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}
