import { isIcaoCode } from './countries.ts'
import type { Day } from './dates.ts'
import { daysBetween } from './dates.ts'
import { atLeast, conclude, type RuleResult } from './decision.ts'
import type { DocumentFindings, Measured, MrzReading, Score, UnprintedField } from './findings.ts'
import type { Holder } from './holder.ts'
import type { Issue, IssueDetails } from './issues.ts'
import { createIssue } from './issues.ts'

/** `expected_data`: what the integrator knows about the person. Dates are `YYYY-MM-DD`. */
export interface ExpectedData {
  readonly first_name?: string | null | undefined
  readonly last_name?: string | null | undefined
  readonly date_of_birth?: string | null | undefined
  readonly document_number?: string | null | undefined
}

/** `DOCUMENT_EXPIRES_SOON`. */
const soonDays = 30

/** An engine's NaN or infinity counts as not measured. */
export function onlyFinite(measured: Measured | null): Measured | null {
  return measured !== null && Number.isFinite(measured.score) && Number.isFinite(measured.threshold) ? measured : null
}

/** A measurement as the details of an issue. */
export function toDetails({ score, threshold, passes_when }: Score): IssueDetails {
  return { score, threshold, passes_when }
}

export function unreadField(field: string): Issue {
  return createIssue('DOCUMENT_NOT_READABLE', { fields: [field] })
}

/** Whether the document does not print a field. */
export function isUnprinted(holder: Holder | null, field: UnprintedField): boolean {
  return holder?.not_printed.includes(field) ?? false
}

/** The day of the evaluation in UTC, and the earliest day that it still is somewhere. */
export interface EvaluationDays {
  readonly today: Day
  readonly earliest: Day
}

/** A document is valid through the day printed, until that day is over everywhere. The issue names the day in UTC. */
export function checkExpiry(holder: Holder | null, { today, earliest }: EvaluationDays): RuleResult {
  const { expiry_date: expiry = null, possiblyValidUntil: expiresAtLast = null } = holder ?? {}
  if (expiry === null) return conclude('expiry', isUnprinted(holder, 'expiry_date') ? 'NOT_PRINTED' : 'NOT_EXECUTED')
  // It may still be valid: `checkDerivedExpiry` reports that.
  if (expiresAtLast !== null && expiry < earliest && earliest <= expiresAtLast)
    return conclude('expiry', 'NOT_EXECUTED')
  if (expiry < earliest)
    return conclude('expiry', 'REJECTED', [createIssue('EXPIRED_DOCUMENT', { evaluated_at: today })])
  const days_left = Math.max(0, daysBetween(today, expiry))
  if (days_left > soonDays) return conclude('expiry', 'PASSED')
  return conclude('expiry', 'PASSED', [createIssue('DOCUMENT_EXPIRES_SOON', { evaluated_at: today, days_left })])
}

/**
 * The expiry of a document that prints none: it follows from the month of issue and the holder's age
 * (`holder.ts`), and is open between the last certain and the last possible day.
 */
export function checkDerivedExpiry(holder: Holder | null, { earliest }: EvaluationDays): RuleResult {
  const { expiry_date = null, possiblyValidUntil: expiresAtLast = null } = holder ?? {}
  if (expiry_date === null || expiresAtLast === null) return conclude('derived_expiry', 'NOT_EXECUTED')
  if (earliest <= expiry_date || earliest > expiresAtLast) return conclude('derived_expiry', 'PASSED')
  return conclude('derived_expiry', 'UNDETERMINED', [createIssue('DOCUMENT_INCOMPLETE', { fields: ['expiry_date'] })])
}

/** Numbers, which states put elsewhere in the zone, longer, or without a digit of their own. */
const numberFields: readonly string[] = ['document_number', 'personal_number']

/** Whether every character was read right, since the composite digit agrees, and a number alone is not where ICAO puts it. */
function isMisplaced({ check_digits }: MrzReading, failed: readonly string[]): boolean {
  const composite = check_digits.find(({ name }) => name === 'composite')
  return composite?.passed === true && failed.length > 0 && failed.every(name => numberFields.includes(name))
}

/** Every check digit, the composite one included. A corrected character is always reported. */
export function checkMrz(mrz: MrzReading | null): RuleResult {
  if (mrz === null) return conclude('mrz_check_digits', 'NOT_EXECUTED')
  const { corrected_characters } = mrz
  const corrected = corrected_characters > 0 ? [createIssue('MRZ_CHARACTERS_CORRECTED', { corrected_characters })] : []
  const failed = mrz.check_digits.filter(digit => !digit.passed).map(digit => digit.name)
  if (mrz.valid && failed.length === 0) return conclude('mrz_check_digits', 'PASSED', corrected)
  if (isMisplaced(mrz, failed))
    return conclude('mrz_check_digits', 'UNDETERMINED', [
      createIssue('MRZ_NOT_STANDARD', { fields: failed }),
      ...corrected,
    ])
  return conclude('mrz_check_digits', 'REJECTED', [createIssue('MRZ_CHECKSUM_INVALID', { failed }), ...corrected])
}

/** A code that ICAO does not list is new, or no state issued the document: another photograph would show it again. */
function isUnlisted(code: string | null): boolean {
  return code !== null && !isIcaoCode(code)
}

/** Issuing state and nationality must be codes that ICAO lists; an absent one passes. */
export function checkMrzCodes(mrz: MrzReading | null): RuleResult {
  if (mrz === null) return conclude('mrz_codes', 'NOT_EXECUTED')
  const read = { issuing_country: mrz.issuing_state, nationality: mrz.nationality }
  const fields = Object.entries(read).flatMap(([field, code]) => (isUnlisted(code) ? [field] : []))
  if (fields.length === 0) return conclude('mrz_codes', 'PASSED')
  return conclude('mrz_codes', 'UNDETERMINED', [createIssue('MRZ_NOT_STANDARD', { fields })])
}

/** Whether all sides are there and belong together. */
export function checkSides(findings: DocumentFindings): RuleResult {
  if (findings.sides_match === false) return conclude('sides', 'REJECTED', [createIssue('DOCUMENT_SIDES_MISMATCH')])
  const side = findings.missing_side ?? null
  if (side !== null) return conclude('sides', 'UNDETERMINED', [createIssue('DOCUMENT_SIDE_MISSING', { side })])
  return conclude('sides', findings.sides_match === true ? 'PASSED' : 'NOT_EXECUTED')
}

/** The printed surname must match the machine-readable zone's. An unread one is reported and decides nothing. */
export function checkVisualSurname(measured: Measured | null): RuleResult {
  const finite = onlyFinite(measured)
  if (finite === null) return conclude('visual_surname', 'NOT_EXECUTED', [createIssue('SURNAME_NOT_EVALUABLE')])
  const surname = atLeast(finite)
  if (surname.score >= surname.threshold) return conclude('visual_surname', 'PASSED', [], surname)
  return conclude('visual_surname', 'REJECTED', [createIssue('SURNAME_MISMATCH', toDetails(surname))], surname)
}
