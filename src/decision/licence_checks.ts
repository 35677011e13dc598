import { conclude, type RuleResult } from './decision.ts'
import { type ExpectedData, unreadField } from './document_checks.ts'
import type { DocumentFindings, LicenceField, LicenceReading } from './findings.ts'
import { createIssue } from './issues.ts'
import { misreadNameFrom } from './names.ts'
import { misreadDateFrom } from './visual_checks.ts'
import { shareOfDigits, toPrintedDate } from './visual_dates.ts'

/** What a decision rests on. */
const neededFields: readonly LicenceField[] = [
  'document_number',
  'last_name',
  'first_name',
  'date_of_birth',
  'expiry_date',
]

/** The fields of a licence that nothing surer was read of. */
export function findLicence({ reading, mrz, barcode, licence }: DocumentFindings): LicenceReading | null {
  return reading === 'READ' && mrz === null && barcode == null && licence != null ? licence : null
}

/** Nothing on a European driving licence has a check digit: two readings of each field must agree. */
export function checkLicence(licence: LicenceReading | null): RuleResult {
  if (licence === null) return conclude('repeated_reading', 'NOT_EXECUTED')
  const fields = neededFields.filter(field => !licence.confirmed.includes(field))
  if (fields.length === 0) return conclude('repeated_reading', 'PASSED')
  return conclude('repeated_reading', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE', { fields })])
}

const fieldsOf: Readonly<Record<string, LicenceField>> = {
  expected_last_name: 'last_name',
  expected_first_name: 'first_name',
  expected_date_of_birth: 'date_of_birth',
  expiry: 'expiry_date',
}

/** Whether a difference is too large for a letter or a digit that was misread alike each time. */
function isClear({ check }: RuleResult, field: LicenceField, licence: LicenceReading, expected: ExpectedData): boolean {
  if (!licence.confirmed.includes(field)) return false
  if (field === 'last_name' || field === 'first_name') return (check.score ?? 1) < misreadNameFrom
  const { date_of_birth: read } = licence
  const { date_of_birth: wanted } = expected
  if (field === 'expiry_date' || read === null || wanted == null) return true
  return shareOfDigits(toPrintedDate(read), toPrintedDate(wanted)) < misreadDateFrom
}

/** What a licence's print contradicts leaves the section open instead of rejecting, unless it was surely read. */
export function softenForLicence(
  results: readonly RuleResult[],
  licence: LicenceReading | null,
  expected: ExpectedData,
): RuleResult[] {
  return results.map(rule => {
    const field = fieldsOf[rule.check.name]
    if (licence === null || field === undefined || rule.check.status !== 'REJECTED') return rule
    if (isClear(rule, field, licence, expected)) return rule
    return { ...rule, check: { ...rule.check, status: 'UNDETERMINED' }, issues: [unreadField(field)] }
  })
}
