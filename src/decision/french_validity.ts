import { addYears, type Day, endOfMonth, resolveIssueMonth, subtractDay } from './dates.ts'

/** The days from and after which a document that prints no expiry is surely, or perhaps still, valid no more. */
export interface Validity {
  /** The last day on which it is valid for sure. */
  readonly certainUntil: Day
  /** The last day on which it may be valid. */
  readonly possibleUntil: Day
}

/** Adults' cards of this month and later ones are valid for fifteen years, those of minors and older ones for ten. */
const fifteenYearsFrom: Day = '2004-01-01'

/**
 * How long an old French identity card is valid, whose zone prints no expiry: its number begins with year and month of
 * issue (YYMM), and a holder of age at issue has fifteen years instead of ten (decree 2013-1188 of 18 December 2013, also
 * for cards issued from 2 January 2004 on). The day of issue is not known, nor the age of who came of age in that
 * month: in between it is open. Null where the number names no month that has begun.
 */
export const deriveFrenchValidity = (documentNumber: string | null, birth: Day | null, today: Day): Validity | null => {
  const first = resolveIssueMonth(documentNumber?.slice(0, 4) ?? null, today)
  if (first === null) return null
  const last = endOfMonth(first)
  const ofAge = birth === null ? null : addYears(birth, 18)
  const adult = ofAge !== null && ofAge <= first
  const minor = ofAge !== null && ofAge > last
  const long = first >= fifteenYearsFrom
  return {
    certainUntil: subtractDay(addYears(first, long && adult ? 15 : 10)),
    possibleUntil: subtractDay(addYears(last, long && !minor ? 15 : 10)),
  }
}
