import { type Day, dayBefore, inYears, lastOfMonth, monthOfIssue } from './dates.ts'

/** The days from and after which a document that prints no expiry is surely, or perhaps still, valid no more. */
export interface Validity {
  /** The last day on which it is valid for sure. */
  readonly surely_until: Day
  /** The last day on which it may be valid. */
  readonly perhaps_until: Day
}

/** Adults' cards of this month and later ones are valid for fifteen years, those of minors and older ones for ten. */
const fifteen_years_from: Day = '2004-01-01'

/**
 * How long an old French identity card is valid, whose zone prints no expiry: its number begins with year and month of
 * issue (YYMM), and a holder of age at issue has fifteen years instead of ten (decree 2013-1188 of 18 December 2013, also
 * for cards issued from 2 January 2004 on). The day of issue is not known, nor the age of who came of age in that
 * month: in between it is open. Null where the number names no month that has begun.
 */
export const frenchValidity = (document_number: string | null, birth: Day | null, today: Day): Validity | null => {
  const first = monthOfIssue(document_number?.slice(0, 4) ?? null, today)
  if (first === null) return null
  const last = lastOfMonth(first)
  const of_age = birth === null ? null : inYears(birth, 18)
  const adult = of_age !== null && of_age <= first
  const minor = of_age !== null && of_age > last
  const long = first >= fifteen_years_from
  return {
    surely_until: dayBefore(inYears(first, long && adult ? 15 : 10)),
    perhaps_until: dayBefore(inYears(last, long && !minor ? 15 : 10)),
  }
}
