/**
 * The parts of the rules that a reader of documents applies to what it has read. They load no map of countries, which takes
 * 6 MB of a process.
 */
export { icaoCodes } from './countries.ts'
export { addYears, endOfMonth, toCalendarDay } from './dates.ts'
export { mrzFormats, printFields } from './findings.ts'
export { foldName, nameThreshold } from './names.ts'
export { listUnconfirmed } from './print_checks.ts'
export { findMissingSide, findUnacceptedKind } from './unaccepted_kinds.ts'
export { hasDate, toPrintedDate } from './visual_dates.ts'
export { matchGivenNames, matchName, misreadCharacters } from './visual_text.ts'
