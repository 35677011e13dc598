import { addYears, type Day, endOfMonth, resolveIssueMonth, subtractDay } from './dates.ts'

export interface Validity {
  /** The last day on which the document is certainly valid. */
  readonly certainUntil: Day
  /** The last day on which it may be valid. */
  readonly possibleUntil: Day
}

/** From this month on adults' cards are valid for fifteen years; minors' and older cards for ten. */
const fifteenYearsFrom: Day = '2004-01-01'

/**
 * The validity of the French identity card issued until 2021, which prints no expiry. Its number begins with the year and
 * month of issue (YYMM). A card issued to an adult is valid for fifteen years instead of ten (decree 2013-1188 of 18
 * December 2013, also for cards issued from 2 January 2004 on). The day of issue is unknown, and so is whether a holder
 * who came of age in that month did so before it. Null where the number has no month, or one in the future.
 */
export function deriveFrenchValidity(documentNumber: string | null, birth: Day | null, today: Day): Validity | null {
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
