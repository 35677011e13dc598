import type { UnprintedField } from '@attestor/rules'

/**
 * Jurisdictions print one of these if there is no date: words, all zeros or nines, the year 9999. Any other word does
 * not show whether there is none, and the field stays open.
 */
const noDate =
  /^(?:|0{6,8}|9{6,8}|9999\d{4}|\d{4}9999|NONE|UNAVL|UNAVAIL\w*|N\/A|INDEF\w*|NEVER|PERM\w*|NON-?EXP\w*|NO-?EXP\w*|LIFE\w*)$/i

function keepDigits(printed: string): string {
  return printed.replace(/[-/\s]/g, '')
}

/** Lists the fields whose element is there and states that there is no date; an absent element states nothing. */
export function listAbsentDates(
  dates: Readonly<Partial<Record<UnprintedField, string | undefined>>>,
): UnprintedField[] {
  return (['date_of_birth', 'expiry_date'] as const).filter(field => {
    const printed = dates[field]
    return printed !== undefined && (noDate.test(printed.trim()) || noDate.test(keepDigits(printed)))
  })
}

/**
 * Reads eight digits as `YYYY-MM-DD`. The United States print MMDDCCYY, Canada and version 1 CCYYMMDD. No century of a
 * living holder begins like a month, so the digits show which it is. Null for an impossible day.
 */
export function parseDate(printed: string | undefined): string | null {
  const digits = keepDigits(printed ?? '')
  if (!/^\d{8}$/.test(digits)) return null
  const yearFirst = /^(18|19|20|21)/.test(digits)
  const [year, month, day] = yearFirst
    ? [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)]
    : [digits.slice(4), digits.slice(0, 2), digits.slice(2, 4)]
  if (!/^(18|19|20|21)/.test(year)) return null
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  const iso = Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10)
  return iso === `${year}-${month}-${day}` ? iso : null
}
