import { conclude, type RuleResult } from './decision.ts'
import { type ExpectedData, unreadField } from './document_checks.ts'
import type { DocumentFindings, PrintField, PrintReading } from './findings.ts'
import { createIssue } from './issues.ts'
import { misreadNameFrom } from './names.ts'
import { misreadDateFrom } from './visual_checks.ts'
import { shareOfDigits, toPrintedDate } from './visual_dates.ts'

/** Fields that a decision rests on. */
const neededFields: readonly PrintField[] = [
  'document_number',
  'last_name',
  'first_name',
  'date_of_birth',
  'expiry_date',
]

/** Returns the printed fields of a document that has no zone or barcode. */
export function findPrint({ reading, mrz, barcode, print }: DocumentFindings): PrintReading | null {
  return reading === 'READ' && mrz === null && barcode == null && print != null ? print : null
}

/** Returns the needed fields that two readings do not have alike. */
export function listUnconfirmed({ confirmed, not_printed }: PrintReading): readonly PrintField[] {
  const known: readonly string[] = [...confirmed, ...not_printed]
  return neededFields.filter(field => !known.includes(field))
}

/** Print has no check digit but those of some numbers: two readings of each field must agree. */
export function checkPrintRepeated(print: PrintReading | null): RuleResult {
  if (print === null) return conclude('repeated_reading', 'NOT_EXECUTED')
  const fields = listUnconfirmed(print)
  if (fields.length === 0) return conclude('repeated_reading', 'PASSED')
  return conclude('repeated_reading', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE', { fields })])
}

const fieldsOf: Readonly<Record<string, PrintField>> = {
  expected_last_name: 'last_name',
  expected_first_name: 'first_name',
  expected_date_of_birth: 'date_of_birth',
  expected_document_number: 'document_number',
  expiry: 'expiry_date',
}

/** Whether a difference is too large for a letter or a digit that was misread alike each time. */
function isClear({ check }: RuleResult, field: PrintField, print: PrintReading, expected: ExpectedData): boolean {
  if (!print.confirmed.includes(field)) return false
  if (field === 'last_name' || field === 'first_name') return (check.score ?? 1) < misreadNameFrom
  const { date_of_birth: read } = print
  const { date_of_birth: wanted } = expected
  if (field === 'expiry_date' || read === null || wanted == null) return true
  return shareOfDigits(toPrintedDate(read), toPrintedDate(wanted)) < misreadDateFrom
}

/** Leaves the section open, instead of rejecting, for a contradiction in such print that was not surely read. */
export function softenForPrint(
  results: readonly RuleResult[],
  print: PrintReading | null,
  expected: ExpectedData,
): RuleResult[] {
  return results.map(rule => {
    const field = fieldsOf[rule.check.name]
    if (print === null || field === undefined || rule.check.status !== 'REJECTED') return rule
    if (isClear(rule, field, print, expected)) return rule
    return { ...rule, check: { ...rule.check, status: 'UNDETERMINED' }, issues: [unreadField(field)] }
  })
}
